"""uac import: calendars and contacts of Google Takeout, as a folder or a zip archive."""

import zipfile
from pathlib import Path

from support.importing import told, uac, values
from support.samples import sample, stored_observations


def packed(folder: str) -> str:
    with zipfile.ZipFile("takeout-20240801.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(Path(folder).rglob("*")):
            archive.write(path, path.relative_to(folder))
        archive.writestr("Takeout/archive_browser.html", "<html>")
    return "takeout-20240801.zip"


def test_calendars_and_contacts_become_records_once_though_takeout_repeats_them(store: Path) -> None:
    result = uac("import", "ana", packed(sample("takeout")), "--yes", "--json")
    assert result.exit_code == 1
    _plan, bad, calendars, _cards, contacts = told(result)
    assert bad == {"line": 7, "why": "Takeout/Calendar/Ana.ics: has no DTSTART. Say when the event starts."}
    assert [calendars[part] for part in ("type", "records", "left_out")] == ["calendar.Event", 1, {"empty file": 1}]
    assert [contacts[part] for part in ("type", "records", "left_out")] == ["people.Contact", 2, {"repeated entry": 1}]
    assert [event["summary"] for event in values(store, "calendar.Event")] == ["Dentist"]
    assert [card["name"] for card in values(store, "people.Contact")] == ["Ben Berg", "Carla Cruz"]
    stored = len(stored_observations(store))
    assert stored == 3
    for name in ("takeout", "takeout-20240801.zip"):
        again = [line for line in told(uac("import", "ana", name, "--yes", "--json")) if "records" in line]
        assert [(line["records"], line["already"]) for line in again] == [(0, 1), (0, 2)]
    assert len(stored_observations(store)) == stored


def test_one_broken_file_does_not_stop_the_others(store: Path) -> None:
    sample("takeout")
    Path("takeout/Takeout/Contacts/Aunts.vcf").write_bytes(b"BEGIN:VCARD\nFN:Caf\xe9\n")
    lines = told(uac("import", "ana", "takeout", "--yes", "--json"))
    (bad,) = (line for line in lines if "Aunts" in line.get("why", ""))
    assert bad["why"].startswith("Takeout/Contacts/Aunts.vcf: byte ")
    assert [card["name"] for card in values(store, "people.Contact")] == ["Ben Berg", "Carla Cruz"]


def test_takeout_has_types_of_its_own_and_needs_calendars_or_contacts(store: Path) -> None:
    sample("takeout")
    assert uac("import", "ana", "takeout", "--format", "takeout", "--as", "some.Thing").exit_code == 2
    sample("vault")
    refused = uac("import", "ana", "vault", "--format", "takeout")
    assert "vault has no calendar (.ics) and no contacts (.vcf)." in refused.stderr
    Path("takeout/note.md").write_text("Hello")
    mixed = uac("import", "ana", "takeout")
    assert "takeout has files of several formats. Use --format with one of takeout, markdown." in mixed.stderr
    assert not store.exists()
