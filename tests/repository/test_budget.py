"""No package is longer than its limit, so that growth is a decision."""

from tools.budget import LIMITS, lines, report


def test_every_package_has_a_limit_and_keeps_it() -> None:
    counts = lines()
    assert set(counts) == set(LIMITS)
    over = [package for package, count in counts.items() if count > LIMITS[package]]
    assert over == [], (
        f"{', '.join(over)}: more lines than tools/budget.py allows. Delete something, or raise the limit together "
        f"with a changelog fragment.\n{report()}"
    )


def test_no_limit_is_so_high_that_it_limits_nothing() -> None:
    assert [package for package, count in lines().items() if LIMITS[package] > 1.1 * count + 50] == []
