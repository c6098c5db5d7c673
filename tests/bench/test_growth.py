"""uac-bench growth: golds by an oracle of its own, and what retrieval cannot count."""

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from uac_bench import main
from uac_bench.bench_growth import SQL
from uac_bench.growth_records import GROWTH_QUESTIONS, generate_records, record_text
from uac_bench.harness import OURS
from uac_bench.runs import load_runs
from uac_bench.systems import Contestant, NotInstalled, StoredText
from uac_bench.systems.peers import NOT_RUN, installed_versions, peer_contestants
from uac_bench.systems.rebuilt import our_ablations, rebuilt_contestants

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
SAID = ("I am allergic to penicillin.", "We flew to Lisbon in May.", "My sister Ada plays chess.", "The car is red.")


def test_compute_and_sql_agree_with_the_oracle_and_retrieval_falls_behind(tmp_path: Path) -> None:
    arguments = ["growth", "--size", "100", "--size", "600", "--seed", "7", "--out", str(tmp_path)]
    CliRunner().invoke(main, arguments, catch_exceptions=False)
    (run,) = load_runs(tmp_path)
    found = {(item.system, item.group): 0 for item in run.items}
    for item in run.items:
        found[item.system, item.group] += item.verdict == "right"
    questions = len(GROWTH_QUESTIONS)
    assert {found[name, size] for name in (OURS, SQL) for size in ("100", "600")} == {questions}
    assert all(right < questions for (name, size), right in found.items() if name.startswith("top") and size == "600")
    assert {len(points) for points in run.curves[0].lines.values()} == {2}
    assert (run.seed, run.systems[0].is_ours) == (7, True)


@given(st.integers(10, 300), st.integers(0, 5))
def test_records_are_the_same_for_the_same_seed_and_of_every_type(count: int, seed: int) -> None:
    records = generate_records(count, seed)
    assert records == generate_records(count, seed)
    assert sum(map(len, records.values())) == count
    assert all(record_text(name, record) for name, rows in records.items() for record in rows)


def test_the_oracle_counts_a_tie_as_right_for_every_value() -> None:
    question = next(each for each in GROWTH_QUESTIONS if each.id == "books-genre")
    assert question.gold([{"genre": "poetry"}, {"genre": "history"}]) == ["history", "poetry"]


@pytest.mark.parametrize("contestant", [*rebuilt_contestants(), *our_ablations(), *peer_contestants()], ids=str)
def test_every_contestant_finds_a_text_by_its_words_and_gives_no_more_passages_than_wanted(
    contestant: Contestant,
) -> None:
    try:
        retriever = contestant.open()
    except NotInstalled as error:
        pytest.skip(str(error))
    texts = [StoredText(text, NOON, session="one") for text in SAID]
    with closing(retriever):
        retriever.add(texts[:2])
        retriever.add(texts[2:])
        found: Sequence[int] = retriever.search("Who plays chess?", 2)
    assert 2 in found
    assert len(found) <= (len(SAID) if "archive" in contestant.name else 2)  # one chunk of its has all of them
    assert contestant.about


def test_peers_that_cannot_run_are_named_with_the_reason() -> None:
    assert all(NOT_RUN.values())
    assert "user-as-code" in installed_versions()
