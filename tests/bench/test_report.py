"""uac-bench report: the cases are played, the figures are those of the runs, and no text of the data gets out."""

import json
import re
from dataclasses import replace
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from support.bench_runs import DIGEST, sample_run
from support.browser import HOSTILE
from support.page_loads import loads_of_page, loads_of_style
from support.paths import ROOT
from uac.errors import Refused
from uac_bench import main
from uac_bench.report.curves import draw_curve
from uac_bench.report.results import published_tables, run_section, without_texts
from uac_bench.report.site import build_site, page_html
from uac_bench.report.story import PlayedCase, UnexpectedStory, play_case, play_story
from uac_bench.report.story_turns import ALLERGY, CASES, CORRECTION, COUNT, RIDES
from uac_bench.runs import BenchItem, BenchRun, Curve, CurvePoint, System, load_runs


@pytest.fixture(scope="module")
def story() -> tuple[PlayedCase, ...]:
    return play_story()


def text_of(markup: str) -> str:
    return re.sub("<[^>]*>", "", markup)


# -- the story ---------------------------------------------------------------------------------------------------------


def test_each_case_ends_with_an_alert_that_was_not_there_before(story: tuple[PlayedCase, ...]) -> None:
    assert [(each.case.name, each.alert.constraint, each.alert.severity, each.was_silent) for each in story] == [
        ("allergy", "drug_allergy", "critical", True),
        ("passport", "passport_validity", "critical", True),
        ("transfers", "conflicting_transfers", "critical", True),
        ("count", "budget_exceeded", "warning", True),
        ("correction", "subscription_renewal", "warning", True),
    ]


def test_each_case_shows_its_log_its_code_the_difference_the_rule_and_the_evidence(
    story: tuple[PlayedCase, ...],
) -> None:
    for played in story:
        case = played.case
        assert case.turns[-1].text in [entry.line for entry in played.entries if entry.is_new], case.name
        assert {entry.kind for entry in played.entries if entry.is_new} >= {"fact", "record", "alert"}, case.name
        assert played.blocks, case.name
        added = [line for hunk in played.hunks for line in hunk.lines if line.sign == "+"]
        assert added, case.name
        assert text_of(played.rule.lines[0].text) == f"def {case.constraint}(user, now):"
        assert all(quote in (one.words or "") for one in played.quotes for quote in one.quotes), case.name
        assert {one.words for one in played.quotes} <= {turn.text for turn in case.turns}, case.name
        assert case.constraint in played.reason


def test_a_case_that_does_not_go_as_told_is_refused() -> None:
    *before, last = ALLERGY.turns
    harmless = replace(
        last,
        text="Dr. Weber gave me cetirizine.",
        facts=(("Dr. Weber gave the user cetirizine.", "Dr. Weber gave me cetirizine"),),
        records=({"op": "put", "type": "health.Medication", "fields": {"name": "cetirizine"}, "cites": [1]},),
    )
    with pytest.raises(UnexpectedStory, match="0 alerts of drug_allergy"):
        play_case(replace(ALLERGY, turns=(*before, harmless)))


def test_the_count_is_exact_and_no_retrieval_has_it(story: tuple[PlayedCase, ...]) -> None:
    played = story[CASES.index(COUNT)]
    amounts = [record["fields"]["amount"] for turn in COUNT.turns for record in turn.records if record["type"] == RIDES]
    total = sum(Decimal(amount.split()[0]) for amount in amounts)
    assert played.answers[-1].value == f"{len(amounts)} rides, {total} EUR"
    assert {(count.top, count.found + count.other) for count in played.counts} == {(20, 20), (50, 50)}
    assert all(0 < count.found < len(amounts) and not count.is_right for count in played.counts)
    assert len(played.sentences) == len(amounts)


def test_a_correction_changes_the_answer_and_both_sentences_remain(story: tuple[PlayedCase, ...]) -> None:
    played = story[CASES.index(CORRECTION)]
    assert [answer.value for answer in played.answers] == ["2026-05-02", "2026-04-01"]
    assert played.explanation is not None
    claims = [(str(one.claim.value), one.stands) for one in played.explanation.claims]
    assert claims == [("2026-06-01", False), ("2026-05-01", True)]


# -- the figures -------------------------------------------------------------------------------------------------------


