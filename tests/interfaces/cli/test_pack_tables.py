"""uac pack import, restore, sign and show: tables of one's own, and who answers for them."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from support.cli import lines, uac
from support.paths import ROOT
from uac.packs import installed_packs

LICENSED = ROOT / "tests" / "packs" / "licensed"
VERSIONS = {table.name: table.version for pack in installed_packs() for table in pack.knowledge}
IMPORT = ("pack", "import", "health", "interactions", "abda_like.csv", "--version", "2026/11")
ROW = "health.interactions 2026/11 #int-4711 (DE)"
SIGN = ("pack", "sign", "health", "interactions", "--by", "Dr. Ada Weiss, pharmacist", "--why", "row by row")


@pytest.fixture(autouse=True)
def ana(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ana takes two medicines that do not go together."""
    monkeypatch.setenv("UAC_PACKS", "health")
    monkeypatch.setenv("UAC_NOW", "2026-11-16T12:00Z")
    monkeypatch.setenv("UAC_ZONE", "")
    for name in ("warfarin", "ibuprofen"):
        uac("put", "ana", "health.Medication", f"name={name}")
    for name in ("abda_like.csv", "rxnorm_like.csv"):
        shutil.copy(LICENSED / name, name)


def only(*arguments: str) -> dict[str, Any]:
    (line,) = lines(uac(*arguments, "--json"))
    return line


def test_an_import_runs_the_constraints_at_once_and_says_how_to_undo_it() -> None:
    done = uac(*IMPORT, "--user", "ana")
    assert done.exit_code == 0
    first, alert = done.stdout.splitlines()
    assert first == "ana: imported health.interactions 2026/11, 2 rows, entry 9"
    assert alert.startswith("updated critical drug_interaction / ")
    assert alert.endswith(f"[by health.drugs {VERSIONS['health.drugs']}, {ROW}]")
    assert done.stderr == "undo it: uac pack restore health interactions --user ana\n"
    alert_now = only("alerts", "ana")
    assert alert_now["tables"] == [f"health.drugs {VERSIONS['health.drugs']}", ROW]
    assert alert_now["reviews"] == ["health.drugs, health.interactions: unreviewed by a licensed person"]


def test_the_same_import_a_second_time_writes_nothing() -> None:
    uac(*IMPORT, "--user", "ana")
    again = uac(*IMPORT, "--user", "ana")
    assert (again.stdout, again.stderr) == ("ana: health.interactions 2026/11 is there already\n", "")
    assert only(*IMPORT, "--user", "ana") == {
        "user": "ana",
        "position": 0,
        "what": "health.interactions 2026/11 is there already",
        "alerts": [],
    }


def test_restore_puts_the_pack_s_table_back() -> None:
    before = only("alerts", "ana")
    uac(*IMPORT, "--user", "ana")
    done = uac("pack", "restore", "health", "interactions", "--user", "ana")
    version = VERSIONS["health.interactions"]
    assert done.stdout.splitlines()[0] == f"ana: restored health.interactions {version}, entry 12"
    after = only("alerts", "ana")
    assert (after["message"], after["tables"]) == (before["message"], before["tables"])
    again = uac("pack", "restore", "health", "interactions", "--user", "ana")
    assert again.stdout == "ana: health.interactions is not an imported table\n"


def test_a_bad_file_changes_nothing() -> None:
    text = Path("abda_like.csv").read_text().replace("warning", "sometimes")
    Path("abda_like.csv").write_text(text)
    refused = uac(*IMPORT, "--user", "ana")
    assert refused.exit_code == 3
    assert refused.stderr == (
        'Refused: abda_like.csv: line 3, column severity: "sometimes" does not fit. Give one of critical, warning, info.'
        " Nothing was imported.\n"
    )
    assert only("alerts", "ana")["tables"][1].startswith(f"health.interactions {VERSIONS['health.interactions']} ")


def test_a_file_can_be_checked_without_a_user() -> None:
    done = only(*IMPORT, "--dry-run")
    assert (done["table"], done["version"], done["rows"], done["kept"]) == ("health.interactions", "2026/11", 2, [])
    columns = [f"--column={each}" for each in ("RXCUI=id", "STR=name", "ingredient=value", "SAB=source")]
    rxnorm = uac(
        *("pack", "import", "health", "drugs", "rxnorm_like.csv", "--version", "11", "--dry-run", *columns),
        *("--keep", "class_names", "--keep", "titles", "--keep", "misspelt", "--keep", "german", "--keep", "romance"),
    )
    assert (
        rxnorm.stdout == "health.drugs 11: 5 rows; kept from the pack: class_names, titles, misspelt, german, romance\n"
    )


