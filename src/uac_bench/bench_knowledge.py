"""uac-bench knowledge: whether the packs' tables and rules alert where labels and regulators warn, and only there.

Each case names its source. They were written from labels and regulators' texts as their authors knew them, without a
licence, and have six parts:

develop   written to develop on
report    at first only to report
fresh     written after the tables of both; these caught 35 of its 52 critical cases
fresh2    by another author, sealed, run once: 201 of 216 critical as critical, 2 of 213 false critical
fresh3    by a third one, sealed, run once: 154 of 156 critical as critical, 1 of 136 false critical
fresh4    by a fourth one, in two lots, each run once: 69 of 75 critical as critical, 1 of 67 false critical; and, after
          the misses of the first lot were mended, 50 of 52, and 2 of 43

All have been seen since, and the tables were extended by the classes that they showed to be missing. So they show what
the tables hold now, not what they would catch elsewhere: the second lot of fresh4 (`fresh4-second-…`), as it was run
once, is the estimate for other cases. The expectations of 25 older cases were changed after they were seen, where the
principle of severities in docs/concepts/packs.md says something else than their author did. Some near misses
that failed were left out of the part to develop on, so that its silent cases flatter.

The names are those by which people call the most used medicines in three countries; the tables were extended with these
names in view.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click
import msgspec

from uac.memory import (
    CASE_COUNTS,
    Expected,
    PackCase,
    case_counts,
    memory_with_packs,
    play_pack_cases,
    raised_severities,
    read_pack_cases,
)
from uac.packs import chosen_packs
from uac.schema import Json
from uac_bench.harness import OURS, SuiteRun, numbered_parts, out_option
from uac_bench.pack_sizes import describe_pack_sizes, measure_pack_sizes
from uac_bench.runs import BenchItem, Verdict

__all__ = ["MedicineName", "bench_knowledge", "knowledge_cases", "medicine_names"]

FOLDER = Path(__file__).parent / "knowledge"
ABOUT = "Dangers that medicine labels and food tables name, and near misses that must stay silent."
HALVES = ("develop", "report", "fresh", "fresh2", "fresh3", "fresh4")
GOALS = "Goals on the parts to report: at least 95 % of critical cases alert as critical, at most 1 % false critical."
PART = 100
"""The number of cases, or of names, that are measured together."""
AT_ONCE = 20
"""The number of names that are looked up in one write, each for a person of its own."""


class MedicineName(msgspec.Struct, frozen=True, kw_only=True):
    """A name of a medicine as people in a country use it, and one ingredient that it holds."""

    country: str
    name: str
    holds: str


@click.command("knowledge")
@click.option(
    "--half", type=click.Choice(HALVES), multiple=True, help="Only this part of the cases, without the names."
)
@click.option(
    "--verbose", is_flag=True, help="Also print the cases of the half to develop on, and the names, that fail."
)
@click.option("--size", is_flag=True, help="Only print what the packs add to users' logs.")
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_knowledge(half: tuple[str, ...], verbose: bool, size: bool, out_folder: Path | None, as_json: bool) -> None:
    """Measure how many dangers the packs report, as severe as labels make them, and how many false alarms they raise.

    Two thirds of the cases must alert; the others are near misses and must stay silent. Names of the most
    used medicines in the US, the United Kingdom and Germany must be recognised.
    """
    files = [FOLDER / "cases.jsonl", FOLDER / "medicines.jsonl"]
    suite = SuiteRun("knowledge", ABOUT, out_folder, as_json=as_json, data=files)
    out = suite.out
    if size:
        sizes = measure_pack_sizes()
        if as_json:
            out.json(msgspec.to_builtins(sizes))
        else:
            out.line(describe_pack_sizes(sizes))
        suite.finish()
        return
    cases = [case for case in knowledge_cases() if case.half in (half or HALVES)]
    parts = suite.measure("cases", partial(_play_cases, suite), numbered_parts(cases, PART), dict[str, Expected])
    found = {name: severity for part in parts.values() for name, severity in part.items()}
    counts: dict[str, Counter[str]] = {}
    failed: list[str] = []
    for case in cases:
        for name in (f"{case.half}, all", f"{case.half}, {case.set}"):
            counts.setdefault(name, Counter()).update(case_counts(case.expect, found[case.id]))
        if found[case.id] != case.expect and case.half == "develop":
            failed.append(f"{case.id}: {found[case.id]} instead of {case.expect}: {_shown(case)}")
    names = [] if half else list(medicine_names())
    missed = suite.measure("names", _unrecognised_names, numbered_parts(names, PART), list[MedicineName])
    unknown = [each for some in missed.values() for each in some]
    recognised = {
        country: (sum(each.country == country for each in names), [e.name for e in unknown if e.country == country])
        for country in sorted({each.country for each in names})
    }
    if as_json:
        out.json({"cases": {n: dict(c) for n, c in sorted(counts.items())}, "names": recognised})
    out.table(
        ("half, set", *CASE_COUNTS),
        [(name, *(str(counts[name][each]) for each in CASE_COUNTS)) for name in sorted(counts)],
    )
    for country, (number, missing) in recognised.items():
        out.line(f"{country}: {number - len(missing)} of {number} names recognised")
    out.line(GOALS)
    suite.compare(title="cases with exactly the severity that is due")
    suite.finish()
    if verbose:
        for line in (*failed, *(f"{country}: {', '.join(missing)}" for country, (_, missing) in recognised.items())):
            out.line(line)


def knowledge_cases() -> Iterator[PackCase]:
    """All cases, in order."""
    yield from read_pack_cases(FOLDER / "cases.jsonl")


def medicine_names() -> Iterator[MedicineName]:
    """The names of medicines, in order."""
    lines = (FOLDER / "medicines.jsonl").read_bytes().splitlines()
    yield from (msgspec.json.decode(line, type=MedicineName) for line in lines)


def _play_cases(suite: SuiteRun, cases: Sequence[PackCase]) -> dict[str, Expected]:
    """The most severe alert of each case, recorded as an item."""
    severities: dict[str, Expected] = {}
    for case, found in play_pack_cases(cases, chosen_packs("all")):
        severities[case.id] = found
        verdict: Verdict = "right" if found == case.expect else "wrong"
        suite.record(
            BenchItem(id=case.id, system=OURS, verdict=verdict, group=case.half, given=found, gold=case.expect)
        )
    return severities


def _unrecognised_names(names: Sequence[MedicineName]) -> list[MedicineName]:
    """The names whose ingredient no rule sees: who is allergic to it must get an alert about the medicine."""
    unknown: list[MedicineName] = []
    with closing(memory_with_packs(chosen_packs("all"), datetime(2026, 11, 16, 12, tzinfo=UTC))) as memory:
        for start in range(0, len(names), AT_ONCE):
            some = names[start : start + AT_ONCE]
            records: list[tuple[str, dict[str, Json]]] = []
            for number, each in enumerate(some):
                # With its strength, so that no two texts are equal as they stand.
                records.append(("health.Medication", {"name": f"{each.name} 10 mg", "person": f"Taker{number}"}))
                records.append(("health.Allergy", {"substance": each.holds, "person": f"Taker{number}"}))
            found = [alert for alert in raised_severities(memory, records) if alert.severity == "critical"]
            allergies = [alert.records for alert in found if alert.constraint == "drug_allergy"]
            known = {record.rpartition("|")[2] for records_of in allergies for record in records_of}
            unknown += [each for number, each in enumerate(some) if f"taker{number}" not in known]
    return unknown


def _shown(case: PackCase) -> str:
    return "; ".join(
        f"{name.rpartition('.')[2]} {', '.join(map(str, fields.values()))}" for name, fields in case.records
    )