def test_the_page_has_the_figures_of_a_run_and_how_to_repeat_it(story: tuple[PlayedCase, ...]) -> None:
    page = page_html([sample_run()], story)
    text = re.sub(r"\s+", " ", text_of(page))
    for part in (
        "8/8",
        "67.6–100.0",
        "3/8 (1 failed)",
        "37.5 %",
        "13.7–69.4",
        "0.0625",
        "uac-bench growth --seed 7 --out runs",
    ):
        assert part in text
    for part in (DIGEST, "0b" * 32, "abc123def456", "2 cores", 'href="runs/growth.json"', "A note.", "3.2"):
        assert part in page
    assert "secret" not in page


def test_systems_are_compared_by_their_paired_answers() -> None:
    section = run_section(sample_run())
    assert [(row.system.name, row.share.right, row.share.of, row.failed, row.p) for row in section.rows] == [
        ("ours", 8, 8, 0, ""),
        ("peer", 3, 8, 1, "0.0625"),
    ]
    assert section.groups is not None
    assert [row[0] for row in section.groups.rows] == ["few", "many"]


def test_parts_of_ours_that_answered_different_items_are_compared_by_the_suite_alone() -> None:
    run = BenchRun(
        suite="ablation",
        command="uac-bench ablation",
        about="",
        code="abc",
        systems=(System("ours", is_ours=True), System("without words", is_ours=True)),
        items=(
            BenchItem(id="a", system="ours", verdict="right"),
            BenchItem(id="b", system="ours", verdict="right"),
            BenchItem(id="b", system="without words", verdict="wrong"),
        ),
    )
    assert run_section(run).rows == ()
    same = msgspec.structs.replace(run, items=run.items[1:])
    assert [row.system.name for row in run_section(same).rows] == ["ours", "without words"]


def test_the_page_says_which_figures_come_from_live_models(story: tuple[PlayedCase, ...]) -> None:
    def marks(*runs: str) -> list[str]:
        made = [
            sample_run(name, is_live=name == "live", model={"none": ""}.get(name, f"vendor:{name}")) for name in runs
        ]
        return [
            text_of(found)
            for found in re.findall(
                r"<p class=\"note[^>]*data-live>.*?</p>|<span class=\"badge (?:warning|info|good)\">(?:live|replies|no live).*?</span>",
                page_html(made, story),
            )
        ]

    assert marks("none", "recorded") == [
        "No figure measured here comes from a live model. Recorded answers of others are marked.",
        "no live model",
        "replies: vendor:recorded",
    ]
    assert marks("live", "none") == [
        "Figures from live models: live (vendor:live). All others were measured without one.",
        "live model: vendor:live",
        "no live model",
    ]


def test_published_figures_name_their_source_and_their_terms() -> None:
    tables = published_tables()
    assert all(table.source and table.terms and table.rows and table.ours_is for table in tables)
    assert {len(row) - len(table.columns) for table in tables for row in table.rows} == {0}


def test_our_figure_is_beside_published_ones_if_its_suite_was_run(story: tuple[PlayedCase, ...]) -> None:
    ours = BenchRun(
        suite="analytical",
        command="uac-bench analytical --data DATA",
        about="A test.",
        code="abc",
        systems=(System("user-as-code", is_ours=True),),
        items=(BenchItem(id="1", system="user-as-code", verdict="right"),),
    )
    lines = [text_of(line) for line in page_html([ours], story).splitlines() if "<strong>Ours.</strong>" in line]
    assert "100.0 % of 1 (20.7–100.0)" in lines[0]
    assert not any("% of" in line for line in lines[1:])


