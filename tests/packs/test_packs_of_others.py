"""Packs of other packages, and the choice among all that are installed."""

import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.constraints import Clock, standing
from support.packs import CONTRACT, PACKS, TABLES
from uac.errors import Refused
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.packs import (
    chosen_packs,
    installed,
    installed_packs,
    load_pack,
)
from uac.packs.template import write_template
from uac.sandbox import shared_sandbox


@pytest.mark.parametrize(
    ("setting", "names"),
    [("all", None), ("", None), ("none", []), ("health", ["health"]), (" travel , health ", ["health", "travel"])],
)
def test_a_setting_says_which_packs_are_on_offer(
    monkeypatch: pytest.MonkeyPatch, setting: str, names: list[str] | None
) -> None:
    monkeypatch.setenv("UAC_PACKS", setting)
    everything = [pack.name for pack in PACKS]
    assert [pack.name for pack in chosen_packs()] == (everything if names is None else names)
    monkeypatch.delenv("UAC_PACKS")
    assert [pack.name for pack in chosen_packs()] == everything


def test_a_pack_that_is_not_installed_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_PACKS", "health,astrology")
    with pytest.raises(
        Refused, match=r"UAC_PACKS names 'astrology', which is not installed\. Set it to all, none or some of:"
    ):
        chosen_packs()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder like site-packages in which nothing is installed yet."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    installed_packs.cache_clear()
    yield folder
    installed_packs.cache_clear()


def install(site: Path, package: str, point: str) -> Path:
    """A package with a pack, as an installer leaves it: running it would be noticed."""
    write_template(site / package)
    (site / package / "__init__.py").write_text("raise AssertionError('the pack was run')\n")
    about = site / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[uac.packs]\n{package} = {point}\n")
    return site / package


def test_a_pack_of_another_package_is_found_and_works_and_is_never_run(site: Path) -> None:
    folder = install(site, "legal", "legal")
    found = {pack.name: pack for pack in installed_packs()}
    assert found["legal"] == load_pack(folder)
    assert set(found) == {pack.name for pack in PACKS} | {"legal"}
    assert "legal" not in sys.modules
    memory = Memory(MemoryStore().log("ana"), sandbox=shared_sandbox(), clock=Clock())
    memory.put("legal.Contract", CONTRACT)
    assert standing(memory) == [("legal_contract_review", "hosting")]


@pytest.mark.parametrize("point", ["nowhere_to_be_found", "legal.inner", "legal:pack", "os"])
def test_an_entry_point_that_names_no_package_is_refused(site: Path, point: str) -> None:
    install(site, "legal", point)
    with pytest.raises(
        Refused, match=r"Entry point legal = .* of uac\.packs is not a package\. Name the pack's package\."
    ):
        installed_packs()


def test_two_packs_with_one_name_are_refused(site: Path) -> None:
    folder = install(site, "legal", "legal")
    (folder / "pack.toml").write_text((folder / "pack.toml").read_text().replace('"legal"', '"health"'))
    with pytest.raises(Refused, match="health exists twice in the installed packs"):
        installed_packs()


def test_a_pack_cannot_bring_the_type_or_table_of_another(site: Path) -> None:
    folder = install(site, "legal", "legal")
    rules = folder / "knowledge" / "rules.json"
    rules.write_text(rules.read_text().replace("legal.rules", TABLES[0].name))
    rule = folder / "constraints" / "legal_contract_review.py"
    rule.write_text(rule.read_text().replace("legal.rules", TABLES[0].name))
    with pytest.raises(Refused, match=r"Name it legal\.rules\."):
        _ = load_pack(folder).knowledge


def test_a_broken_pack_of_another_package_is_skipped_with_a_warning(site: Path) -> None:
    folder = install(site, "legal", "legal")
    (folder / "pack.toml").write_text("name = 5\n")
    with pytest.warns(UserWarning, match=r"A pack is skipped: .*pack\.toml: name is missing"):
        assert {pack.name for pack in installed_packs()} == {pack.name for pack in PACKS}


@pytest.mark.parametrize("how", ["egg", "archive", "finder"])
def test_packages_that_are_installed_in_other_ways_are_looked_through(
    site: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    assert not installed._has_pack_packages()
    match how:
        case "egg":
            (site / "legal.egg").mkdir()
            monkeypatch.syspath_prepend(site / "legal.egg")
        case "archive":
            (site / "legal.zip").write_bytes(b"")
            monkeypatch.syspath_prepend(site / "legal.zip")
        case "finder":
            monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, importlib.metadata.DistributionFinder])
    assert installed._has_pack_packages()
