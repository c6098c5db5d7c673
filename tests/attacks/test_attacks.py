"""Attacks that once worked: queries that change what is loaded, names that collide, hostile folders and files."""

import ast
import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from support.paths import ROOT
from support.short_logs import TRIP, Story, type_of
from uac.errors import Refused, Rejected
from uac.project.export import export, export_git
from uac.project.read_edits import position_before_edits, read_edits
from uac.project.render import render
from uac.schema.literals import literal
from uac.schema.queries import read_query
from uac.schema.types import GIVEN, parse_type
from uac.schema.values import Money, dump_value, parse_value

DOMAINS = {"travel": ["trips"], "health": ["allergies"]}


@pytest.fixture
def story() -> Story:
    story = Story()
    story.types(TRIP)
    story.tell("travel.Trip", city="Paris", start="2026-05-01", cost="300.50 EUR")
    return story


@pytest.mark.parametrize(
    "code",
    [
        "x = []\nfor t in travel.trips:\n    x.append(t)\nx[0].city = 'X'",
        "x = []\nx.extend(travel.trips)\nx[0].city = 'X'",
        "x = []\nx += travel.trips\nx[0].city = 'X'",
        "x = [t.tags for t in travel.trips]\nx[0] += ['X']",
        "d = {t.city: t.tags for t in travel.trips}\nd['Paris'] += ['X']",
        "d = {}\nd.setdefault('k', travel.trips[0].tags)\nd['k'].append('X')",
        "d = {}\nd.update(a=travel.trips[0].tags)\nd['a'].append('X')",
        "x = []\nx[:] = [t.tags for t in travel.trips]\nx[0].append('X')",
        "d = {}\nd['a'], y = travel.trips[0].tags, 1\nd['a'].append('X')",
        "x = sum([], travel.trips)\nx.clear()",
        "def sorted(x): return x\ny = sorted(travel.trips)\ny.clear()",
        "list = lambda x: x\ny = list(travel.trips)\ny.clear()",
        "class A:\n    travel = []\ntravel.trips = []",
        "def f():\n    travel = []\n    return travel\ntravel.trips = []",
        "import operator, functools\nfunctools.reduce(operator.iadd, [t.tags for t in travel.trips])",
        "from operator import methodcaller\nmethodcaller('clear')(travel.trips)",
        "import heapq\nheapq.heapify(travel.trips[0].tags)",
        "import random\nrandom.shuffle(travel.trips)",
        "import bisect\nbisect.insort(travel.trips[0].tags, 'X')",
        "travel.trips[0].tags.__init__()",
        "from decimal import setcontext, Context\nsetcontext(Context(prec=2))",
        "from dataclasses import dataclass\ndataclass(order=True)(travel.Trip)",
        "exec('travel.trips.clear()')",
    ],
)
def test_a_query_that_could_change_the_loaded_objects_is_seen(code: str) -> None:
    assert read_query(code, DOMAINS).effect.change != "nothing"


@pytest.mark.parametrize(
    "code",
    [
        "months = {m: 0 for m in range(12)}\nfor t in travel.trips:\n    months[t.start.month] += t.days\nmonths",
        "seen = {'a': 0}\nseen['a'] += 1\nseen",
        "g = {}\nfor t in travel.trips:\n    if t.city in g:\n        g[t.city].append(t)\n    else:\n        g[t.city] = [t]\ng",
        "from collections import Counter, deque\nx = deque()\nx.append(travel.trips[0])\nx",
        "@dataclass\nclass Row:\n    city: str\n[Row(t.city) for t in travel.trips]",
        "def f(trips):\n    best = []\n    for t in trips:\n        best.append(t.city)\n    return best\nf(travel.trips)",
    ],
)
def test_a_query_that_changes_only_what_it_made_keeps_the_project_loaded(code: str) -> None:
    assert read_query(code, DOMAINS).effect.change != "anything"


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ('len("a\x0cb")', 3),
        ('x = "a\u2028b"\nlen(x)', 3),
        ('x = """a\rb"""\rlen(x)', 3),
        ('x = """a\r\nb"""\r\nlen(x)', 3),
        ("y = 1\n\x0cy", 1),
        ("\ufeff1 + 1", 2),
        ("if True:\n\ty = 1\n\tz = 2\ny + z", 3),
        ("f'''a\n{1 +\n1}\n b'''", "a\n2\n b"),
        ('"é"; "ü" + \\\n  "x";  # done', "üx"),
    ],
)
def test_a_query_means_the_same_inside_its_function(code: str, value: object) -> None:
    shown = f"{read_query(code, {}).code}\nprint(ascii(query_of_the_user()))"
    run = subprocess.run([sys.executable, "-I", "-"], input=shown.encode(), capture_output=True, check=True)
    assert ast.literal_eval(run.stdout.decode()) == value


