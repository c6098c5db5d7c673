"""The made-up chats and the published formats that recall is measured on."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import pytest

from uac.text import count_tokens
from uac_bench.chats.chat import Chat, ChatQuestion, ChatTurn, join_chats
from uac_bench.chats.formats import chat_files, load_chats, load_written
from uac_bench.chats.generator import QUESTION_TYPES, make_chat, make_chats
from uac_bench.chats.measure import ABLATIONS, CHAT_SCHEMES, ONE, SEARCH_IDEAS, measure_chat
from uac_bench.chats.topics import TOPICS

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_chat_is_the_same_for_the_same_seed_and_long() -> None:
    chat = make_chat("reported", 7)
    assert chat == make_chat("reported", 7) != make_chat("reported", 8)
    assert sum(count_tokens(turn.line) for turn in chat.turns) > 100_000


def test_a_chat_has_every_type_of_question_with_evidence_by_the_right_side() -> None:
    for chat in (*make_chats("develop", 1), *make_chats("reported", 1)):
        assert {question.type for question in chat.questions} == set(QUESTION_TYPES)
        for question in chat.questions:
            side = "assistant" if question.type == "assistant said" else "user"
            assert {chat.turns[place].role for place in question.evidence} == {side}
            assert 2 <= len(question.queries) <= 3


def test_the_halves_share_no_topic_no_turn_and_no_question() -> None:
    develop, reported = make_chats("develop"), make_chats("reported")
    assert {topic.title for topic in TOPICS["develop"]}.isdisjoint(topic.title for topic in TOPICS["reported"])
    for part in ("turns", "questions"):
        texts = [{each.text for chat in half for each in getattr(chat, part)} for half in (develop, reported)]
        assert texts[0].isdisjoint(texts[1])


def test_a_turn_counts_as_found_when_at_least_half_of_it_is_shown() -> None:
    long = " ".join(f"The ladder leans at wall number {number}." for number in range(60))
    turns = [ChatTurn("user", text, NOON + timedelta(minutes=number), "s") for number, text in enumerate([long, "Bye"])]
    chat = Chat("small", tuple(turns), (ChatQuestion("Where is the ladder?", "single fact", (0,)),))
    shares = {
        (outcome.scheme, outcome.budget): outcome.share
        for outcome in measure_chat(chat, [100, 1000], ["recall", "FTS5 over user passages"])
    }
    assert set(shares.values()) == {0.0, 1.0}
    assert {budget for (_scheme, budget), share in shares.items() if share} == {1000}


def test_a_question_sees_only_the_turns_before_it() -> None:
    texts = ("The key is below the pot.", "Fine.", "The key is with Ada now.")
    turns = [ChatTurn("user", text, NOON + timedelta(minutes=number), "s") for number, text in enumerate(texts)]
    early = ChatQuestion("Where is the key?", "early", (2,), asked_after=2)
    late = ChatQuestion("Where is the key?", "late", (2,))
    found = measure_chat(Chat("small", tuple(turns), (late, early)), [1000], ["recall"])
    assert [(outcome.type, outcome.share) for outcome in found] == [("early", 0.0), ("late", 1.0)]


def test_every_scheme_answers_every_question() -> None:
    chat = Chat(
        "small",
        (ChatTurn("user", "I keep bees.", NOON, "s"), ChatTurn("assistant", "How many hives?", NOON, "s")),
        (ChatQuestion("What do I keep?", "single fact", (0,), ("bees", "pets")),),
    )
    assert [outcome.scheme for outcome in measure_chat(chat, [500])] == list(CHAT_SCHEMES)


def test_a_chat_in_the_format_of_beam_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "100K" / "1"
    (folder / "probing_questions").mkdir(parents=True)
    said = [
        {"id": 0, "role": "user", "content": "I adopted a cat.", "time_anchor": "March-15-2024"},
        {"id": 1, "role": "assistant", "content": "Lovely!"},
        {"id": 2, "role": "user", "content": "Her name is Mina."},
    ]
    chat = [{"batch_number": 1, "turns": [said[:2], said[2:]]}]
    asked = {
        "information_extraction": [
            {"question": "What is the cat's name?", "source_chat_ids": {"first": [2], "or": 0}, "answer": "Mina"}
        ],
        "abstention": [{"question": "How old is the dog?", "source_chat_ids": []}],
    }
    (folder / "chat.json").write_text(json.dumps(chat))
    (folder / "probing_questions" / "probing_questions.json").write_text(json.dumps(asked))
    day = datetime(2024, 3, 15, 12, tzinfo=UTC)
    turns = tuple(
        ChatTurn("user" if turn["role"] == "user" else "assistant", str(turn["content"]), moment, "batch 1")
        for turn, moment in zip(said, (day + timedelta(seconds=number) for number in range(3)), strict=True)
    )
    question = ChatQuestion("What is the cat's name?", "information extraction", (0, 2), answer="Mina")
    unknown = ChatQuestion("How old is the dog?", "abstention", (), is_unknown=True)
    assert load_chats(tmp_path) == (Chat("BEAM 1", turns, (question, unknown)),)
    assert {outcome.type for outcome in measure_chat(load_chats(tmp_path)[0], [500])} == {"information extraction"}


def test_a_question_of_beam_is_answered_by_its_rubric_and_without_one_by_what_the_answer_should_do(
    tmp_path: Path,
) -> None:
    said = {"id": 0, "role": "user", "content": "Use bullet points. The sprint ends on March 29."}
    asked = {
        "temporal_reasoning": [
            {
                "question": "How long is it?",
                "source_chat_ids": {"first_event": [0], "second_event": [0]},
                "answer": "Four weeks",
                "rubric": ["LLM response should state: 8 weeks", "LLM response should mention: until March"],
            }
        ],
        "instruction_following": [
            {"question": "What is left?", "source_chat_ids": [0], "expected_compliance": "A list with bullet points"}
        ],
    }
    (tmp_path / "chat.json").write_text(json.dumps([{"batch_number": 1, "turns": [[said]]}]))
    (tmp_path / "probing_questions.json").write_text(json.dumps(asked))
    (chat,) = load_chats(tmp_path)
    assert [question.answer for question in chat.questions] == [
        "8 weeks; until March",
        "A list with bullet points",
    ]


def test_of_a_chat_of_beam_that_was_shortened_the_shortened_form_is_read(tmp_path: Path) -> None:
    said = [{"id": number, "role": "user", "content": f"Part {number}."} for number in (0, 1)]
    asked = {"information_extraction": [{"question": "Which part?", "source_chat_ids": [0], "answer": "0"}]}
    (tmp_path / "chat.json").write_text(json.dumps([{"batch_number": 1, "turns": [said]}]))
    (tmp_path / "chat_trunecated.json").write_text(json.dumps([{"batch_number": 1, "turns": [said[:1]]}]))
    (tmp_path / "probing_questions.json").write_text(json.dumps(asked))
    assert chat_files(tmp_path) == [tmp_path / "chat_trunecated.json"]
    assert [turn.text for turn in load_chats(tmp_path)[0].turns] == ["Part 0."]


def test_a_chat_of_beam_in_several_plans_is_read_in_their_order_under_the_days_of_their_batches(
    tmp_path: Path,
) -> None:
    def batch(number: int, day: str) -> list[dict[str, object]]:
        turns = [[{"id": number, "role": "user", "content": f"Plan {number}."}]]
        return [{"batch_number": 1, "time_anchor": day, "turns": turns}]

    chat = [
        {"plan-1": batch(1, "March-15-2024"), "plan-10": None},
        {"plan-2": batch(2, "May-01-2024"), "plan-10": batch(3, "June-02-2024")},
    ]
    asked = {"information_extraction": [{"question": "Which?", "source_chat_ids": [3], "answer": "10"}]}
    (tmp_path / "chat.json").write_text(json.dumps(chat))
    (tmp_path / "probing_questions.json").write_text(json.dumps(asked))
    (read,) = load_chats(tmp_path)
    assert [(turn.text, turn.said.date().isoformat()) for turn in read.turns] == [
        ("Plan 1.", "2024-03-15"),
        ("Plan 2.", "2024-05-01"),
        ("Plan 3.", "2024-06-02"),
    ]
    assert read.questions[0].evidence == (2,)


def test_questions_in_the_format_of_longmemeval_are_read_each_with_its_history(tmp_path: Path) -> None:
    sessions = [
        [{"role": "user", "content": "My cat is Mina.", "has_answer": True}, {"role": "assistant", "content": "Hi!"}],
        [{"role": "user", "content": "I bake bread."}],
    ]
    item = {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "What is my cat's name?",
        "answer": "Mina",
        "question_date": "2023/06/01 (Thu) 10:00",
        "answer_session_ids": ["late"],
        "haystack_session_ids": ["late", "early"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/01 (Mon) 08:00"],
        "haystack_sessions": sessions,
    }
    path = tmp_path / "longmemeval_s.json"
    path.write_text(json.dumps([item, item | {"question_id": "q2_abs"}]))
    early, late = datetime(2023, 5, 1, 8, tzinfo=UTC), datetime(2023, 5, 20, 2, 21, tzinfo=UTC)
    turns = (
        ChatTurn("user", "I bake bread.", early, "early"),
        ChatTurn("user", "My cat is Mina.", late, "late"),
        ChatTurn("assistant", "Hi!", late + timedelta(seconds=1), "late"),
    )
    june = datetime(2023, 6, 1, 10, tzinfo=UTC)
    question = ChatQuestion("What is my cat's name?", "single-session-user", (1,), answer="Mina", asked_at=june)
    unknown = ChatQuestion("What is my cat's name?", "abstention", (), is_unknown=True, asked_at=june)
    expected = (Chat("q1", turns, (question,)), Chat("q2_abs", turns, (unknown,)))
    assert load_chats(tmp_path) == load_chats(path) == expected


def test_a_person_in_the_format_of_realmem_is_read(tmp_path: Path) -> None:
    memory = {"session_uuid": "u1", "content": "Runs on Tuesdays"}
    sessions = [
        {
            "session_identifier": "Fitness_1:S1_01",
            "session_uuid": "u1",
            "current_time": "2024-05-01 (Wednesday)",
            "extracted_memory": [memory | {"index": "x", "source_turn": 1}],
            "dialogue_turns": [
                {"speaker": "Assistant", "content": "When do you run?"},
                {"speaker": "User", "content": "On Tuesdays.", "is_query": False},
            ],
        },
        {
            "session_identifier": "Fitness_1:S1_02",
            "session_uuid": "u2",
            "current_time": "2024-05-03 (Friday)",
            "dialogue_turns": [
                {"speaker": "User", "content": "Hello."},
                {"speaker": "User", "content": "What's next?", "is_query": True, "query_id": "q1"},
                {"speaker": "Assistant", "content": "Rest.", "memory_used": [memory]},
            ],
        },
    ]
    person = {"_metadata": {"person_name": "Ada"}, "dialogues": sessions}
    (tmp_path / "Ada_dialogues_256k.json").write_text(json.dumps(person))
    (chat,) = load_chats(tmp_path)
    assert [(turn.role, turn.text, turn.session) for turn in chat.turns][1:3] == [
        ("user", "On Tuesdays.", "Fitness_1:S1_01"),
        ("user", "Hello.", "Fitness_1:S1_02"),
    ]
    expected = ChatQuestion("What's next?", "query", (1,), asked_after=3, session="Fitness_1:S1_02", answer="Rest.")
    assert chat.questions == (expected,)


def test_a_memory_of_realmem_came_from_the_turn_whose_words_it_has(tmp_path: Path) -> None:
    memory = {"session_uuid": "u1", "content": "Runs on Tuesdays"}
    noted = memory | {"index": "x", "type": "Dynamic", "source_turn": 2, "source_content_snapshot": "On Tuesdays."}
    said = ("When do you run?", "On Tuesdays.", "Nice.")
    first = {
        "session_identifier": "Fitness_1:S1_01",
        "session_uuid": "u1",
        "current_time": "2024-05-01 (Wednesday)",
        "extracted_memory": [noted],
        "dialogue_turns": [{"speaker": "User", "content": text} for text in said],
    }
    asked = [
        {"speaker": "User", "content": "When do I run?", "is_query": True, "query_id": "q1"},
        {"speaker": "Assistant", "content": "On Tuesdays.", "memory_used": [memory], "memory_session_uuids": ["u1"]},
    ]
    second = first | {"session_identifier": "Fitness_1:S1_02", "extracted_memory": [], "dialogue_turns": asked}
    person = {"_metadata": {"person_name": "Ada"}, "dialogues": [first, second]}
    (tmp_path / "Ada_dialogues_256k.json").write_text(json.dumps(person))
    (chat,) = load_chats(tmp_path)
    assert [question.evidence for question in chat.questions] == [(1,)]


def test_a_file_of_your_own_chats_is_read_and_evidence_that_was_not_said_is_refused(tmp_path: Path) -> None:
    turn = {"role": "user", "text": "I keep bees.", "said": "2026-03-01T12:00:00Z", "session": "s"}
    asked = {"text": "What do I keep?", "type": "single fact", "evidence": [0], "queries": ["bees"]}
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([{"name": "small", "turns": [turn], "questions": [asked]}]))
    question = ChatQuestion("What do I keep?", "single fact", (0,), ("bees",))
    assert load_chats(path) == (Chat("small", (ChatTurn("user", "I keep bees.", NOON, "s"),), (question,)),)
    path.write_text(json.dumps([{"name": "small", "turns": [turn], "questions": [asked | {"evidence": [1]}]}]))
    with pytest.raises(click.ClickException, match=r"is \[1\]. Use the numbers of turns of 'small' from 0 to 0"):
        load_chats(path)


def test_without_an_idea_the_search_is_another_and_afterwards_the_same() -> None:
    turns = ("Buy grout.", "I bought grout for the kitchen, twice.")
    chat = Chat(
        "small",
        tuple(
            ChatTurn("user" if place else "assistant", text, NOON + timedelta(minutes=place), "s")
            for place, text in enumerate(turns)
        ),
        (ChatQuestion("In what order did I hear about grout?", "order", (0,)),),
    )
    without_outline = f"without {next(idea for idea in SEARCH_IDEAS if idea == 'outline')}"
    shares = [each.share for each in measure_chat(chat, [500], [ONE, without_outline, ONE])]
    assert {ONE, *ABLATIONS} == {each.scheme for each in measure_chat(chat, [500], [ONE, *ABLATIONS])}
    assert shares == [0.0, 1.0]


@pytest.mark.parametrize(
    ("half", "several"),
    [
        ("develop", 21),
        ("reported", 21),
        ("develop-2", 24),
        ("reported-2", 24),
        ("develop-3", 37),
        ("reported-3", 41),
        ("reported-4", 29),
    ],
)
def test_the_chats_written_by_hand_ask_for_what_was_said_by_both_sides(half: str, several: int) -> None:
    (chat,) = load_written(f"written-{half}")
    evidence = {chat.turns[place].role for question in chat.questions for place in question.evidence}
    assert (len(chat.questions) > 50, evidence) == (True, {"user", "assistant"})
    assert sum(bool(question.queries) for question in chat.questions) == several


def test_chats_of_all_authors_are_one_log_by_date_with_the_same_evidence_for_each_question() -> None:
    one, other = (
        Chat(
            name,
            tuple(ChatTurn("user", f"{name} {day}", NOON + timedelta(days=day), f"day {day}") for day in days),
            (ChatQuestion(f"about {name}?", "fact", (1,), asked_after=2, session=f"day {days[1]}"),),
        )
        for name, days in (("one", (0, 3)), ("other", (1, 2)))
    )
    joined = join_chats([one, other], "both")
    assert [turn.text for turn in joined.turns] == ["one 0", "other 1", "other 2", "one 3"]
    assert [turn.session for turn in joined.turns] == ["0/day 0", "1/day 1", "1/day 2", "0/day 3"]
    assert joined.questions == (
        ChatQuestion("about one?", "fact", (3,), asked_after=4, session="0/day 3"),
        ChatQuestion("about other?", "fact", (2,), asked_after=3, session="1/day 2"),
    )
    (all_three,) = load_written("written-develop-all")
    apart = [chat for number in ("", "-2", "-3") for chat in load_written(f"written-develop{number}")]
    assert len(all_three.turns) == sum(len(chat.turns) for chat in apart)
    assert [{all_three.turns[place].text for place in question.evidence} for question in all_three.questions] == [
        {chat.turns[place].text for place in question.evidence} for chat in apart for question in chat.questions
    ]


def test_a_file_that_is_named_like_another_format_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "chat.json").write_text('[{"turns": [{"role": "user", "text": "Hi"}]}]')
    with pytest.raises(click.ClickException, match="is named like a file of BEAM, but does not have its format"):
        load_chats(tmp_path)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("2024-05-01 (Wednesday)", datetime(2024, 5, 1, 12, tzinfo=UTC)),
        ("2024-05-01 08:30", datetime(2024, 5, 1, 8, 30, tzinfo=UTC)),
    ],
)
def test_a_session_of_realmem_is_dated_with_or_without_a_time_and_named_by_either_field(
    written: str, said: datetime, tmp_path: Path
) -> None:
    (chat,) = load_chats(realmem_file(tmp_path, written))
    assert (chat.turns[0].said, chat.turns[0].session) == (said, "S1")


@pytest.mark.parametrize("written", ["May 1st", "2024-13-01"])
def test_a_session_of_realmem_without_a_date_is_refused(written: str, tmp_path: Path) -> None:
    with pytest.raises(click.ClickException, match="is not a date"):
        load_chats(realmem_file(tmp_path, written))


def realmem_file(folder: Path, written: str) -> Path:
    memory = {"session_uuid": "u1", "content": "Runs on Tuesdays", "source_turn": 0}
    said = [{"speaker": "User", "content": "I run on Tuesdays."}]
    asked = [{"speaker": "User", "content": "What's next?", "is_query": True, "memory_used": [memory]}]
    sessions = [
        {"session_id": "S1", "current_time": written, "extracted_memory": [memory], "dialogue_turns": said},
        {"session_id": "S2", "current_time": "2024-05-03", "extracted_memory": [], "dialogue_turns": asked},
    ]
    path = folder / "Ada_dialogues_256k.json"
    path.write_text(json.dumps({"_metadata": {"person_name": "Ada"}, "dialogues": sessions}))
    return path
