"""uac-bench recall: what counts as found, what a context costs, and the schemes that recall is compared with."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from support.bench_data import bench_data
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.recall.search import CHANNELS
from uac.schema.entries import Citation, Fact, Observation
from uac.text.token_count import count_tokens
from uac_bench import main
from uac_bench.bench_recall import GROUPS, recall_scheme
from uac_bench.dense_schemes import conversation_chunks, dense_schemes
from uac_bench.locomo import (
    Conversation,
    LocomoScore,
    Note,
    Outcome,
    Piece,
    Question,
    Shown,
    Turn,
    append_conversation,
    fill_locomo_context,
    load_locomo,
    match_facts_to_turns,
    score_question,
    turn_piece,
)
from uac_bench.recall_turns import endless_recall_turns, recall_questions

if TYPE_CHECKING:
    from uac.log.index import Vectors

SAMPLE = {
    "sample_id": "conv-26",
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "I adopted a grey kitten yesterday."},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Look at my kayak!", "blip_caption": "a red boat"},
        ],
        "session_2_date_time": "12:09 am on 13 September, 2023",
        "session_2": [
            {"speaker": "Ben", "dia_id": "D2:1", "text": "The dentist was expensive."},
            {"speaker": "Ana", "dia_id": "D2:2", "text": "Mine lives in Lisbon."},
        ],
        "session_3_date_time": "1:00 pm on 1 October, 2023",
    },
    "qa": [
        {"question": "What did Ana adopt?", "answer": "a kitten", "evidence": ["D1:1"], "category": 4},
        {"question": "Which boat?", "answer": "a kayak", "evidence": ["D1:02; D2:1", "D:2:2", "D9:9"], "category": 1},
        {"question": "Who is wise?", "answer": "nobody", "evidence": ["D"], "category": 3},
        {"question": "Who flew?", "adversarial_answer": "Ben", "evidence": ["D1:1"], "category": 5},
    ],
}
NOTED = [
    {"session": 1, "text": "Ana adopted a kitten."},
    {"session": 1, "text": "Ben has a dentist."},
    {"session": 2, "text": "Ben paid an expensive dentist."},
]
AUDIT = [{"question_id": "locomo_0_qa1", "error_type": "HALLUCINATION"}]

TURNS = (
    Turn("D1:1", 1, "Ana", "I adopted a grey kitten yesterday.", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
    Turn("D1:2", 1, "Ben", "Look at my kayak! [photo: a red boat]", datetime(2023, 5, 8, 13, 56, 1, tzinfo=UTC)),
    Turn("D2:1", 2, "Ben", "The dentist was expensive.", datetime(2023, 9, 13, 0, 9, tzinfo=UTC)),
    Turn("D2:2", 2, "Ana", "Mine lives in Lisbon.", datetime(2023, 9, 13, 0, 9, 1, tzinfo=UTC)),
)
TOY = Conversation(
    "conv-26",
    ("Ana", "Ben"),
    {1: "[1:56 pm on 8 May, 2023]", 2: "[12:09 am on 13 September, 2023]"},
    TURNS,
    (
        Question("What did Ana adopt?", 4, (0,), "", "a kitten"),
        Question("Which boat?", 1, (1, 2, 3), "HALLUCINATION", "a kayak"),
    ),
    (Note("Ana adopted a kitten.", 1, (0,)), Note("Ben paid an expensive dentist.", 2, (2,))),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in LOCOMO's form."""
    (tmp_path / "locomo10.json").write_text(json.dumps([SAMPLE]))
    (tmp_path / "recorded_facts.json").write_text(json.dumps({"conversations": {"conv-26": {"facts": NOTED}}}))
    (tmp_path / "gold_audit.json").write_text(json.dumps(AUDIT))
    return tmp_path