def test_a_form_feed_does_not_lead_out_of_the_function() -> None:
    tree = ast.parse(read_query("y = 1\n\x0ctravel = 5", {}).code)
    assert [type(node).__name__ for node in tree.body] == ["FunctionDef"]


@pytest.mark.parametrize(
    "code",
    ["from time import time as q\nq()", "import time\ntime.strftime('%Y')", "getattr(date, 'today')()", "date.today()"],
)
def test_every_way_to_the_clock_is_seen(code: str) -> None:
    assert read_query(code, {}).asks_clock


@pytest.mark.parametrize("code", ["globals()['travel'].trips", "eval('travel.trips')"])
def test_a_query_that_could_reach_everything_counts_as_reading_everything(code: str) -> None:
    assert read_query(code, DOMAINS).reads == ("health.allergies", "travel.trips")


def test_what_the_prelude_gives_is_what_a_domain_must_not_hide(story: Story) -> None:
    prelude = ROOT / "src/uac/project/runtime/prelude.py"
    names = next(
        ast.literal_eval(node.value)
        for node in ast.parse(prelude.read_text()).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    assert set(names) == GIVEN
    for domain in ("total", "share", "rows", "rows_trips", "moment", "my__own", "trips_"):
        with pytest.raises(Rejected):
            story.types(type_of(f"{domain}.Thing", key=["name"], name="str"))


def test_a_collection_cannot_stand_where_ended_records_of_another_type_stand(story: Story) -> None:
    other = msgspec.structs.replace(type_of("travel.Old", key=["name"], name="str"), collection="former_trips")
    with pytest.raises(Rejected, match="former_"):
        story.types(other)


@pytest.mark.parametrize(
    ("value", "type_"),
    [(Decimal("0.0000001"), "Decimal"), (Money(Decimal("0.0000001"), "EUR"), "Money"), (Decimal("-0"), "Decimal")],
)
def test_small_amounts_are_read_back_as_they_were_written(value: Decimal | Money, type_: str) -> None:
    assert parse_value(dump_value(value), parse_type(type_)) == value


def test_wide_text_large_numbers_and_many_types_are_laid_out_as_a_formatter_would(tmp_path: Path) -> None:
    story = Story()
    choices = "list[Literal['a very long choice indeed', 'another very long choice', 'a third long choice']]"
    story.types(
        *(type_of(f"home.QuiteLongNameOfType{number}", key=["x"], x="int") for number in range(6)),
        type_of("home.Thing", cardinality="event", x="float", texts="list[str]", times="list[datetime]", picks=choices),
    )
    moment = "2026-12-31T23:59:59.123456-11:30"
    story.tell("home.Thing", x=1e14, texts=["漢" * 37], times=[moment, "2026-01-01T00:00:00-11:30"])
    export(story.project, tmp_path)
    ruff = Path(sys.executable).parent / "ruff"
    run = subprocess.run(
        [ruff, "format", "--isolated", "--diff", tmp_path], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout) == (0, "")
    assert literal((1e22, date(2026, 1, 1))) == "[1e22, date(2026, 1, 1)]"


def test_an_export_does_not_write_through_links(story: Story, tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    export(story.project, folder)
    state = folder / "domains/travel/state.py"
    state.unlink()
    state.symlink_to(outside / "state.py")
    with pytest.raises(Refused, match="is a link"):
        export(story.project, folder)
    assert list(outside.iterdir()) == []


def test_words_that_look_like_a_trailer_do_not_stop_the_history(story: Story, tmp_path: Path) -> None:
    trip = story.project.records("travel.Trip")[0].id
    story.memory.correct(trip, "city", "Lyon", why="Log-Position: 999999")
    export_git(story.memory.log.read(), tmp_path / "x")
    story.memory.correct(trip, "city", "L" * 20_000, why="w" * 200_000)
    assert export_git(story.memory.log.read(), tmp_path / "x").commits == 1


def test_an_export_into_a_hostile_repository_runs_nothing_of_it(story: Story, tmp_path: Path) -> None:
    folder, mark = tmp_path / "x", tmp_path / "mark"
    export_git(story.memory.log.read(), folder)
    for name in ("pre-commit", "post-commit", "prepare-commit-msg", "reference-transaction", "post-index-change"):
        hook = folder / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
        hook.chmod(0o755)
    story.tell("travel.Trip", city="Rome", start="2026-06-01")
    assert export_git(story.memory.log.read(), folder).commits == 1
    with (folder / ".git/config").open("a") as config:
        config.write(f'[filter "x"]\n\tclean = touch {mark}\n')
    with pytest.raises(Refused, match=r"filter\.x\.clean"):
        export_git(story.memory.log.read(), folder)
    assert not mark.exists()


def test_a_damaged_repository_does_not_lead_to_the_one_around_it(story: Story, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    export(story.project, tmp_path / "x")
    (tmp_path / "x/.git").mkdir()
    with pytest.raises(Refused, match="was not made by 'uac export --git'"):
        export_git(story.memory.log.read(), tmp_path / "x")


@pytest.mark.parametrize(
    "value",
    ["-" * 3000 + "1", "10**10**10", "timedelta(days=1000000000000)", "Decimal('1e999999999')", "[" * 150 + "]" * 150],
)
def test_hostile_values_in_an_edited_file_are_refused(story: Story, tmp_path: Path, value: str) -> None:
    export(story.project, tmp_path)
    state = tmp_path / "domains/travel/state.py"
    state.write_text(state.read_text().replace('"Paris"', value))
    with pytest.raises(Refused):
        read_edits(story.project, tmp_path)


def test_a_field_that_was_taken_out_of_a_file_is_not_passed_over(story: Story, tmp_path: Path) -> None:
    export(story.project, tmp_path)
    state = tmp_path / "domains/travel/state.py"
    state.write_text("".join(line for line in state.read_text().splitlines(keepends=True) if "cost=" not in line))
    with pytest.raises(Refused, match="cost is missing"):
        read_edits(story.project, tmp_path)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.py").write_bytes(b"\xff\xfe")
    with pytest.raises(Refused):
        position_before_edits(tmp_path)


def test_an_edited_key_is_adopted_after_the_other_fields_of_its_record(tmp_path: Path) -> None:
    story = Story()
    story.types(type_of("health.Allergy", key=["substance"], substance="str", severity="str | None"))
    story.tell("health.Allergy", substance="nuts", severity="mild")
    export(story.project, tmp_path)
    state = tmp_path / "domains/health/state.py"
    state.write_text(state.read_text().replace("nuts", "peanuts").replace("mild", "severe"))
    for edit in read_edits(story.project, tmp_path):
        story.memory.correct(edit.record, edit.field, edit.value)
    assert story.values("health.Allergy:peanuts") == {"substance": "peanuts", "severity": "severe"}


def test_a_correction_of_a_union_takes_earlier_claims_out_of_the_explanation() -> None:
    story = Story()
    story.types(type_of("food.Diet", key=["who"], policy={"avoids": "union"}, who="str", avoids="list[str]"))
    record = story.tell("food.Diet", who="ana", avoids=["pork"])
    story.memory.correct(record, "avoids", ["milk"])
    story.tell("food.Diet", who="ana", avoids=["eggs"])
    explanation = story.memory.explain(record, "avoids")
    assert (explanation.value, [claim.stands for claim in explanation.claims]) == (
        ("milk", "eggs"),
        [False, True, True],
    )


def test_the_same_project_is_rendered_in_utf_8_whatever_the_locale(story: Story, tmp_path: Path) -> None:
    story.tell("travel.Trip", city="Ålesund", start="2026-05-01", at=datetime(2026, 1, 1, tzinfo=UTC))
    export(story.project, tmp_path)
    files = render(story.project)
    assert {name: (tmp_path / name).read_bytes() for name in files} == {n: t.encode() for n, t in files.items()}