def test_all_users_of_the_store_get_the_table() -> None:
    uac("add", "ben", "Hello.")
    done = uac(*IMPORT, "--all", "--json")
    assert [(line["user"], line["what"]) for line in lines(done)] == [
        ("ana", "imported health.interactions 2026/11, 2 rows"),
        ("ben", "imported health.interactions 2026/11, 2 rows"),
    ]


def test_a_signature_is_shown_with_the_table_and_its_alerts_until_the_table_changes() -> None:
    uac(*IMPORT, "--user", "ana")
    done = uac(*SIGN, "--user", "ana")
    digest = only(*IMPORT, "--dry-run")["digest"]
    said = "signed by Dr. Ada Weiss, pharmacist on 2026-11-16: row by row"
    assert done.stdout == (
        f"ana: health.interactions 2026/11 is signed by Dr. Ada Weiss, pharmacist (sha256 {digest}), entry 12\n"
    )
    assert f"          health.interactions: {said}\n" in uac("alerts", "ana").stdout
    shown = uac("pack", "show", "health", "--user", "ana").stdout
    assert "  health.interactions 2026/11 (imported 2026-11-01)  no medical advice; imported, 2 rows; " in shown
    assert f"      {said}; sha256 {digest}\n" in shown
    row = only("pack", "show", "health", "--row", "int-4711", "--user", "ana")
    assert (row["review"], row["row"]["reviewer"]) == (said, "Dr. rer. nat. W. Berg, Apothekerin")
    assert uac(*SIGN, "--user", "ana").stdout.endswith("is signed by Dr. Ada Weiss, pharmacist already\n")
    assert "signed the table health.interactions" in uac("log", "ana").stdout
    uac("pack", "restore", "health", "interactions", "--user", "ana")
    assert only("alerts", "ana")["reviews"] == ["health.drugs, health.interactions: unreviewed by a licensed person"]


def test_a_signature_for_another_version_is_refused() -> None:
    refused = uac(*SIGN, "--user", "ana", "--digest", "0" * 64)
    assert (refused.exit_code, "Review that version, and sign its digest" in refused.stderr) == (3, True)
    uac("add", "ben", "Hello.")
    missing = uac(*SIGN, "--user", "ben")
    assert "health.interactions is not in this memory yet." in missing.stderr
    some = uac(*SIGN, "--all")
    assert (some.exit_code, some.stderr.startswith("ben: not changed: ")) == (1, True)
    assert some.stdout.startswith("ana: ")


def test_the_columns_of_a_table_are_shown() -> None:
    shown = uac("pack", "show", "health", "--table", "interactions").stdout.splitlines()
    assert shown[0] == "health.interactions: the columns of a file for 'uac pack import health interactions'"
    assert "  severity  one of critical, warning, info" in shown
    columns = only("pack", "show", "health", "--table", "interactions")["columns"]
    assert columns[0] == {"section": "", "column": "id", "holds": "a text", "required": True}


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (IMPORT, 2, "Give either --user or --all."),
        ((*IMPORT, "--user", "ana", "--all"), 2, "Give either --user or --all."),
        ((*IMPORT, "--user", "ana", "--column", "x"), 2, "'x' is not THEIRS=OURS."),
        ((*IMPORT, "--user", "nobody"), 3, "user 'nobody' has no log"),
        (
            ("pack", "import", "health", "pills", "x.csv", "--all"),
            3,
            "Pack health has no table 'pills'. Its tables are:",
        ),
        (("pack", "sign", "wealth", "x", "--all", "--by", "a", "--why", "b"), 3, "No pack 'wealth'."),
        (("pack", "import", "health", "drugs", "none.csv", "--all"), 3, "none.csv cannot be read: No such file"),
    ],
)
def test_wrong_arguments_are_refused(arguments: tuple[str, ...], code: int, reason: str) -> None:
    refused = uac(*arguments)
    assert (refused.exit_code, reason in refused.stderr) == (code, True), refused.stderr


def test_packs_and_tables_are_completed() -> None:
    from click.testing import CliRunner

    from uac.interfaces.cli import main

    def completed(*words: str) -> list[str]:
        given = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1), "_UAC_COMPLETE": "bash_complete"}
        shown = CliRunner().invoke(main, [], env=given, prog_name="uac").stdout
        return [line.removeprefix("plain,") for line in shown.splitlines() if line]

    assert completed("uac", "pack", "import", "hea") == ["health"]
    assert completed("uac", "pack", "sign", "health", "inter") == ["interactions"]
    assert completed("uac", "pack", "show", "health", "--table", "dr") == ["drugs"]
