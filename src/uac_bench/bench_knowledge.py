"""uac-bench knowledge: whether the packs' tables and rules alert where labels and regulators warn, and only there.

The cases were written from labels and regulators' texts as their author knew them, without a licence; each names its
source. One half was there to develop on, the other only to report. The same author then extended the tables, so both
halves show what the tables hold now rather than what they would catch elsewhere. The fresh part was written after those
tables: they caught 35 of its 52 critical cases, which was the estimate until the tables were extended by the classes
that it showed to be missing. Only cases that nobody has seen can give another one. The names are those by which people
call the most used medicines in three countries; the tables were extended with these names in view.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from uac import Memory, Put, open_store
from uac.interfaces.cli import Output
from uac.packs import chosen_packs, needed_patches
from uac.sandbox import shared_sandbox
from uac.schema import Json
from uac_bench.pack_sizes import describe_pack_sizes, measure_pack_sizes

__all__ = ["KnowledgeCase", "MedicineName", "bench_knowledge", "knowledge_cases", "medicine_names"]

FOLDER = Path(__file__).parent / "knowledge"
HALVES = ("develop", "report", "fresh")
RANKS = ("silent", "info", "warning", "critical")
GOALS = "Goals on the parts to report: at least 95 % of critical cases alert as critical, at most 1 % false critical."
AT_ONCE = 20
"""The number of names that are looked up in one write, each for a person of its own."""


class KnowledgeCase(msgspec.Struct, frozen=True, kw_only=True):
    """Records of one user, and the severity of the alert that they must raise; `silent` if they must raise none."""

    id: str
    half: str
    set: str
    expect: str
    now: str
    source: str
    records: list[tuple[str, dict[str, Json]]]


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
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_knowledge(half: tuple[str, ...], verbose: bool, size: bool, as_json: bool) -> None:
    """Measure how many dangers the packs report, as severe as labels make them, and how many false alarms they raise.

    Two thirds of the cases must alert; the others are near misses and must stay silent. Names of the most
    used medicines in the US, the United Kingdom and Germany must be recognised.
    """
    out = Output(as_json=as_json)
    if size:
        sizes = measure_pack_sizes()
        if as_json:
            out.json(msgspec.to_builtins(sizes))
        else:
            out.line(describe_pack_sizes(sizes))
        return
    cases = [case for case in knowledge_cases() if case.half in (half or HALVES)]
    counts: dict[str, Counter[str]] = {}
    failed: list[str] = []
    with out.progress("cases", len(cases)) as bar:
        for case, found in _play_cases(cases):
            for name in (f"{case.half}, all", f"{case.half}, {case.set}"):
                counts.setdefault(name, Counter()).update(_verdict(case.expect, found))
            if found != case.expect and case.half == "develop":
                failed.append(f"{case.id}: {found} instead of {case.expect}: {_shown(case)}")
            bar.advance()
    names = [] if half else list(medicine_names())
    unknown = _unrecognised(names)
    recognised = {
        country: (sum(each.country == country for each in names), [e.name for e in unknown if e.country == country])
        for country in sorted({each.country for each in names})
    }
    if as_json:
        out.json({"cases": {n: dict(c) for n, c in sorted(counts.items())}, "names": recognised})
        return
    columns = (
        "cases",
        "must alert",
        "alert",
        "must be critical",
        "critical",
        "must be silent",
        "false alarm",
        "false critical",
    )
    out.table(
        ("half, set", *columns), [(name, *(str(counts[name][each]) for each in columns)) for name in sorted(counts)]
    )
    for country, (number, missing) in recognised.items():
        out.line(f"{country}: {number - len(missing)} of {number} names recognised")
    out.line(GOALS)
    if verbose:
        for line in (*failed, *(f"{country}: {', '.join(missing)}" for country, (_, missing) in recognised.items())):
            out.line(line)


def knowledge_cases() -> Iterator[KnowledgeCase]:
    """All cases, in order."""
    lines = (FOLDER / "cases.jsonl").read_bytes().splitlines()
    yield from (msgspec.json.decode(line, type=KnowledgeCase) for line in lines)


def medicine_names() -> Iterator[MedicineName]:
    """The names of medicines, in order."""
    lines = (FOLDER / "medicines.jsonl").read_bytes().splitlines()
    yield from (msgspec.json.decode(line, type=MedicineName) for line in lines)


def _verdict(expect: str, found: str) -> Counter[str]:
    is_silent = expect == "silent"
    return Counter(
        {
            "cases": 1,
            "must alert": int(not is_silent),
            "alert": int(not is_silent and found in ("warning", "critical")),
            "must be critical": int(expect == "critical"),
            "critical": int(expect == "critical" and found == "critical"),
            "must be silent": int(is_silent),
            "false alarm": int(is_silent and found in ("warning", "critical")),
            "false critical": int(expect != "critical" and found == "critical"),
        }
    )


def _play_cases(cases: Sequence[KnowledgeCase]) -> Iterator[tuple[KnowledgeCase, str]]:
    """Each case with the most severe alert that it raised; information counts as silence."""
    for day in sorted({case.now for case in cases}):
        with closing(_memory_with_packs(datetime.fromisoformat(f"{day}T12:00").replace(tzinfo=UTC))) as memory:
            for case in [case for case in cases if case.now == day]:
                found = _severities(memory, case.records)
                worst = max((alert for alert, _records in found), key=RANKS.index, default="silent")
                yield case, "silent" if worst == "info" and case.expect != "info" else worst


def _severities(memory: Memory, records: Sequence[tuple[str, dict[str, Json]]]) -> list[tuple[str, tuple[str, ...]]]:
    """The alerts that records raise in a memory without any: severity and records. The records are retracted again."""
    words = memory.add("the records of a case")
    position = memory.checkpoint(
        [Put(type=name, fields=fields, cites=(words,)) for name, fields in records], by="bench"
    )
    found: list[tuple[str, tuple[str, ...]]] = [
        (alert.severity, (alert.constraint, *alert.records)) for alert in memory.alerts()
    ]
    memory.retract([position], why="the case is over", reviewed=True)
    return found


def _memory_with_packs(now: datetime) -> Memory:
    packs = chosen_packs("all")
    memory = Memory(
        open_store("memory:", clock=lambda: now).log("ana"), sandbox=shared_sandbox(), packs=packs, clock=lambda: now
    )
    types = {type_.full_name for pack in packs for type_ in pack.types}
    memory.checkpoint(needed_patches(packs, memory.project(), types), reviewed=True)
    return memory


def _unrecognised(names: Sequence[MedicineName]) -> list[MedicineName]:
    """The names whose ingredient a rule does not see: who is allergic to it gets no alert about the medicine."""
    missing: list[MedicineName] = []
    with closing(_memory_with_packs(datetime(2026, 11, 16, 12, tzinfo=UTC))) as memory:
        for start in range(0, len(names), AT_ONCE):
            some = names[start : start + AT_ONCE]
            records: list[tuple[str, dict[str, Json]]] = []
            for number, each in enumerate(some):
                # With its strength, so that no two texts are equal as they stand.
                records.append(("health.Medication", {"name": f"{each.name} 10 mg", "person": f"Taker{number}"}))
                records.append(("health.Allergy", {"substance": each.holds, "person": f"Taker{number}"}))
            found = [rows for severity, rows in _severities(memory, records) if severity == "critical"]
            known = {row.rpartition("|")[2] for rows in found if rows[0] == "drug_allergy" for row in rows[1:]}
            missing += [each for number, each in enumerate(some) if f"taker{number}" not in known]
    return missing


def _shown(case: KnowledgeCase) -> str:
    return "; ".join(
        f"{name.rpartition('.')[2]} {', '.join(map(str, fields.values()))}" for name, fields in case.records
    )