class Letters:
    """An embedder whose vectors are the counts of letters."""

    name = "letters"
    dimension = 26
    is_near = True

    def embed(self, texts: Sequence[str], *, query: bool = False) -> "Vectors":
        np = pytest.importorskip("numpy")
        rows = [[text.lower().count(chr(97 + letter)) for letter in range(26)] for text in texts]
        counts: Vectors = np.array(rows, np.float32).reshape(len(texts), 26)
        lengths = np.linalg.norm(counts, axis=1, keepdims=True)
        made: Vectors = counts / np.where(lengths == 0, 1, lengths)
        return made


# -- the files ---------------------------------------------------------------------------------------------------------


def test_a_conversation_is_read_with_photos_times_evidence_facts_and_faults(folder: Path) -> None:
    suite = load_locomo(folder)
    assert suite.conversations == (TOY,)
    assert (suite.no_evidence, suite.unresolved, suite.unmatched) == (1, 1, 1)


def test_facts_and_audit_may_be_missing(folder: Path) -> None:
    (folder / "recorded_facts.json").unlink()
    (folder / "gold_audit.json").unlink()
    (found,) = load_locomo(folder).conversations
    assert found.notes == ()
    assert [question.fault for question in found.questions] == ["", ""]


def test_the_suite_has_1536_questions_with_evidence_of_which_an_audit_finds_99_golds_wrong() -> None:
    suite = load_locomo(bench_data("locomo"))
    questions = [question for each in suite.conversations for question in each.questions]
    wrong = [
        question for question in questions if GROUPS["gold wrong"](score_question(question, Shown(frozenset(), 0), ""))
    ]
    assert len(suite.conversations) == 10
    assert sum(len(each.turns) for each in suite.conversations) == 5882
    assert Counter(question.category for question in questions) == {1: 282, 2: 321, 3: 92, 4: 841}
    assert (suite.no_evidence, suite.unresolved, len(wrong)) == (4, 3, 99)
    assert sum(len(each.notes) for each in suite.conversations) + suite.unmatched == 20740


def test_a_fact_comes_from_the_turn_that_shares_its_rarest_words_and_from_all_that_share_as_much() -> None:
    turns = [
        Turn("D1:1", 1, "Ana", "I like tea and my garden", datetime(2023, 1, 1, tzinfo=UTC)),
        Turn("D1:2", 1, "Ben", "I like tea and my boat", datetime(2023, 1, 1, tzinfo=UTC)),
        Turn("D1:3", 1, "Ben", "I like tea and my boat", datetime(2023, 1, 1, tzinfo=UTC)),
        *[Turn(f"D2:{n}", 2, "Ana", f"word{n} and more", datetime(2023, 1, 2, tzinfo=UTC)) for n in range(12)],
    ]
    noted = [("Ana has a garden and tea", 1), ("Ben has a boat", 1), ("Ana is a person", 1), ("word3 is said", 2)]
    assert match_facts_to_turns(noted, turns, ("Ana", "Ben")) == [
        Note("Ana has a garden and tea", 1, (0,)),
        Note("Ben has a boat", 1, (1, 2)),
        Note("word3 is said", 2, (6,)),
    ]


# -- the metric --------------------------------------------------------------------------------------------------------


def test_a_turn_costs_its_line_and_the_first_of_a_session_also_its_date() -> None:
    first, second, third, _ = (turn_piece(place, turn) for place, turn in enumerate(TURNS))
    dates = TOY.header_tokens()
    assert [first.tokens, second.tokens] == [count_tokens(f"{turn.speaker}: {turn.text}") for turn in TURNS[:2]]
    whole = first.tokens + second.tokens + third.tokens + dates[1] + dates[2]
    assert fill_locomo_context([first, third, second], dates, whole) == Shown(frozenset({0, 1, 2}), whole)


