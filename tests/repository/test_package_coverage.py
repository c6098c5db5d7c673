"""Coverage is added up by package, and no package may hide behind a good total."""

import tomllib
from pathlib import Path

from tools.package_coverage import Covered, by_package, report, weak

ROOT = Path(__file__).parents[2]
FILES = {
    "src/uac/errors.py": Covered(10, 10),
    "src/uac/log/log.py": Covered(90, 100),
    "src/uac/log/stores/sqlite.py": Covered(92, 100),
    "/somewhere/src/uac/text/quotes.py": Covered(990, 1000),
}


def test_the_files_of_a_package_are_added_up_and_the_total_is_last() -> None:
    packages = by_package(FILES)
    assert packages == {
        "uac/log": Covered(182, 200),
        "uac/text": Covered(990, 1000),
        "total": Covered(1182, 1210),
    }
    assert list(packages)[-1] == "total"


def test_a_weak_package_is_named_though_the_total_is_good() -> None:
    packages = by_package(FILES)
    assert (weak(packages, 95), weak(packages, 90), weak(packages, 99.5)) == (
        ["uac/log"],
        [],
        ["uac/log", "uac/text", "total"],
    )
    assert report(packages, 95).splitlines()[-2:] == [
        "total                  97.7 %",
        "below 95 %: uac/log. Add tests, or delete what they cannot reach.",
    ]
    assert report(packages, 90).splitlines()[-1] == "total                  97.7 %"


def test_a_file_without_statements_is_covered() -> None:
    assert Covered().percent == 100


def test_the_least_coverage_is_set_for_branches() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["coverage"]
    assert (settings["run"]["branch"], settings["report"]["fail_under"]) == (True, 95)
