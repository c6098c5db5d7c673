"""Answers that say that they may be incomplete: fewer say so wrongly by query than by domain, and none less rightly."""

from uac_bench.conversations.completeness import Warnings, count_warnings, play_readings, sum_warnings
from uac_bench.conversations.generator import generate_life


def test_warnings_by_query_are_as_often_right_and_less_often_wrong() -> None:
    counts = count_warnings(play_readings(generate_life(1, 3, "en")))
    simple, ours = counts["facts wait", "by domain"], counts["facts wait", "by query"]
    assert (ours.answers, ours.incomplete, ours.right) == (simple.answers, simple.incomplete, simple.right)
    assert 0 < ours.incomplete == ours.right
    assert ours.wrong < simple.wrong
    assert counts["all learned", "by query"].incomplete == 0


def test_warnings_of_several_lives_are_summed() -> None:
    counts = count_warnings(play_readings(generate_life(2, 2, "en")))
    summed = sum_warnings([counts, counts])["all learned", "by query"]
    one = counts["all learned", "by query"]
    assert summed == Warnings(
        answers=2 * one.answers, incomplete=2 * one.incomplete, right=2 * one.right, wrong=2 * one.wrong
    )