def test_what_does_not_fit_is_passed_over_and_leaves_room_for_what_is_smaller() -> None:
    pieces = [Piece((0,), 1, 50), Piece((1,), 2, 45), Piece((2,), 1, 30), Piece((3,), 0, 10)]
    assert fill_locomo_context(pieces, {1: 10, 2: 10}, 100) == Shown(frozenset({0, 2, 3}), 100)
    assert fill_locomo_context(pieces, {1: 10, 2: 10}, 9) == Shown(frozenset(), 0)
    assert fill_locomo_context(pieces, {1: 10, 2: 10}, None) == Shown(frozenset({0, 1, 2, 3}), 155)


@given(
    st.lists(st.builds(Piece, st.tuples(st.integers(0, 9)), st.integers(0, 3), st.integers(0, 60))),
    st.integers(0, 200),
)
def test_a_context_never_costs_more_than_its_budget_and_holds_nothing_unasked(pieces: list[Piece], budget: int) -> None:
    dates = {1: 5, 2: 6, 3: 7}
    shown = fill_locomo_context(pieces, dates, budget)
    whole = fill_locomo_context(pieces, dates, None)
    assert shown.tokens <= budget
    assert shown.turns <= whole.turns
    assert whole.tokens > budget or shown == whole


def test_shares_are_averaged_over_questions_and_a_question_is_complete_with_all_its_evidence() -> None:
    shown = Shown(frozenset({0, 1}), 70)
    outcomes = [score_question(question, shown, "conv-26") for question in TOY.questions]
    assert outcomes == [
        Outcome("conv-26", 4, "", 1.0, 70),
        Outcome("conv-26", 1, "HALLUCINATION", 1 / 3, 70),
    ]
    assert LocomoScore.from_outcomes(outcomes) == LocomoScore(2, 100 * (1 + 1 / 3) / 2, 50.0, 70.0)
    assert LocomoScore.from_outcomes([]) == LocomoScore(0, 0.0, 0.0, 0.0)
    assert [name for name, belongs in GROUPS.items() if belongs(outcomes[1])] == [
        "all",
        "tuned",
        "multi-hop",
        "gold wrong",
    ]


# -- the schemes -------------------------------------------------------------------------------------------------------


def test_chunks_have_300_words_of_one_session_and_share_75_with_the_next() -> None:
    long = Turn("D1:1", 1, "Ana", " ".join(f"a{n}" for n in range(499)), TURNS[0].said)
    short = Turn("D2:1", 2, "Ben", "hello", TURNS[2].said)
    talked = Conversation("x", ("Ana", "Ben"), {1: "[one]", 2: "[two]"}, (long, short), ())
    words = long.context_line.split()
    parts = [" ".join(words[:300]), " ".join(words[225:])]
    assert conversation_chunks(talked) == [
        (f"[one]\n{parts[0]}", Piece((0,), 1, count_tokens(parts[0]))),
        (f"[one]\n{parts[1]}", Piece((0,), 1, count_tokens(parts[1]))),
        ("[two]\nBen: hello", Piece((1,), 2, count_tokens("Ben: hello"))),
    ]


def test_a_turn_counts_for_the_chunk_that_has_most_of_its_words() -> None:
    turns = tuple(
        Turn(f"D1:{n}", 1, "Ana", " ".join(["word"] * 99), TURNS[0].said)
        for n in range(4)  # a hundred words each
    )
    found = conversation_chunks(Conversation("x", ("Ana", "Ben"), {1: "[one]"}, turns, ()))
    assert [piece.turns for _text, piece in found] == [(0, 1, 2), (2, 3)]


