"""The commands of recall, run as people and agents run them: recall, reindex, and what doctor says of the index."""

import json
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from support.recall import Meanings
from support.short_logs import ALLERGY
from uac.interfaces.cli import main
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.sqlite import SqliteStore
from uac.memory.memory import Memory
from uac.models.embedders import chosen_embedder
from uac.recall.matches import CHANNELS
from uac.recall.search import IndexProgress, index_progress
from uac.schema.entries import Authority, Citation, Fact, Observation
from uac.schema.patches import Define, End, Put

NO_MEANING = "meaning: not searched, UAC_EMBEDDER is 'none'\n"
NOT_READ = "4 observations have not been read by a model yet\n"
needs_vectors = pytest.mark.skipif(chosen_embedder({}) is None, reason="this platform has no embedder of its own")


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ana has spoken twice; one fact took another's place, and one record has ended."""
    path = tmp_path / "memory.db"
    for name in ("MODEL", "MODEL_URL", "EMBEDDER_URL", "EMBEDDER_KEY", "RERANKER", "RERANKER_URL", "ZONE"):
        monkeypatch.delenv(f"UAC_{name}", raising=False)
    settings = {"STORE": str(path), "PACKS": "none", "NOW": "2026-04-01T12:00+00:00", "EMBEDDER": "none"}
    for name, value in settings.items():
        monkeypatch.setenv(f"UAC_{name}", value)
    with closing(SqliteStore(path)) as opened:
        ana = Memory(opened.log("ana"), packs=(), embedder=None)
        said = datetime(2026, 3, 1, 12, tzinfo=UTC)
        ana.add("The rash from latex is mild.", said=said, session="visit", source="chat")
        ana.add("Where did you spend the summer?", said=said.replace(day=5), role="assistant", session="trips")
        ana.add("In Lisbon, with Ben.", said=said.replace(day=5, hour=13), session="trips")
        ana.add("The rash from latex is severe now.", said=said.replace(day=9), session="visit")
        mild = fact(ana, "The user's latex rash is mild.", 1, "inferred")
        severe = fact(ana, "The user's latex rash is severe.", 4, "user")
        ana.checkpoint([Define(type=ALLERGY), put("latex", "mild", mild)])
        ana.checkpoint([put("latex", "severe", severe), put("pollen", "mild", severe)])
        ana.checkpoint([End(record="health.Allergy:pollen", when="2026-02", cites=(severe,))])
        ana.close()
    return path


def fact(memory: Memory, text: str, turn: int, authority: Authority) -> int:
    cites = (Citation(position=turn, quote="The rash from latex is"),)
    return memory.log.append([Fact(text=text, about="user", authority=authority, cites=cites)])[0]


def put(substance: str, severity: str, cited: int) -> Put:
    return Put(type="health.Allergy", fields={"substance": substance, "severity": severity}, cites=(cited,))


