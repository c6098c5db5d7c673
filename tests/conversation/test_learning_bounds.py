"""The cost of learning is bounded whatever a model replies, and nothing that was said is lost."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.learning_cases import JUNK
from support.scripted_model import TUESDAY, aside, facts, heard, new_memory, teach, whys
from uac import Memory
from uac.models import OneModel
from uac.models.requests_and_replies import Request
from uac.models.scripted import ScriptedModel

TURNS = (
    "I have a cat named Mia and pay 12 euros a month for her.",
    "My sister Ana moved to Lisbon on 3 May. She pays 900 euros.",
    "Thanks!",
    "I bought 3 books at Foyles on 2 May for 41 pounds.",
    "The dentist is on 14 May at 9:30.",
)
ATTEMPTS = 3
LOOKS = 2  # a turn is read once, and a second time if it gave no fact


Moves = st.sampled_from(["junk", "nothing", "all", "half", "cut", "more", "refused", "aside", "half aside", "twice"])


def reply_to(request: Request, move: str, junk: str) -> str:
    """A reply of one of these kinds to any request."""
    content = json.loads(request.content)
    if move == "junk":
        return junk
    if request.step == "checkpoint":
        numbers = [item["fact"] for item in content["facts"]]
        whole = [patch for number in numbers for patch in aside(number)["patches"]]
        part = {"nothing": [], "half": whole[::2], "half aside": whole[1::2], "twice": whole + whole}
        refused = [{"op": "put", "type": "no.Type", "fields": {"a": 1}, "cites": [number]} for number in numbers]
        text = json.dumps({"patches": refused if move == "refused" else part.get(move, whole)})
    else:
        items: list[dict[str, Any]] = [
            {"text": turn["text"][:90], "about": "user", "cites": [{"turn": turn["turn"], "quote": turn["text"][:90]}]}
            for turn in content["turns"]
            if not turn.get("context")
        ]
        if move == "refused":
            items = [{**item, "text": "The user has 71 horses."} for item in items]
        part = {"nothing": [], "half": items[::2], "half aside": items[1::2], "twice": items + items}
        text = json.dumps({"facts": part.get(move, items), "more": move == "more"})
    return text[: len(text) * 2 // 3] if move == "cut" else text


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    sessions=st.lists(st.lists(st.sampled_from(TURNS), min_size=1, max_size=4), min_size=1, max_size=3),
    moves=st.lists(Moves, min_size=1, max_size=40),
    junk=st.sampled_from(JUNK),
)
def test_any_replies_end_in_a_bounded_number_of_requests_and_lose_nothing(
    sessions: list[list[str]], moves: list[str], junk: str
) -> None:
    memory = new_memory()
    said = {
        memory.add(text, said=TUESDAY, session=f"{number}"): text
        for number, session in enumerate(sessions)
        for text in session
    }

    def answer(request: Request) -> str:
        return reply_to(request, moves[len(model.requests) % len(moves)], junk)

    model = ScriptedModel.answering(answer)
    learned = memory.learn(OneModel(model))
    facts_taken = sum(len(outcome.facts) for outcome in learned.outcomes)
    reading = len(said) * LOOKS * ATTEMPTS + facts_taken  # a reply that goes on gives at least one fact
    writing = facts_taken * ATTEMPTS + facts_taken
    assert len(model.requests) <= reading + writing
    project = memory.project()
    there = {stored.position: getattr(stored.entry, "text", "") for stored in memory.log.read()}
    assert {position: there[position] for position in said} == said
    assert (memory.pending(), [*project.progress.asked], [*project.progress.unread]) == ([], [], [])
    assert set(project.waiting) <= set(project.progress.stuck)  # what is in no record is listed with the reason
    check_retry(memory)


def check_retry(memory: Memory) -> None:
    """All that is stuck can be asked about again, and a model that has nothing to say settles it."""
    asked = memory.retry_stuck()
    quiet = ScriptedModel.answering(
        lambda request: facts() if request.step == "extract" else aside(*request.answers), name="quiet"
    )
    memory.learn(OneModel(quiet))
    assert (bool(quiet.requests) or not asked, [*memory.project().progress.stuck]) == (True, [])


def test_a_reply_that_leaves_out_much_of_what_was_said_is_asked_for_the_rest_at_most_twice() -> None:
    memory = heard(*TURNS)

    def first_of(request: Request) -> str:
        turns = [turn for turn in json.loads(request.content)["turns"] if not turn.get("context")]
        taken = len(json.loads(request.content).get("taken", ()))
        given = [turns[taken]] if request.step == "extract" and taken < len(turns) else []
        return json.dumps(
            {
                "facts": [
                    {"text": turn["text"], "about": "user", "cites": [{"turn": turn["turn"], "quote": turn["text"]}]}
                    for turn in given
                ]
            }
        )

    model = ScriptedModel.answering(lambda r: first_of(r) if r.step == "extract" else aside(*r.answers))
    learned = memory.learn(OneModel(model))
    missing = [why for found in whys(learned.outcomes) for why in found if "seem to say more" in why]
    assert len(missing) == ATTEMPTS - 1
    assert missing[0] == "Turns 2, 4, 5 seem to say more than was noted. Give what is missing, if anything."


def test_a_reply_that_leaves_out_little_is_not_asked_for_more() -> None:
    memory = heard(*TURNS)
    most = [
        {"text": text, "about": "user", "cites": [{"turn": number, "quote": text}]}
        for number, text in enumerate(TURNS, 1)
        if number not in (3, 5)
    ]
    _model, learned = teach(memory, facts(*most), facts(), aside(6, 7, 8))
    assert [found for found in whys(learned.outcomes) if found] == []