def test_every_scheme_shows_what_is_nearest_within_its_budget() -> None:
    schemes = dense_schemes(TOY, Letters())
    dates = TOY.header_tokens()
    pieces = [turn_piece(place, turn) for place, turn in enumerate(TURNS)]
    question = TURNS[2].context_line
    assert {name: scheme(question, 10_000).turns for name, scheme in schemes.items()} == dict.fromkeys(
        schemes, frozenset({0, 1, 2, 3})
    )
    assert schemes["turns"](question, dates[2] + pieces[2].tokens) == Shown(frozenset({2}), dates[2] + pieces[2].tokens)
    near = dates[2] + pieces[2].tokens + pieces[3].tokens
    assert schemes["30 turns ± 3"](question, near) == Shown(frozenset({2, 3}), near)
    chunk = count_tokens(f"{TURNS[2].context_line} {TURNS[3].context_line}") + dates[2]
    assert schemes["chunks"](question, chunk) == Shown(frozenset({2, 3}), chunk)
    facts = sum(count_tokens(note.text) for note in TOY.notes)
    assert schemes["chunks and 20 facts"](question, facts) == Shown(frozenset({0, 2}), facts)


def test_schemes_that_show_as_much_as_published_take_no_budget() -> None:
    schemes = dense_schemes(TOY, Letters())
    published = [scheme for name, scheme in schemes.items() if name.endswith("as published")]
    assert [scheme("a kitten?", 1).turns for scheme in published] == [frozenset({0, 1, 2, 3})] * 2


# -- recall itself -----------------------------------------------------------------------------------------------------


def test_a_conversation_becomes_a_memory_of_turns_and_facts_that_cite_them() -> None:
    log = MemoryStore().log("ana")
    assert append_conversation(log, TOY, roles="user", notes=True) == [1, 2, 3, 4]
    entries = [stored.entry for stored in log.read()]
    assert entries[1:3] == [
        Observation(text=TURNS[1].text, said=TURNS[1].said, role="person", speaker="Ben", session="session 1"),
        Observation(text=TURNS[2].text, said=TURNS[2].said, role="person", speaker="Ben", session="session 2"),
    ]
    assert entries[5] == Fact(
        text="Ben paid an expensive dentist.",
        about="Ben",
        authority="user",
        cites=(Citation(position=3, quote="The dentist was expensive."),),
        by="recorded",
    )
    assert [entry.role for entry in entries if isinstance(entry, Observation)] == ["user", "person", "person", "user"]


def test_recall_finds_the_turn_that_was_asked_for_within_the_common_price() -> None:
    memory = Memory(MemoryStore().log("ana"), packs=())
    shown = recall_scheme(memory, TOY, append_conversation(memory.log, TOY, notes=False))
    assert 0 in shown("What kitten did Ana adopt?", 1000).turns
    assert shown("What kitten did Ana adopt?", 40).tokens <= 40


def bench(*arguments: str) -> Any:
    run = CliRunner().invoke(main, ["recall", *arguments, "--json"], catch_exceptions=False)
    assert run.exit_code == 0, run.stderr
    return json.loads(run.stdout)


def test_the_command_reports_each_scheme_and_budget_by_group(folder: Path) -> None:
    report = bench("--data", str(folder), "--budgets", "100,1000", "--roles", "both")
    rows = {(row["scheme"], row["budget"]): row["scores"] for row in report["rows"]}
    assert (report["conversations"], report["questions"]) == (1, 2)
    assert {budget for scheme, budget in rows if scheme == "user-as-code and facts"} == {100, 1000}
    assert {scheme for scheme, _budget in rows if scheme.startswith("user-as-code")} == {
        "user-as-code",
        "user-as-code and facts",
        "user-as-code, first speaker as user",
        "user-as-code and facts, first speaker as user",
    }
    for scores in rows.values():
        assert list(scores) == list(GROUPS)
        assert (scores["all"]["questions"], scores["held out"]["questions"]) == (2, 0)
    if ("chunks", 1000) in rows:  # where there is an embedder
        assert rows["chunks", 1000]["all"]["complete"] == 100
        assert {budget for scheme, budget in rows if scheme == "10 chunks, as published"} == {0}


def test_a_run_with_channels_also_measures_without_each_of_them(folder: Path) -> None:
    report = bench("--data", str(folder), "--budgets", "1000,2000", "--no-schemes", "--channels")
    assert [(row["scheme"], row["budget"]) for row in report["rows"]] == [
        *(("user-as-code", budget) for budget in (1000, 2000)),
        *(("user-as-code and facts", budget) for budget in (1000, 2000)),
        *((f"without {channel}", 1000) for channel in CHANNELS),
    ]