def uac(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def ok(*arguments: str) -> str:
    result = uac(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def told(*arguments: str) -> list[Any]:
    return [json.loads(line) for line in ok(*arguments, "--json").splitlines()]


def places(*arguments: str) -> list[int]:
    """Where what `uac recall ana` finds stands, in order; 0 for records."""
    return [hit["position"] for hit in told("recall", "ana", *arguments)[:-1]]


# --- recall -----------------------------------------------------------------------------------------------------------


def test_the_best_match_stands_first_and_the_rest_is_counted() -> None:
    result = uac("recall", "ana", "Lisbon Ben", "-k", "1")
    assert (result.exit_code, result.stdout) == (0, "     3  2026-03-05  user: In Lisbon, with Ben.\n")
    assert result.stderr == f"1 more matched; -k or --tokens shows more\n{NO_MEANING}{NOT_READ}"


def test_what_nothing_matches_is_said() -> None:
    result = uac("recall", "ana", "volcano")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"nothing was found\n{NO_MEANING}{NOT_READ}")


def test_a_budget_is_filled_in_reading_order_under_the_days() -> None:
    assert ok("recall", "ana", "latex summer Lisbon", "--tokens", "500").splitlines() == [
        "health.Allergy:latex  substance=latex, severity=severe",
        "     6  2026-03-09  fact: The user's latex rash is severe.",
        "[2026-03-01]",
        "     1  user: The rash from latex is mild.",
        "[2026-03-05]",
        "     2  assistant: Where did you spend the summer?",
        "     3  user: In Lisbon, with Ben.",
        "[2026-03-09]",
        "     4  user: The rash from latex is severe now.",
    ]


def test_a_budget_into_which_nothing_fits_says_so() -> None:
    result = uac("recall", "ana", "Lisbon", "--tokens", "1")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.splitlines()[0] == "2 passages matched, and none fits into 1 token; --tokens gives more room"


def test_facts_that_no_longer_hold_are_there_on_request_and_marked_and_so_are_ended_records() -> None:
    assert ok("recall", "ana", "latex rash", "--kind", "fact").splitlines() == [
        "     6  2026-03-09  fact: The user's latex rash is severe."
    ]
    assert sorted(ok("recall", "ana", "latex rash", "--kind", "fact", "--former").splitlines()) == [
        "     5  2026-03-01  fact: The user's latex rash is mild.  (no longer so)",
        "     6  2026-03-09  fact: The user's latex rash is severe.",
    ]
    assert ok("recall", "ana", "pollen", "--kind", "record").splitlines() == [
        "health.Allergy:pollen  substance=pollen, severity=mild  (ended)"
    ]


def test_each_filter_narrows_what_is_found() -> None:
    assert sorted(places("latex rash", "--kind", "observation")) == [1, 4]
    assert places("latex rash", "--session", "visit", "--source", "chat") == [1]
    assert places("latex rash", "--authority", "user") == [6]
    assert places("spend the summer in Lisbon", "--about", "Ben") == [3]
    assert places("latex rash", "--kind", "observation", "--between", "2026-03-02", "..") == [4]
    assert places("latex rash", "--kind", "observation", "--between", "..", "2026-03-01") == [1]
    assert sorted(places("latex rash", "--kind", "observation", "--between", "2026-03", "2026")) == [1, 4]


def test_a_search_as_of_an_earlier_time_finds_what_was_known_then() -> None:
    assert places("latex rash", "--as-of", "3") == [1]
    assert sorted(places("latex rash", "--as-of", "7", "--kind", "fact")) == [5, 6]
    assert sorted(places("latex rash", "--kind", "fact")) == [6]


def test_a_day_that_does_not_exist_is_refused_and_so_is_a_time_that_runs_backwards() -> None:
    for wrong, why in (
        ("2026-02-30", "2026-02-30 is not in the calendar. Use a valid date."),
        ("2026-13", "2026-13 is not in the calendar. Use a valid date."),
        ("0000", "0000 is not in the calendar. Use a valid date."),
        ("spring", "'spring' is not a valid day. Use YYYY, YYYY-MM, YYYY-MM-DD, or .. for no end on this side."),
    ):
        for between in ((wrong, ".."), ("..", wrong)):
            result = uac("recall", "ana", "latex", "--between", *between)
            assert (result.exit_code, result.stdout) == (2, "")
            assert result.stderr.splitlines()[-1] == f"Error: Invalid value for '--between': {why}"
    result = uac("recall", "ana", "latex", "--between", "2026-03", "2026-02")
    assert (result.exit_code, result.stderr) == (
        3,
        "Refused: between: 2026-03-01 to 2026-02-28 ends before it starts. Swap the two days.\n",
    )


def test_a_hit_says_why_it_is_there() -> None:
    hit, last = told("recall", "ana", "Lisbon", "--kind", "observation", "-k", "1")
    assert hit["score"] == pytest.approx(sum(hit["channels"].values()), abs=0.001)
    parts = " + ".join(f"{name} {value:.3f}" for name, value in hit["channels"].items())
    line, why = ok("recall", "ana", "Lisbon", "--kind", "observation", "-k", "1", "--why").splitlines()
    assert (line, why) == ("     3  2026-03-05  user: In Lisbon, with Ben.", f"        {hit['score']:.3f} = {parts}")
    assert last == {
        "user": "ana",
        "matched": 2,
        "left_out": 1,
        "tokens": 0,
        "notes": ["meaning: not searched, UAC_EMBEDDER is 'none'"],
        "unread": 4,
        "waiting": 0,
    }


def test_a_hit_that_has_only_what_every_hit_has_is_shown_with_its_score_alone() -> None:
    only_times = ("--without", "words", "--without", "session", "--without", "facts")
    lines = ok("recall", "ana", "in March 2026", "--kind", "observation", *only_times, "--why").splitlines()
    assert [line.strip() for line in lines if " = " in line][-1] == "0.400 = …"


def test_a_question_that_a_short_answer_brings_along_says_so() -> None:
    lines = ok("recall", "ana", "Lisbon", "--tokens", "30", "--without", "around", "--why").splitlines()
    assert lines[:3] == [
        "[2026-03-05]",
        "     2  assistant: Where did you spend the summer?",
        "        shown beside a hit",
    ]


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_channel_that_is_left_out_gives_nothing(channel: str) -> None:
    hits = told("recall", "ana", "Lisbon in March 2026", "--without", channel)[:-1]
    assert [hit for hit in hits if channel in hit["channels"]] == []


def test_the_days_that_a_question_was_taken_to_ask_about_are_told() -> None:
    lines = uac("recall", "ana", "What did we say last month?").stderr.splitlines()
    assert "read 'last month' as 2026-03-01 to 2026-03-31" in lines


def test_an_embedder_out_of_reach_leaves_words_people_and_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uac.models.retry.MAX_WAIT", 0.0)
    monkeypatch.setenv("UAC_EMBEDDER", "some-model")
    monkeypatch.setenv("UAC_EMBEDDER_URL", "http://127.0.0.1:9/v1")
    result = uac("recall", "ana", "Lisbon", "-k", "1")
    assert (result.exit_code, result.stdout) == (0, "     3  2026-03-05  user: In Lisbon, with Ben.\n")
    assert "meaning: 0 of 8 passages have a vector yet (some-model cannot be reached" in result.stderr


def test_a_query_without_a_word_is_refused() -> None:
    result = uac("recall", "ana", " ")
    assert (result.exit_code, result.stderr) == (3, "Refused: The query is empty. Give some words to search for.\n")


# --- reindex ----------------------------------------------------------------------------------------------------------


def test_the_index_is_made_anew_and_gives_the_same_hits() -> None:
    before = told("recall", "ana", "latex rash mild")
    result = uac("reindex", "ana")
    assert (result.stdout, result.stderr) == (
        "ana: 9 entries, 8 passages, 0 with a vector\n",
        "no vectors: UAC_EMBEDDER is 'none'\n",
    )
    assert told("recall", "ana", "latex rash mild") == before


def test_all_users_are_indexed_and_an_index_can_be_emptied() -> None:
    ok("add", "ben", "Hello there", "--at", "2026-03-01T12:00Z")
    assert told("reindex", "--all") == [
        {"user": "ana", "entries": 9, "passages": 8, "vectors": 0},
        {"user": "ben", "entries": 1, "passages": 1, "vectors": 0},
    ]
    assert ok("reindex", "ben", "--drop") == "ben: the search index is empty\n"
    assert told("recall", "ben", "hello")[0]["position"] == 1


def test_reindex_needs_users_or_all_and_users_who_are_there() -> None:
    assert uac("reindex").exit_code == 2
    assert uac("reindex", "ana", "--all").exit_code == 2
    assert uac("reindex", "nobody").exit_code == 3


@needs_vectors
def test_a_new_embedder_gives_everything_a_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    ok("reindex", "ana")
    monkeypatch.delenv("UAC_EMBEDDER")
    assert ok("reindex", "ana") == "ana: 9 entries, 8 passages, 8 with a vector\n"


def test_an_embedder_out_of_reach_ends_reindex_and_leaves_an_index_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uac.models.retry.MAX_WAIT", 0.0)
    monkeypatch.setenv("UAC_EMBEDDER", "some-model")
    monkeypatch.setenv("UAC_EMBEDDER_URL", "http://127.0.0.1:9/v1")
    assert uac("reindex", "ana").exit_code == 7
    monkeypatch.setenv("UAC_EMBEDDER", "none")
    assert doctor() == ["the search index is up to date for 1 of 1 user", NO_EMBEDDER]


def test_making_the_index_anew_tells_how_far_it_has_come_and_drops_the_vectors_of_others() -> None:
    log = MemoryStore().log("ben")
    said = datetime(2026, 3, 1, 12, tzinfo=UTC)
    log.append([Observation(text=f"message {number}", said=said) for number in range(600)])
    old, new = Meanings("old", dimension=16), Meanings("new", dimension=16)
    assert Memory(log, embedder=old).embed(most=100) == 500
    heard: list[tuple[str, int, int]] = []
    made = Memory(log, embedder=new).reindex(on_progress=lambda what, done, of: heard.append((what, done, of)))
    assert made == index_progress(log, new) == IndexProgress(600, 600, 600)
    assert index_progress(log, old) == IndexProgress(600, 600, 0)
    assert heard == [("entries", 600, 600), ("passages", 512, 600)]


# --- doctor -----------------------------------------------------------------------------------------------------------

NO_EMBEDDER = "recall searches by words, people and times, not by meaning: UAC_EMBEDDER is 'none'"


def doctor(*options: str) -> list[str]:
    """What is said about recall."""
    lines = [json.loads(line) for line in uac("doctor", *options, "--json").stdout.splitlines()]
    words = ("search index", "vector", "recall", "EMBEDDER", "RERANKER")
    return [line["what"] for line in lines if any(word in line["what"] for word in words)]


def test_doctor_says_how_far_the_index_is_behind() -> None:
    behind = "the search index is up to date for 0 of 1 user; 9 entries of ana will be indexed by the next search"
    assert doctor() == [behind, NO_EMBEDDER]
    ok("recall", "ana", "latex")
    assert doctor() == ["the search index is up to date for 1 of 1 user", NO_EMBEDDER]
    assert doctor("--quick") == [NO_EMBEDDER]


def test_doctor_finds_a_damaged_index_and_reindex_makes_it_again() -> None:
    ok("recall", "ana", "latex")
    file = Path(os.environ["UAC_STORE"])
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE index_blocks SET data = zeroblob(length(data))")
    assert doctor()[1] == "damaged search indexes: ana"
    ok("reindex", "ana")
    assert doctor() == ["the search index is up to date for 1 of 1 user", NO_EMBEDDER]


def test_doctor_says_what_has_no_vector_of_the_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    ok("recall", "ana", "latex")
    monkeypatch.setenv("UAC_EMBEDDER", "some-model")
    monkeypatch.setenv("UAC_EMBEDDER_URL", "http://127.0.0.1:9/v1")
    embedder = chosen_embedder()
    assert embedder is not None
    assert doctor() == [
        "the search index is up to date for 1 of 1 user",
        f"8 of 8 passages have no vector of {embedder.name} yet",
        f"recall compares meanings with {embedder.name}",
    ]


def test_doctor_finds_settings_of_recall_that_do_not_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_EMBEDDER", "some-model")
    monkeypatch.setenv("UAC_RERANKER", "another")
    result = uac("doctor", "--quick", "--json")
    problems = [json.loads(line) for line in result.stdout.splitlines() if '"problem"' in line]
    assert [problem["remedy"] for problem in problems] == [
        "check the UAC_EMBEDDER… settings (docs/concepts/recall.md)",
        "check the UAC_RERANKER… settings (docs/concepts/recall.md)",
    ]
    assert result.exit_code == 1
