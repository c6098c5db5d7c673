"""Runs of suites: kept whole, continued where they stopped, and compared with honest statistics."""

from pathlib import Path

import pytest

from uac_bench.runs import BenchItem, BenchRun, Recorder, Verdict, data_digests, load_runs, shares, versus


def item(number: int, verdict: Verdict = "right", *, system: str = "ours", group: str = "") -> BenchItem:
    return BenchItem(id=f"case-{number}", system=system, verdict=verdict, group=group)


RUN = BenchRun(suite="small", command="uac-bench small", about="A test.", code="abc")


def test_a_run_that_was_interrupted_continues_with_the_items_it_has(tmp_path: Path) -> None:
    first = Recorder(tmp_path, "small", {"code": "abc"})
    first.add(item(1))
    first.add(item(2, "failed"))
    with (tmp_path / "small.items.jsonl").open("a") as file:
        file.write('{"id": "case-3", "sys')  # killed while it wrote
    second = Recorder(tmp_path, "small", {"code": "abc"})
    assert second.known("ours", "case-1") == item(1)
    assert second.known("ours", "case-2") is None  # a failure is tried again
    assert second.known("ours", "case-3") is None


@pytest.mark.parametrize("key", [{"code": "abd"}, {"code": "abc", "model": "other"}])
def test_items_of_other_code_or_another_model_are_not_taken_over(tmp_path: Path, key: dict[str, object]) -> None:
    Recorder(tmp_path, "small", {"code": "abc"}).add(item(1))
    assert Recorder(tmp_path, "small", key).known("ours", "case-1") is None


def test_a_finished_run_is_one_file_that_is_read_back_whole(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, "small", {})
    recorder.add(item(1))
    finished = recorder.finish(RUN)
    assert [path.name for path in tmp_path.iterdir()] == ["small.json"]
    assert load_runs(tmp_path) == (finished,)
    assert finished.items == (item(1),)


def test_failed_answers_count_as_wrong_and_unscored_ones_not_at_all() -> None:
    items = [item(1), item(2, "failed"), item(3, "unscored"), item(4, group="sum")]
    found = shares(items, by_group=True)
    assert {place: (share.right, share.of) for place, share in found.items()} == {
        ("ours", ""): (2, 3),
        ("ours", "sum"): (1, 1),
    }


def test_two_systems_are_compared_over_the_items_that_both_answered() -> None:
    ours = [item(number) for number in range(10)]
    theirs = [item(number, "wrong", system="theirs") for number in range(9)]
    assert versus([*ours, *theirs], "ours", "theirs") == pytest.approx(2 / 2**9)
    assert versus(ours, "ours", "theirs") is None


def test_files_of_one_name_in_different_folders_have_a_digest_each(tmp_path: Path) -> None:
    paths = [tmp_path / folder / "chat.json" for folder in ("1", "2")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(path.parent.name)
    assert list(data_digests(paths)) == ["1/chat.json", "2/chat.json"]
    assert len(set(data_digests(paths).values())) == 2
    assert list(data_digests(paths[:1])) == ["chat.json"]
