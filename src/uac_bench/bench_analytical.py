"""uac-bench analytical: aggregates over typed records, scored strictly, and model-written programs in the sandbox."""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from uac import Computer, Memory, open_store
from uac.errors import RunError
from uac.importing import BadLine, PlanOptions, ReadingOptions, import_records, open_record_file, plan_import
from uac.interfaces.cli import Output
from uac.sandbox import Limits, Sandbox, Value, available, open_sandbox
from uac_bench.analytical_queries import QUERIES, TYPES

__all__ = ["bench_analytical", "is_right"]

REFUSED = "\0"
NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)


@click.command("analytical")
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder with cases.json and recorded_programs.json.",
)
@click.option("--cases", "most", type=click.IntRange(min=1), help="Only the first N cases.")
@click.option("--programs/--no-programs", default=True, show_default=True, help="Also run the recorded programs.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_analytical(data: Path, most: int | None, programs: bool, as_json: bool) -> None:
    """Answer the analytical suite from typed records, and run its recorded programs in the sandboxes.

    The record sets are imported as typed records; each question is answered by one query, written from
    the question, in the sandbox. The scorer is strict: an empty answer is wrong, a tie accepts any of
    its values, and nothing counts because it contains the answer.
    """
    out = Output(as_json=as_json)
    cases = json.loads((data / "cases.json").read_text())
    answers = list(_answer_analytical_cases(cases, cases["cases"][:most], out))
    runs = (
        list(
            _run_analytical_programs(json.loads((data / "recorded_programs.json").read_text())["programs"][:most], out)
        )
        if programs
        else []
    )
    wrong = [answer for answer in answers if not answer.is_right]
    if as_json:
        out.json(
            {
                "right": len(answers) - len(wrong),
                "cases": len(answers),
                "wrong": [{"case": answer.case, "given": repr(answer.given), "gold": answer.gold} for answer in wrong],
                "programs": {name: Counter(run.verdicts[name] for run in runs) for name in _analytical_engines()}
                if runs
                else {},
                "differing": [{"case": run.case, **run.verdicts} for run in runs if not run.all_same],
            }
        )
        return
    out.line(("analytical suite, strict scorer: ", "bold"), f"{len(answers) - len(wrong)}/{len(answers)} right")
    kinds = Counter(answer.kind for answer in answers)
    for kind, count in sorted(kinds.items()):
        right = sum(answer.is_right for answer in answers if answer.kind == kind)
        out.line(f"  {kind:<8} {right}/{count}")
    for answer in wrong:
        out.line((f"  {answer.case}: ", "red"), f"gave {answer.given!r}, needs {answer.gold!r}")
    if runs:
        running = sum(run.runs for run in runs)
        out.line(
            ("recorded programs", "bold"), f": {len(runs)}, of which {running} run in CPython (the process sandbox)"
        )
        for name in _analytical_engines():
            found = Counter(run.verdicts[name] for run in runs if run.runs)
            out.line(f"  {name:<8} {', '.join(f'{verdict}: {count}' for verdict, count in found.most_common())}")
        for run in runs:
            if run.runs and not run.all_same:
                out.line(f"  {run.case}: {', '.join(f'{name} {verdict}' for name, verdict in run.verdicts.items())}")


@dataclass(frozen=True, slots=True)
class AnalyticalAnswer:
    """What was answered to one case."""

    case: str
    kind: str
    given: Value
    gold: Any
    is_right: bool


def _answer_analytical_cases(data: Any, cases: list[Any], out: Output) -> Iterator[AnalyticalAnswer]:
    memories: dict[str, Memory] = {}
    with closing(open_sandbox()) as sandbox, out.progress("cases", len(cases)) as bar:
        for case in cases:
            name = case["record_set"]
            if name not in memories:
                memories[name] = _import_case_records(data["record_sets"][name], TYPES[case["type"]])
            with closing(Computer(sandbox)) as computer:
                given = computer.run(memories[name].project(), QUERIES[case["question_id"]], now=NOW).value
            right = is_right(case["answer_type"], given, case["acceptable"])
            yield AnalyticalAnswer(case["case_id"], case["answer_type"], given, case["gold"], right)
            bar.advance()


def _import_case_records(records: list[Any], type_name: str) -> Memory:
    """The records through the importer, as a person's file would go."""
    memory = Memory(open_store("memory:").log("ana"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.json"
        path.write_text(json.dumps(records))
        reading = ReadingOptions()
        source = open_record_file(path, "json", reading)
        plan = plan_import(source, None, PlanOptions(type_name, reading=reading), lambda _size: None)
        broken = [item for item in import_records(memory, plan, source, said=NOW) if isinstance(item, BadLine)]
    if broken or memory.project().count(type_name) != len(records):
        raise click.ClickException(f"{type_name}: {len(broken)} records of {len(records)} were not imported")
    return memory


def is_right(kind: str, given: Value, acceptable: list[Any]) -> bool:
    """Whether a typed answer is right. Texts must be equal but for case, numbers within the suite's tolerance."""
    if given is None or given == "":
        return False
    match kind:
        case "int":
            return isinstance(given, int) and given in acceptable
        case "float":
            return isinstance(given, int | float) and any(
                abs(given - gold) <= max(abs(gold) * 0.01, 0.01) for gold in acceptable
            )
        case "string":
            return isinstance(given, str) and given.casefold() in [str(gold).casefold() for gold in acceptable]
        case "set":
            return isinstance(given, list) and any(
                sorted(str(item).casefold() for item in given) == sorted(str(item).casefold() for item in gold)
                for gold in acceptable
            )
    return False


@dataclass(frozen=True, slots=True)
class AnalyticalRun:
    """What the engines made of one recorded program, beside CPython in the process sandbox."""

    case: str
    runs: bool
    verdicts: dict[str, str]

    @property
    def all_same(self) -> bool:
        return all(verdict == "same output" for verdict in self.verdicts.values())


def _analytical_engines() -> list[str]:
    return [name for name in ("monty", "auto") if name == "auto" or name in available()]


def _run_analytical_programs(programs: list[Any], out: Output) -> Iterator[AnalyticalRun]:
    """State program and snippets of each case, in a session of each engine."""
    sandboxes = {name: open_sandbox(name) for name in ("process", *_analytical_engines())}
    with out.progress("programs", len(programs)) as bar:
        for program in programs:
            parts = [snippet["code"] for snippet in program["snippets"] if not snippet["code_truncated"]]
            outputs = {
                name: _analytical_program_output(sandbox, [program["state_program"], *parts])
                for name, sandbox in sandboxes.items()
            }
            reference = outputs["process"]
            runs = not reference.startswith(REFUSED)
            verdicts = {name: _analytical_output_verdict(reference, outputs[name]) for name in _analytical_engines()}
            yield AnalyticalRun(program["case_id"], runs, verdicts)
            bar.advance()
    for sandbox in sandboxes.values():
        sandbox.close()


def _analytical_program_output(sandbox: Sandbox, parts: list[str]) -> str:
    """What the parts print in one session; a part that fails adds its error, a state that fails is all there is."""
    session = sandbox.session(now=NOW, limits=Limits(seconds=20))
    printed = ""
    try:
        for number, part in enumerate(parts):
            try:
                printed += session.run(part).printed
            except RunError as error:
                what = getattr(error, "kind", type(error).__name__)
                if number == 0 or what == "NotImplementedError":
                    return f"{REFUSED}{what}: {str(error)[:90]}"
                printed += f"{error.printed}{what}\n"
                if not session.alive:
                    break
    finally:
        session.close()
    return printed


def _analytical_output_verdict(reference: str, output: str) -> str:
    if output == reference:
        return "same output"
    if output.startswith(REFUSED):
        return f"refused ({output.removeprefix(REFUSED)})"
    # CPython itself prints a set of texts in another order in every process.
    same_words = sorted(re.findall(r"\w+", output)) == sorted(re.findall(r"\w+", reference))
    return "same but for the order of sets" if same_words else "other output"
