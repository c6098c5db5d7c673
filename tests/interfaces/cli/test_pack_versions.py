"""uac pack diff: rows and constraints that were added, removed and changed between two versions of a pack."""

import shutil
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from support.cli import lines, uac
from support.paths import ROOT
from uac import open_store
from uac.packs import installed_packs
from uac.packs.template import write_template
from uac.schema.entries import Observation

HEALTH = next(pack for pack in installed_packs() if pack.name == "health")
ROWS = '{"rows": [{"id": "one", "days": 30}, {"id": "two", "days": 5}], "lead_days": 30}'
NEWER = '{"rows": [{"id": "one", "days": 31}, {"id": "three", "days": 5}], "lead_days": 30}'


@pytest.fixture(autouse=True)
def folder(store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UAC_PACKS", "health")
    return store.parent


def legal(folder: Path, *, table: str, version: str) -> Path:
    """The pack of the template with a table of rows."""
    write_template(folder / "legal")
    path = folder / "legal" / "knowledge" / "rules.json"
    text = path.read_text().replace('"version": "1"', f'"version": "{version}"')
    path.write_text(text[: text.index('"table":')] + f'"table": {table}}}')
    return folder / "legal"


def test_rows_are_compared_by_id_and_constraints_by_code_and_cases(folder: Path) -> None:
    old = legal(folder / "old", table=ROWS, version="1")
    new = legal(folder / "new", table=NEWER, version="2")
    rule = new / "constraints" / "legal_contract_review.py"
    rule.write_text(rule.read_text().replace("must be reviewed by", "wants a review by").replace("reviewed", "read"))
    shutil.copy(rule, new / "constraints" / "legal_copy.py")
    (new / "constraints" / "legal_copy.py").write_text(rule.read_text().replace("legal_contract_review", "legal_copy"))
    changes = lines(uac("pack", "diff", "legal", "--from", str(old), "--to", str(new), "--json"))
    code = changes[-2]["details"]
    assert changes == [
        {
            "kind": "table",
            "change": "changed",
            "what": "legal.rules",
            "details": {"version": {"before": "1", "after": "2"}},
        },
        {
            "kind": "row",
            "change": "changed",
            "what": "legal.rules",
            "row": "one",
            "details": {"days": {"before": 30, "after": 31}},
        },
        {"kind": "row", "change": "added", "what": "legal.rules", "row": "three"},
        {"kind": "row", "change": "removed", "what": "legal.rules", "row": "two"},
        {"kind": "constraint", "change": "changed", "what": "legal_contract_review", "details": code},
        {"kind": "constraint", "change": "added", "what": "legal_copy"},
    ]
    shown = uac("pack", "diff", "legal", "--from", str(old), "--to", str(new)).stdout.splitlines()
    assert shown[:4] == [
        "~ legal.rules: version 1 → 2; 1 row added, 1 row removed, 1 row changed",
        "  ~ one: days 30 → 31",
        "  + three",
        "  - two",
    ]
    assert shown[-1] == "+ constraint legal_copy"


def test_a_pack_does_not_differ_from_itself(folder: Path) -> None:
    old = legal(folder / "old", table=ROWS, version="1")
    same = uac("pack", "diff", "legal", "--from", str(old), "--to", str(old))
    assert (same.exit_code, same.stdout) == (0, "")
    assert same.stderr == "no difference between legal 1 and legal 1\n"


def test_an_imported_table_is_compared_with_the_pack_s_and_a_log_with_its_export() -> None:
    uac("put", "ana", "health.Medication", "name=warfarin")
    installed = lines(uac("pack", "diff", "health", "--user", "ana", "--json"))
    assert {line["change"] for line in installed} <= {"added"}
    shutil.copy(ROOT / "tests" / "packs" / "licensed" / "abda_like.csv", "abda.csv")
    uac("pack", "import", "health", "interactions", "abda.csv", "--user", "ana")
    changed = lines(uac("pack", "diff", "health", "--user", "ana", "--json"))
    rows = {str(line["row"]): line["change"] for line in changed if line["kind"] == "row"}
    assert {row for row, change in rows.items() if change == "removed"} == {"int-4711", "int-4712"}
    before = lines(uac("pack", "diff", "health", "--user", "ana", "--known", "4", "--json"))
    assert [line for line in before if line["kind"] == "row"] == []
    uac("export", "ana", "exported")
    same = uac("pack", "diff", "health", "--user", "ana", "--to", "exported")
    assert same.stderr == "no difference between the log of ana and exported\n"


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (("health",), 2, "Give either --user or --from."),
        (("health", "--user", "ana", "--from", "x"), 2, "Give either --user or --from."),
        (("health", "--from", "x", "--known", "3"), 2, "--known needs --user."),
        (("health", "--from", "."), 3, "is neither a pack nor an exported project."),
        (("health", "--user", "nobody"), 3, "user 'nobody' has no log"),
    ],
)
def test_wrong_arguments_are_refused(arguments: tuple[str, ...], code: int, reason: str) -> None:
    uac("add", "ana", "Hello.")
    refused = uac("pack", "diff", *arguments)
    assert (refused.exit_code, reason in refused.stderr) == (code, True), refused.stderr


def test_a_pack_that_is_not_installed_is_refused() -> None:
    uac("add", "ana", "Hello.")
    refused = uac("pack", "diff", "wealth", "--user", "ana")
    assert (refused.exit_code, "No pack 'wealth'." in refused.stderr) == (3, True)


@pytest.mark.slow
def test_packs_are_upgraded_for_all_users_of_a_large_store(store: Path) -> None:
    hello = Observation(text="hello", said=datetime(2026, 3, 1, tzinfo=UTC))
    with closing(open_store(str(store))) as made:
        for number in range(1001):  # the store lists a thousand at a time
            made.log(f"u{number:04}").append([hello])
    assert len(lines(uac("pack", "upgrade", "--json"))) == 1001