@given(
    st.lists(
        st.tuples(st.floats(1e-3, 1e9), st.floats(0, 1e12), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=6
    ),
    st.booleans(),
    st.sampled_from([380, 880]),
)
def test_a_curve_stays_inside_its_drawing(
    points: list[tuple[float, float, float, float]], is_log: bool, width: int
) -> None:
    line = tuple(CurvePoint(x, y, y * low, y * (1 + high)) for x, y, low, high in points)
    drawn = draw_curve(
        Curve(title="t", x="x", y="y", lines={"a": line, "b": line}, is_log_x=is_log), ["a"], width=width
    )
    view = re.search(r'viewBox="0 0 (\S+) (\S+)"', drawn.text)
    assert view is not None
    for name, limit in (("x", float(view[1])), ("y", float(view[2]))):
        places = [float(found) for found in re.findall(rf' (?:{name}[12]?|c{name})="([^"]*)"', drawn.text)]
        assert places
        assert all(0 <= place <= limit for place in places)


# -- the files ---------------------------------------------------------------------------------------------------------


class Elements(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("word", HOSTILE)
def test_no_text_of_a_run_becomes_markup(story: tuple[PlayedCase, ...], word: str) -> None:
    plain, hostile = (Elements(page_html([sample_run(word=each)], story)) for each in ("", word))
    assert [tag for tag, _ in hostile.found] == [tag for tag, _ in plain.found]
    assert [sorted(names) for _, names in hostile.found] == [sorted(names) for _, names in plain.found]


def test_the_site_is_whole_and_loads_only_its_own_files(story: tuple[PlayedCase, ...], tmp_path: Path) -> None:
    page = build_site([sample_run()], tmp_path, story=story)
    loaded = loads_of_page(page.read_text())
    assert sorted(set(loaded)) == ["icon.svg", "inspector.css", "pages.css", "report.css", "report.js"]
    for name in loaded:
        content = (tmp_path / name).read_text()
        assert loads_of_style(content) == []
        assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)|eval\(|innerHTML|insertAdjacent", content) == []


def test_the_same_runs_make_the_same_bytes() -> None:
    assert page_html([sample_run()], [play_case(COUNT)]) == page_html([sample_run()], [play_case(COUNT)])


def test_runs_are_copied_without_texts_unless_they_are_wanted(story: tuple[PlayedCase, ...], tmp_path: Path) -> None:
    run = sample_run()
    build_site([run], tmp_path / "plain", story=story)
    build_site([run], tmp_path / "whole", story=story, texts=True)
    assert load_runs(tmp_path / "plain" / "runs") == (without_texts(run),)
    assert load_runs(tmp_path / "whole" / "runs") == (run,)


@given(st.text(min_size=1), st.text(min_size=1), st.text(min_size=1))
def test_a_stripped_run_has_no_text_of_its_items_and_the_same_figures(given_text: str, gold: str, why: str) -> None:
    run = sample_run()
    items = tuple(msgspec.structs.replace(item, given=given_text, gold=gold, why=why) for item in run.items)
    stripped = without_texts(msgspec.structs.replace(run, items=items))
    assert {(item.given, item.gold, item.why) for item in stripped.items} == {("", "", "")}
    assert run_section(stripped).rows == run_section(run).rows
    assert run_section(stripped).groups == run_section(run).groups


def test_the_runs_of_the_repository_have_no_texts_and_can_be_shown(story: tuple[PlayedCase, ...]) -> None:
    runs = load_runs(ROOT / "docs" / "benchmarks")
    assert runs
    assert runs == tuple(map(without_texts, runs))
    page = page_html(runs, story)
    assert [run.suite for run in runs if f'id="run-{run.suite}"' not in page] == []
    assert not any(run.is_live for run in runs)


def test_the_command_writes_the_page_and_the_stripped_runs(tmp_path: Path) -> None:
    runs, site, kept = (tmp_path / name for name in ("runs", "site", "kept"))
    runs.mkdir()
    (runs / "growth.json").write_bytes(msgspec.json.encode(sample_run()))
    arguments = ["report", str(runs), "--out", str(site), "--strip", str(kept), "--home", "../index.html"]
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert done.output.splitlines()[-1].endswith("index.html: five cases and 1 run")
    assert "secret" not in (kept / "growth.json").read_text()
    assert len(json.loads((kept / "growth.json").read_text())["items"]) == 16
    assert '<a href="../index.html">Documentation</a>' in (site / "index.html").read_text()


def test_a_file_that_is_not_a_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"suite": 3}')
    done = CliRunner().invoke(main, ["report", str(tmp_path), "--out", str(tmp_path / "site")])
    assert done.exit_code == 1
    assert "is not a run" in done.output
    assert not (tmp_path / "site").exists()


def test_the_name_of_a_suite_cannot_lead_out_of_the_folder(story: tuple[PlayedCase, ...], tmp_path: Path) -> None:
    with pytest.raises(Refused, match="names a file"):
        build_site([sample_run("../outside")], tmp_path / "site", story=story)
    assert not (tmp_path / "site" / "outside.json").exists()


def test_a_folder_without_runs_still_tells_the_story(story: tuple[PlayedCase, ...], tmp_path: Path) -> None:
    page = build_site([], tmp_path, story=story).read_text()
    assert "There is no run in the folder." in page
    assert all(played.case.title in page for played in story)
