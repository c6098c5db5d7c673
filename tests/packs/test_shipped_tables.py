"""The packed tables that ship are those of the packs as they are; a table that differs is packed when it is needed."""

import shutil
from pathlib import Path
from typing import NoReturn

import msgspec
import pytest

from support.packs import PACKS
from tools.prove_packs import current_tables
from uac.packs import files
from uac.packs.files import load_pack
from uac.packs.installed import BUILT_IN
from uac.packs.shipped_tables import SHIPPED_TABLES, shipped_table, table_key
from uac.schema.constraints import Knowledge

HEALTH = next(pack for pack in PACKS if pack.name == "health")
TABLE = Path("knowledge/drugs.json")
CHECKS = Path("checks/drugs.tsv")


def content(table: Knowledge) -> tuple[object, ...]:
    """All that a table says, however it is packed."""
    return table.digest, table.table, table.origins, table.is_imported, table.name, table.version, table.note


def test_the_tables_that_ship_are_those_of_the_packs_as_they_are() -> None:
    text = SHIPPED_TABLES.read_text(encoding="utf-8")
    stored = msgspec.json.decode(text, type=dict[str, Knowledge])
    current = current_tables()
    assert stored.keys() == current.keys(), "A table or its checks have changed. Run 'make proofs'."
    assert [content(stored[key]) for key in current] == [content(current[key]) for key in current]
    assert len(stored) == len(text.splitlines()) - 2


def test_no_table_of_a_shipped_pack_is_packed_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_file: object) -> NoReturn:
        raise AssertionError("A table was packed.")

    monkeypatch.setattr(files, "pack_table", refuse)
    files._read_pack_table.cache_clear()
    for pack in PACKS:
        if pack.folder.parent == BUILT_IN:
            names = [path.stem for path in sorted(pack.folder.glob("knowledge/*.json"))]
            assert [table.name for table in pack.knowledge] == [f"{pack.name}.{name}" for name in names]


@pytest.mark.parametrize("changed", [TABLE, CHECKS])
def test_a_table_is_packed_again_if_one_of_its_files_differs(tmp_path: Path, changed: Path) -> None:
    shutil.copytree(HEALTH.folder, tmp_path / "health")
    shipped = HEALTH.table("health.drugs")
    assert shipped is not None
    assert load_pack(tmp_path / "health").table("health.drugs") == shipped
    path = tmp_path / "other" / changed
    shutil.copytree(HEALTH.folder, tmp_path / "other")
    if changed == TABLE:
        path.write_bytes(
            path.read_bytes().replace(b'"version":', b'"version" :', 1).replace(b'"note": "', b'"note": "A ')
        )
    else:
        path.write_text("\n".join(path.read_text(encoding="utf-8").splitlines()[:2]) + "\n", encoding="utf-8")
    other = load_pack(tmp_path / "other").table("health.drugs")
    assert other is not None
    assert (other.table, other.digest == shipped.digest) == (shipped.table, False)


def test_the_bytes_of_both_files_count() -> None:
    table, checks = ((HEALTH.folder / name).read_bytes() for name in (TABLE, CHECKS))
    assert shipped_table("health", table, checks) == HEALTH.table("health.drugs")
    for other in (("travel", table, checks), ("health", table + b" ", checks), ("health", table, checks[:-1])):
        assert shipped_table(*other) is None
    assert table_key("health", b"ab", b"c") != table_key("health", b"a", b"bc")