def test_conversations_measured_side_by_side_give_what_they_give_one_after_another(folder: Path) -> None:
    (folder / "locomo10.json").write_text(json.dumps([SAMPLE, SAMPLE | {"sample_id": "conv-50"}]))
    one, two = (bench("--data", str(folder), "--jobs", jobs, "--no-schemes") for jobs in ("1", "2"))
    assert one["rows"] == two["rows"]
    assert one["rows"][0]["scores"]["held out"]["questions"] == 2


def test_the_text_has_every_group_and_says_what_was_left_out(folder: Path) -> None:
    run = CliRunner().invoke(main, ["recall", "--data", str(folder)], catch_exceptions=False)
    lines = run.stdout.splitlines()
    assert lines[0] == "evidence in the context / questions with all of it, per cent: 2 questions, 1 conversation"
    assert "by category, 4k:" in lines
    assert (
        "Left out: 1 question without evidence; names of 1 evidence turns that do not exist;"
        " 1 recorded fact that came from no turn in particular." in lines
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "needs --data FOLDER, --chats HALF, or --speed"),
        (["--speed", "--turns", "many"], "'many' needs whole numbers such as 1000,4000"),
        (["--data", "{folder}", "--only", "conv-1"], "No conversation 'conv-1'. Use one of conv-26"),
    ],
)
def test_a_wrong_call_says_what_is_needed(folder: Path, arguments: list[str], message: str) -> None:
    run = CliRunner().invoke(main, ["recall", *(part.format(folder=folder) for part in arguments)])
    assert run.exit_code == 2
    assert message in run.stderr


def test_a_folder_without_the_conversations_is_one_line_and_no_traceback(tmp_path: Path) -> None:
    run = CliRunner().invoke(main, ["recall", "--data", str(tmp_path)])
    assert run.exit_code == 2
    assert run.stderr.splitlines()[-1].endswith("or a file of your own (docs/about/benchmark-data.md).")


# -- speed -------------------------------------------------------------------------------------------------------------


def test_made_up_talk_and_its_questions_repeat_themselves_by_their_seed() -> None:
    turns = list(islice(endless_recall_turns(), 100))
    assert turns == list(islice(endless_recall_turns(), 100))
    assert turns != list(islice(endless_recall_turns(seed=2), 100))
    assert len({turn.session for turn in turns}) == 5
    assert recall_questions(100) == recall_questions(100)
    assert (len(recall_questions(100)), len(recall_questions(500_000))) == (200, 50)


def test_speed_is_measured_apart_for_each_contestant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uac_bench.recall_turns.ROUNDS", 20)
    report = bench("--speed", "--turns", "60")
    costs = {cost["name"]: cost for cost in report["costs"]}
    always = {"recall", "recall, 4,000 tokens", "context, 4,000 tokens", "bare FTS5"}
    assert always <= costs.keys() <= {*always, "vectors, brute force"}
    text = sum(len(turn.text.encode()) for turn in islice(endless_recall_turns(), 60))
    assert {(cost["turns"], cost["questions"], cost["text"]) for cost in costs.values()} == {(60, 20, text)}
    assert all(cost["p95"] >= cost["p50"] > 0 for cost in costs.values())
    assert all(cost["p95_processor"] >= cost["p50_processor"] > 0 for cost in costs.values())
    ((name, turns, rate, one_more),) = (growth.values() for growth in report["growth"])
    assert (name, turns) == ("recall", 60)
    assert min(rate, one_more) > 0
    services = {service["name"]: service for service in report["services"]}
    assert services.keys() == {"recall, SQLite", "context, SQLite"}
    assert all(min(each["first"], each["p50"], each["start"]) > 0 for each in services.values())
    assert report["driver"] is None
