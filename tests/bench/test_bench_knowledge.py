"""The cases of uac-bench knowledge are what they claim to be, and are judged by the alerts that they raise."""

from collections import Counter

import msgspec
from click.testing import CliRunner

from uac_bench import bench_knowledge as bench
from uac_bench.bench_knowledge import knowledge_cases, medicine_names
from uac_bench.pack_sizes import GOAL, PackSizes, describe_pack_sizes


def test_there_are_enough_cases_a_third_is_silent_and_each_names_its_source() -> None:
    cases = list(knowledge_cases())
    expects = Counter(case.expect for case in cases)
    assert len(cases) >= 400
    assert set(expects) == {"critical", "warning", "info", "silent"}
    assert 0.29 < expects["silent"] / len(cases) < 0.4
    assert [case.id for case in cases if not case.source or not case.records] == []
    assert len({case.id for case in cases}) == len(cases)


def test_half_of_each_set_is_only_to_report_and_later_cases_are_only_to_develop_on() -> None:
    cases = list(knowledge_cases())
    first = Counter((case.set, case.half) for case in cases if int(case.id.rpartition("-")[2]) <= 300)
    sets = sorted({name for name, _half in first})
    assert [name for name in sets if not 0 <= first[name, "develop"] - first[name, "report"] <= 1] == []
    assert {case.half for case in cases if int(case.id.rpartition("-")[2]) > 300} == {"develop"}


def test_no_country_has_a_name_twice_and_together_they_are_more_than_three_hundred() -> None:
    names = list(medicine_names())
    assert len({(each.country, each.name.lower()) for each in names}) == len(names) > 300
    assert sorted({each.country for each in names}) == ["Germany", "United Kingdom", "United States"]


def test_cases_are_counted_by_the_worst_alert_and_names_by_the_ingredient_that_a_rule_sees(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    wanted = ("allergies-001", "allergies-054", "interactions-021")
    cases = [case for case in knowledge_cases() if case.id in wanted]
    known = next(each for each in medicine_names() if each.name == "Advil")
    unknown = bench.MedicineName(country="Utopia", name="Zubrolin", holds="ibuprofen")
    monkeypatch.setattr(bench, "knowledge_cases", lambda: iter(cases))
    monkeypatch.setattr(bench, "medicine_names", lambda: iter([known, unknown]))
    shown = CliRunner().invoke(bench.bench_knowledge, ["--verbose"]).output
    assert "United States: 1 of 1 names recognised" in shown
    assert "Utopia: 0 of 1 names recognised" in shown
    assert "instead of" not in shown


def test_packs_add_about_half_of_their_json_to_a_store_and_almost_nothing_with_each_further_user() -> None:
    sizes = msgspec.json.decode(CliRunner().invoke(bench.bench_knowledge, ["--size", "--json"]).output, type=PackSizes)
    assert sizes.first_user < min(0.6 * sizes.json, GOAL)
    assert sizes.further_user < 10_000
    assert f"All packs add {sizes.first_user / 1000:,.0f} kB" in describe_pack_sizes(sizes)
