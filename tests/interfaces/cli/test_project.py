"""The commands of the typed project, run as people run them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from uac.interfaces.cli import main

PUT = ["put", "ana", "travel.Trip", "city=Paris", "start=2026-05-01", "cost=300 EUR", "--at", "2026-03-01T12:00Z"]


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UAC_STORE", str(tmp_path / "memory.db"))
    uac("define", "ana", "travel.Trip", "city:str", "start:date", "cost:Money | None", "--event", "--doc", "A journey.")
    return tmp_path / "memory.db"


def uac(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=stdin, catch_exceptions=False)


def lines(result: Result) -> list[Any]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def trip() -> str:
    record: str = lines(uac(*PUT, "--json"))[0]["record"]
    return record


def test_a_record_is_put_listed_computed_and_explained() -> None:
    record = trip()
    assert lines(uac("records", "ana", "--json")) == [
        {
            "record": record,
            "type": "travel.Trip",
            "values": {"city": "Paris", "start": "2026-05-01", "cost": "300 EUR"},
            "ended": None,
            "conflicts": [],
            "unsure": {},
            "cites": [2],
            "end_reason": None,
        }
    ]
    assert uac("compute", "ana", "total(t.cost for t in travel.trips)").output == "{'EUR': Decimal('300')}\n"
    explained = uac("explain", "ana", record, "city").output.splitlines()
    assert explained[0] == f"{record}.city = Paris  [latest]"
    assert explained[-1].endswith("entry 2: “travel.Trip: city = Paris, start = 2026-05-01, cost = 300 EUR”")


def test_a_record_that_is_put_comes_from_a_sentence_or_from_entries() -> None:
    put = ("put", "ana", "travel.Trip", "city=Rome", "start=2026-06-01")
    rome = lines(uac(*put, "--from", "We fly to Rome in June", "--json"))[0]["record"]
    assert uac("explain", "ana", rome, "city").output.splitlines()[-1].endswith("“We fly to Rome in June”")
    said = lines(uac("add", "ana", "And to Oslo in July", "--json"))[0]["positions"][0]
    put = ("put", "ana", "travel.Trip", "city=Oslo", "start=2026-07-01")
    oslo = lines(uac(*put, "--cites", str(said), "--json"))[0]["record"]
    assert uac("explain", "ana", oslo, "city").output.splitlines()[-1].endswith("“And to Oslo in July”")
    assert uac(*put, "--cites", str(said), "--from", "x").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("records", "ana"), "no records\n"),
        (("records", "ana", "travel.Trip", "--unsure"), "no unsure records of travel.Trip\n"),
        (("conflicts", "ana"), "no conflicts\n"),
        (("diff", "ana", "1", "1"), "no changes\n"),
        (("alerts", "ana", "--history"), "no alert was ever raised\n"),
        (("log", "ana", "--kind", "fact"), "no entries\n"),
        (("keys", "list"), "no keys; 'uac keys create' makes one\n"),
        (("hooks", "list"), "no hooks; 'uac hooks add' makes one\n"),
    ],
)
def test_a_list_with_nothing_to_show_says_so_and_is_empty_as_json(arguments: tuple[str, ...], said: str) -> None:
    shown, as_json = uac(*arguments), uac(*arguments, "--json")
    assert (shown.exit_code, shown.stdout, shown.stderr) == (0, "", said)
    assert (as_json.exit_code, as_json.output) == (0, "")


def test_a_long_diff_counts_by_type_and_all_lists_every_change() -> None:
    for number in range(25):
        uac("put", "ana", "travel.Trip", f"city=C{number}", "start=2026-06-01")
    diff = uac("diff", "ana", "1")
    assert diff.stdout.startswith("travel.Trip: 25 records added  (travel.Trip:#3.0, …)\n")
    assert diff.stderr == "25 changes; --all lists them\n"
    assert len(uac("diff", "ana", "1", "--all").stdout.splitlines()) == 25
    assert len(lines(uac("diff", "ana", "1", "--json"))) == 25


def test_a_time_without_a_zone_is_in_the_zone_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "has no time zone" in uac("add", "ana", "Lunch", "--said", "2026-01-02T12:00").stderr
    monkeypatch.setenv("UAC_ZONE", "Europe/Berlin")
    uac("add", "ana", "Lunch", "--said", "2026-01-02T12:00")
    uac("add", "ana", "Dinner", "--at", "2026-01-02T19:00")  # the former name of the option
    assert [line.partition("(said ")[2] for line in uac("log", "ana", "--kind", "observation").stdout.splitlines()] == [
        "2026-01-02T12:00+01:00)",
        "2026-01-02T19:00+01:00)",
    ]
    assert uac("log", "ana", "--since", "2999-01-01").stderr == "no entries\n"


def test_records_are_listed_by_type_domain_or_collection() -> None:
    paris = trip()
    rome = lines(uac("put", "ana", "travel.Trip", "city=Rome", "start=2026-06-01", "--json"))[0]["record"]
    uac("end", "ana", rome, "2026-05-20", "--why", "cancelled by the airline")
    listed = {
        name: [row["record"] for row in lines(uac("records", "ana", name, "--json"))]
        for name in ("travel.Trip", "travel", "travel.trips", "travel.former_trips")
    }
    assert listed == {
        "travel.Trip": [paris, rome],
        "travel": [paris, rome],
        "travel.trips": [paris],
        "travel.former_trips": [rome],
    }
    refused = uac("records", "ana", "travel.journeys")
    assert (refused.exit_code, refused.stderr) == (
        3,
        "Refused: No type travel.journeys. Existing types: travel.Trip.\n",
    )


def test_records_with_values_that_are_not_certain_are_listed_with_the_reasons() -> None:
    trip()
    said = json.loads(uac("add", "ana", "Rome the day before the concert", "--json").stdout)["positions"][0]
    fields = {"city": "Rome", "start": "2026-06-01"}
    why = {"start": "code read no date"}
    put = {"op": "put", "type": "travel.Trip", "fields": fields, "unsure": why, "cites": [said]}
    assert uac("checkpoint", "ana", "-", stdin=json.dumps([put])).exit_code == 0
    listed = uac("records", "ana", "--unsure").output.splitlines()
    record = listed[0].partition(" ")[0]
    assert listed == [f"{record}  city=Rome, start=2026-06-01", "    unsure start: code read no date"]
    assert [line["unsure"] for line in lines(uac("records", "ana", "--json"))] == [{}, why]
    explained = uac("explain", "ana", record, "start").output.splitlines()
    assert explained[0] == f"{record}.start = 2026-06-01  [latest]  (unsure: code read no date)"
    uac("correct", "ana", record, "start", "2026-06-01")
    assert uac("records", "ana", "--unsure").stdout == ""


def test_a_correction_and_its_retraction_show_in_diff_and_explain() -> None:
    record = trip()
    before = lines(uac("log", "ana", "--json"))[-1]["position"]
    assert (
        uac("correct", "ana", record, "start", "2026-05-14", "--why", "a slip").output
        == f"ana: {record}.start is corrected, entry 4\n~ {record}.start: 2026-05-01 → 2026-05-14\n"
    )
    assert uac("diff", "ana", str(before)).output == f"~ {record}.start: 2026-05-01 → 2026-05-14\n"
    claims = lines(uac("explain", "ana", record, "start", "--json"))[0]["claims"]
    assert [(claim["value"], claim["stands"], claim["authority"]) for claim in claims] == [
        ("2026-05-01", False, "user"),
        ("2026-05-14", True, "correction"),
    ]
    assert f"~ {record}.start: 2026-05-14 → 2026-05-01" in uac("retract", "ana", "4", "--why", "it was right").output
    assert uac("records", "ana", "--as-of", "1").stdout == ""


def test_a_refused_checkpoint_says_what_to_mend_and_changes_nothing() -> None:
    position = json.loads(uac("add", "ana", "I fly to Rome soon", "--json").stdout)["positions"][0]
    patches = [{"op": "put", "type": "travel.Trip", "fields": {"city": "Rome", "start": "soon"}, "cites": [position]}]
    result = uac("checkpoint", "ana", "-", stdin=json.dumps(patches))
    assert result.exit_code == 3
    assert "patch 1 (put travel.Trip): start is 'soon'. Use a date that exists, YYYY-MM-DD." in result.stderr
    assert uac("records", "ana").stdout == ""
    patches[0]["fields"] = {"city": "Rome", "start": "2026-06-01"}
    assert uac("checkpoint", "ana", "-", "--dry-run", stdin=json.dumps(patches)).output.startswith("+ travel.Trip:#")
    assert uac("records", "ana").stdout == ""
    assert uac("checkpoint", "ana", "-", stdin=json.dumps(patches)).output.startswith(
        "ana: accepted, entry 3\n+ travel.Trip:#"
    )


def test_migrate_shows_the_difference_of_the_rendered_python() -> None:
    trip()
    patch = json.dumps([{"op": "rename_field", "type": "travel.Trip", "field": "city", "to": "town"}])
    shown = uac("migrate", "ana", "-", "--dry-run", stdin=patch).output
    assert "-    city: str" in shown
    assert "+    town: str" in shown
    assert '+        town="Paris",' in shown
    assert "city" in uac("manifest", "ana").output
    uac("migrate", "ana", "-", stdin=patch)
    assert "town" in uac("manifest", "ana").output
    refused = uac("migrate", "ana", "-", stdin='[{"op": "drop", "record": "x", "why": "y"}]')
    assert (refused.exit_code, "Use patches of types only" in refused.stderr) == (3, True)


def test_an_exported_folder_is_edited_and_adopted(tmp_path: Path) -> None:
    record = trip()
    folder = tmp_path / "ana"
    assert "files written" in uac("export", "ana", str(folder)).output
    state = folder / "domains" / "travel" / "state.py"
    state.write_text(state.read_text().replace("Paris", "Lyon"))
    assert uac("adopt", "ana", str(folder), "--dry-run").output == f"~ {record}.city: Paris → Lyon\n"
    assert "city=Paris" in uac("records", "ana").output
    uac("adopt", "ana", str(folder))
    assert "city=Lyon" in uac("records", "ana").output
    assert uac("export", "ana", str(tmp_path / "repository"), "--git", "--json").exit_code == 0


def test_a_folder_belongs_to_one_log_and_its_edits_are_not_lost(tmp_path: Path) -> None:
    record = trip()
    uac("define", "ben", "travel.Trip", "city:str", "start:date", "cost:Money | None", "--event", "--doc", "A journey.")
    uac("put", "ben", "travel.Trip", "city=Paris", "start=2026-05-01")
    folder = str(tmp_path / "ana")
    assert uac("export", "ana", folder).exit_code == 0
    for arguments in (["export", "ben", folder], ["adopt", "ben", folder], ["export", "ben", folder, "--git"]):
        result = uac(*arguments)
        assert (result.exit_code, "was exported from another log" in result.stderr) == (3, True)
    state = tmp_path / "ana" / "domains" / "travel" / "state.py"
    state.write_text(state.read_text().replace("Paris", "Lyon"))
    refused = uac("export", "ana", folder)
    complaint = f"has edits that were not adopted (1, such as {record}.city)"
    assert (refused.exit_code, complaint in refused.stderr) == (3, True)
    uac("adopt", "ana", folder)
    assert "already adopted" in uac("adopt", "ana", folder).output
    uac("correct", "ana", record, "city", "Nice")
    clash = uac("adopt", "ana", folder)
    assert (clash.exit_code, "edited to Lyon, and is Nice now" in clash.stderr) == (3, True)
    assert uac("export", "ana", folder, "--force").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["put", "ana", "travel.Trip", "city"], 3, "'city' is not a value. Use name=value."),
        (["put", "ana", "travel.Trip", "city=Paris", "start=soon"], 3, "start is 'soon'. Use a date"),
        (["put", "ana", "travel.Trap", "city=Paris"], 3, "There is no type travel.Trap. Did you mean travel.Trip?"),
        (["end", "nobody", "travel.Trip:x", "2026"], 3, "user 'nobody' has no log"),
        (["define", "ana", "travel.Trip", "city:str", "--event"], 3, "exists with other fields"),
        (["define", "ana", "Trip", "city:str", "--event"], 3, "Use domain.Type, such as health.Trip"),
        (["define", "ana", "food.Meal", "dish", "--event"], 3, "'dish' is not a field. Use name:type"),
        (["define", "ana", "food.Meal", "dish:str", "--event", "--policy", "dish=newest"], 3, "Use one of latest"),
        (["end", "ana", "travel.Trip:x", "2026"], 3, "No record"),
        (["drop", "ana", "travel.Trip:x", "--why", "twice"], 3, "No record"),
        (["compute", "ana", "1", "--seconds", "-1"], 2, "is not in the range"),
        (["define", "ana", "food.Meal", "x:object", "--event"], 3, "'object' is not a type"),
        (["records", "ana", "food.Meel"], 3, "No type food.Meel. Did you mean food.Meal?"),
        (["records", "ana", "--valid", "March"], 2, "is not a valid date"),
        (["records", "ana", "--as-of", "99"], 3, "position 99 is not in the log"),
        (["explain", "ana", "travel.Trip:x"], 3, "No record"),
        (["correct", "ana", "travel.Trip:x", "city", "Rome"], 3, "No record"),
        (["retract", "ana", "99", "--why", "x"], 3, "cites position 99"),
        (["compute", "ana", "1 / 0"], 6, "line 1: ZeroDivisionError: division by zero"),
        (["compute", "ana", "while True: pass", "--seconds", "0.3"], 6, "LimitError"),
        (["compute", "ana"], 2, "Give either CODE or --file"),
        (["compute", "ana", " "], 3, "The code is empty."),
        (["compute", "ana", "1", "--now", "2026-01-01"], 3, "has no time zone"),
        (["checkpoint", "ana", "missing.json"], 3, "cannot be read"),
        (["adopt", "ana", "/nowhere"], 3, "is not an exported project"),
    ],
)
def test_bad_input_gets_one_clear_line(arguments: list[str], code: int, complaint: str) -> None:
    result = uac(*arguments)
    assert (result.exit_code, complaint in result.stderr) == (code, True), result.stderr


def test_compute_says_what_it_read_and_whether_it_is_complete() -> None:
    trip()
    result = lines(uac("compute", "ana", "[t.start for t in travel.trips]", "--json", "--now", "2026-03-01T12:00Z"))[0]
    assert result.pop("seconds") >= 0
    assert result == {
        "value": ["2026-05-01"],
        "python": "[datetime.date(2026, 5, 1)]",
        "printed": "",
        "position": 3,
        "is_complete": True,
        "complete": True,
        "unread": 0,
        "reads": [
            {
                "collection": "travel.trips",
                "records": 1,
                "waiting": 0,
                "stuck": 0,
                "aside": 0,
                "incomplete": 0,
                "conflicts": 0,
                "facts": [],
                "lacks": "",
            }
        ],
        "engine": "auto",
    }


def test_a_record_is_ended_and_another_dropped() -> None:
    first, second = trip(), trip()
    assert (
        uac("end", "ana", first, "2026-04", "--why", "cancelled").output
        == f"ana: ended, entry 7\n~ {first} ended 2026-04\n"
    )
    result = lines(uac("drop", "ana", second, "--why", "told twice", "--json"))[0]
    assert (result["position"], result["changes"][0]["change"], result["changes"][0]["what"]) == (8, "removed", second)
    assert uac("compute", "ana", "len(travel.trips), len(travel.former_trips)").stdout == "(0, 1)\n"
    over, sentence = uac("explain", "ana", first, "city").output.splitlines()[-2:]
    assert over == "  cancelled 2026-04: cancelled  [entry 7]"
    assert sentence.endswith(f"entry 6: “{first} ended 2026-04: cancelled”")
    assert lines(uac("explain", "ana", first, "city", "--json"))[0]["end_evidence"][0]["observation"] == 6
    gone = uac("explain", "ana", second, "city").stderr
    assert gone == f"Refused: No record {second!r}: it was dropped (told twice). Use an id from 'uac records'.\n"


def test_a_reference_is_written_as_people_write_it() -> None:
    uac("define", "ana", "people.Person", "name:str", "--key", "name")
    uac("define", "ana", "people.Pet", "name:str", "owner:people.Person", "--key", "name")
    uac("put", "ana", "people.Person", "name=Eva Berg")
    for owner in ("Eva Berg", "eva berg", "people.Person:eva berg"):
        assert uac("put", "ana", "people.Pet", "name=Rex", f"owner={owner}").exit_code == 0
    assert lines(uac("records", "ana", "people.Pet", "--json"))[0]["values"] == {"name": "Rex", "owner": "eva berg"}
    assert uac("explain", "ana", "people.Person:Eva Berg", "name").exit_code == 0


def test_a_change_that_changes_nothing_says_so() -> None:
    record = trip()
    early = json.loads(uac("add", "ana", "Rome", "--at", "2020-01-01T00:00Z", "--json").stdout)["positions"][0]
    patches = [{"op": "amend", "record": record, "fields": {"city": "Rome"}, "cites": [early]}]
    result = uac("checkpoint", "ana", "-", stdin=json.dumps(patches))
    assert (result.exit_code, "no value changed" in result.stderr) == (0, True)
    assert "city=Paris" in uac("records", "ana").output


def test_a_conflict_waits_for_the_users_decision() -> None:
    uac("define", "ana", "home.Key", "door:str", "code:str", "--key", "door", "--policy", "code=ask")
    uac("put", "ana", "home.Key", "door=front", "code=1")
    uac("put", "ana", "home.Key", "door=front", "code=2")
    assert uac("conflicts", "ana").output == "home.Key:front.code: 1 (user) or 2 (user)\n"
    assert json.loads(uac("conflicts", "ana", "--json").stdout) == {
        "record": "home.Key:front",
        "field": "code",
        "claims": ["1", "2"],
        "attributions": ["user", "user"],
    }
    uac("correct", "ana", "home.Key:front", "code", "2")
    assert uac("conflicts", "ana").stdout == ""


@pytest.mark.parametrize(
    ("code", "shown", "value"),
    [
        ("Counter((t.city, 1) for t in travel.trips)", "{('Paris', 1): 1}", {"['Paris', 1]": 1}),
        ("travel.trips[0].cost", "300 EUR", "300 EUR"),
        ("(1,)", "(1,)", [1]),
        ("float('inf')", "inf", "inf"),
        ("timedelta(hours=36)", "datetime.timedelta(days=1, seconds=43200)", "P1DT12H"),
        ("-len(travel.trips)", "-1", -1),
        ("{3, 1}", "{1, 3}", [1, 3]),
    ],
)
def test_results_are_shown_to_people_and_as_json(code: str, shown: str, value: Any) -> None:
    trip()
    assert uac("compute", "ana", code).output == f"{shown}\n"
    assert lines(uac("compute", "ana", code, "--json"))[0]["value"] == value


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[]", "Use a JSON list of at least one"),
        ("{", "is not JSON"),
        ('[{"op": "explode"}]', "patch 1 (explode): Invalid value 'explode'"),
        (
            '[{"op": "drop", "record": "x", "why": "y"}, {"op": "end", "record": "x"}]',
            "patch 2 (end): Object missing required field `when`",
        ),
    ],
)
def test_patches_that_cannot_be_read_are_named(text: str, complaint: str) -> None:
    result = uac("checkpoint", "ana", "-", stdin=text)
    assert (result.exit_code, complaint in result.stderr) == (3, True), result.stderr


def test_coverage_and_conflicts_are_shown() -> None:
    trip()
    assert uac("coverage", "ana").output == "0 facts waiting\n"
    nothing: dict[str, Any] = {
        "waiting": [],
        "aside": {},
        "domains": {},
        "orphans": [],
        "unread": [],
        "second_look": [],
        "stuck": {},
    }
    assert lines(uac("coverage", "ana", "--json")) == [nothing]
    assert uac("conflicts", "ana").stdout == ""


def test_a_type_of_ones_own_in_place_of_a_packs_is_told_with_what_it_costs(store: Path) -> None:
    done = CliRunner().invoke(main, ["define", "ana", "health.Allergy", "substance:str", "--key", "substance"])
    assert done.exit_code == 0
    assert "the pack health has a health.Allergy of its own" in done.stderr
    assert "uac retract ana 2 undoes this" in done.stderr
    assert CliRunner().invoke(main, ["define", "ana", "pets.Pet", "name:str", "--key", "name"]).stderr == ""


def test_two_records_are_merged_and_a_retraction_undoes_it() -> None:
    uac("put", "ana", "people.Person", "name=Jonas", "relation=brother")
    uac("put", "ana", "people.Person", "name=Jonas Peters", "lives_in=Bonn")
    assert "Are Jonas and Jonas Peters the same person?" in uac("alerts", "ana").output
    merged = uac("merge", "ana", "people.Person:jonas", "people.Person:Jonas Peters")
    position = re.search(r"uac retract ana (\d+)", merged.stderr)
    assert (merged.exit_code, position is not None) == (0, True)
    assert "the same person" not in uac("alerts", "ana").output
    assert [record["record"] for record in lines(uac("records", "ana", "people.Person", "--json"))] == [
        "people.Person:jonas peters"
    ]
    uac("retract", "ana", position.group(1) if position else "", "--why", "two people")
    assert len(lines(uac("records", "ana", "people.Person", "--json"))) == 2


def test_every_reading_command_takes_the_three_clocks() -> None:
    record = trip()
    said = "2026-03-01"
    for clocks in (["--told", said], ["--known", "3"], ["--as-of", "3"], ["--valid", "2026-05-01", "--told", said]):
        assert uac("compute", "ana", "len(travel.trips)", *clocks).stdout == "1\n"
        assert record in uac("records", "ana", *clocks).stdout
        assert f"{record}.city = Paris" in uac("explain", "ana", record, "city", *clocks).stdout
        assert "Paris" in uac("context", "ana", "Paris", *clocks).stdout
        assert "Paris" in uac("recall", "ana", "Paris", *clocks, "--without", "meaning").stdout
        assert "travel" in uac("manifest", "ana", *clocks).stdout
    for clocks in (["--told", "2026-02-28"], ["--known", "1"], ["--valid", "2026-04-30"]):
        assert uac("compute", "ana", "len(travel.trips)", *clocks).stdout == "0\n"
        assert uac("records", "ana", *clocks).stdout == ""
        assert uac("explain", "ana", record, "city", *clocks).exit_code == 3
    assert uac("diff", "ana", "2026-02-28", said, "--clock", "told").output == f"+ {record}\n"
    assert uac("diff", "ana", "2026-04-30", "2026-05-01", "--clock", "valid", "--told", said).output == f"+ {record}\n"
    assert uac("diff", "ana", "1", "3").output == uac("diff", "ana", "1", "3", "--clock", "known").output
    assert "--told is given twice" in uac("diff", "ana", said, "--clock", "told", "--told", said).output


def test_code_over_what_was_not_known_yet_says_just_that() -> None:
    trip()
    refused = uac("compute", "ana", "len(travel.trips)", "--known", "0")
    assert (refused.exit_code, refused.stderr) == (
        3,
        "Refused: Nothing about travel was known at position 0. Ask for a later time or position.\n",
    )


def test_a_mistyped_record_is_answered_with_the_similar_ones() -> None:
    assert uac("put", "ana", "health.Allergy", "substance=penicillin").exit_code == 0
    for typed in ("health.Allergy:penicilin", "health.Alergy:penicillin", "penicillin"):
        refused = uac("explain", "ana", typed)
        assert (refused.exit_code, refused.stderr) == (
            3,
            f"Refused: No record {typed!r}. Did you mean health.Allergy:penicillin?\n",
        )
    refused = uac("explain", "ana", "health.Allergy:wasps")
    assert refused.stderr == "Refused: No record 'health.Allergy:wasps'. Use an id from 'uac records'.\n"


def test_the_explanation_of_a_whole_record_leaves_out_fields_without_claims() -> None:
    assert uac("put", "ana", "health.Allergy", "substance=penicillin", "reaction=hives").exit_code == 0
    explained = uac("explain", "ana", "health.Allergy:penicillin").output
    headings = [line.partition(" = ")[0] for line in explained.splitlines() if not line.startswith(" ")]
    assert headings == ["health.Allergy:penicillin.substance", "health.Allergy:penicillin.reaction"]
    whole = lines(uac("explain", "ana", "health.Allergy:penicillin", "--json"))
    assert [each["field"] for each in whole if not each["claims"]] != []
    assert uac("explain", "ana", "health.Allergy:penicillin", "since").output == (
        "health.Allergy:penicillin.since = None  [latest]\n"
    )


def test_a_wrong_end_of_a_difference_is_named_as_it_was_given() -> None:
    refused = uac("diff", "ana", "1", "tomorrow")
    assert (refused.exit_code, "Error: AFTER: 'tomorrow' is not a valid time." in refused.stderr) == (2, True)


def test_code_over_a_domain_without_records_is_answered_with_that() -> None:
    failed = uac("compute", "ana", "len(health.allergies)")
    assert (failed.exit_code, failed.stderr) == (
        6,
        "CodeError: line 1: NameError: name 'health' is not defined. There are no records of health yet.\n",
    )
    assert "There are no records" not in uac("compute", "ana", "healt").stderr
