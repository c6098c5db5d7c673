"""uac-bench analytical: aggregates over typed records, scored strictly, and model-written programs in the sandbox."""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import click

from uac import Computer, Memory, __version__, open_store
from uac.conversation import prompt_text
from uac.errors import Awaited, ModelError, Refused, RunError
from uac.importing import BadLine, PlanOptions, ReadingOptions, import_records, open_record_file, plan_import
from uac.models import NO_BUDGET
from uac.sandbox import Limits, Sandbox, available, open_sandbox
from uac_bench.analytical_queries import QUERIES, TYPES
from uac_bench.harness import OURS, SuiteRun, out_option
from uac_bench.model_options import AWAITED, SpendingModels, model_options, open_bench_models, spent_text
from uac_bench.runs import BenchItem, System
from uac_bench.scorers import is_right_published, is_right_strict, is_right_value

__all__ = ["bench_analytical", "import_typed_records"]

ABOUT = "100 aggregates over records of ten types: computed over all records, and as other systems answered them."
ABOUT_ASKED = "Aggregates over records of ten types, answered by a model that computes over all records."

REFUSED = "\0"
NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)


@click.command("analytical")
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder with cases.json and recorded_programs.json.",
)
@click.option("--cases", "most", type=click.IntRange(min=1), help="Only the first N cases; N of all with a model.")
@click.option("--programs/--no-programs", default=True, show_default=True, help="Also run the recorded programs.")
@model_options
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def bench_analytical(
    context: click.Context,
    data: Path,
    most: int | None,
    programs: bool,
    model: str,
    exchange: Path | None,
    budget: str,
    out_folder: Path | None,
    as_json: bool,
) -> None:
    """Answer the analytical suite from typed records, and run its recorded programs in the sandboxes.

    The record sets are imported as typed records; each question is answered by one query, written from
    the question, in the sandbox. The scorer is strict: an empty answer is wrong, a tie accepts any of
    its values, and nothing counts because it contains the answer. Recorded answers of other systems
    are scored by the published rules, too, which let an empty answer pass.

    With --model or --exchange, that model is asked the questions as `uac ask` does, and nothing else is
    measured; the exit code is 7 while replies are missing.
    """
    models = open_bench_models(model, exchange, budget)
    if models is not None:
        _report_asked_cases(data, most, models, out_folder, as_json=as_json)
        context.exit(AWAITED if models.awaited else 0)
    files = [data / "cases.json", data / "recorded_programs.json"]
    suite = SuiteRun("analytical", ABOUT, out_folder, as_json=as_json, data=files)
    out = suite.out
    cases = json.loads(files[0].read_text())
    chosen = cases["cases"][:most]
    _answer_analytical_cases(cases, chosen, suite)
    recorded = json.loads(files[1].read_text())["programs"] if files[1].is_file() else []
    by_rules = _score_recorded_answers(chosen, recorded, suite)
    runs = _run_analytical_programs(recorded[:most], suite) if programs else []
    answers = [item for item in suite.items if item.system == OURS]
    wrong = [item for item in answers if item.verdict != "right"]
    if as_json:
        out.json(
            {
                "right": len(answers) - len(wrong),
                "cases": len(answers),
                "wrong": [{"case": item.id, "given": item.given, "gold": item.gold} for item in wrong],
                "recorded": by_rules,
                "programs": {name: Counter(run.verdicts[name] for run in runs) for name in _analytical_engines()}
                if runs
                else {},
                "differing": [{"case": run.case, **run.verdicts} for run in runs if not run.all_same],
            }
        )
    out.line(("analytical suite, strict scorer: ", "bold"), f"{len(answers) - len(wrong)}/{len(answers)} right")
    for kind in sorted({item.group for item in answers}):
        verdicts = [item.verdict == "right" for item in answers if item.group == kind]
        out.line(f"  {kind:<8} {sum(verdicts)}/{len(verdicts)}")
    for item in wrong:
        out.line((f"  {item.id}: ", "red"), f"gave {item.given}, needs {item.gold}")
    suite.compare(title="strict scorer, by the same questions")
    if by_rules:
        out.line(("recorded answers, by both scorers:", "bold"))
        out.table(("system", *RULES), [(name, *(str(each[rule]) for rule in RULES)) for name, each in by_rules.items()])
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
    suite.finish([System(OURS, __version__, "compute over imported records", is_ours=True), *RECORDED.values()])


RULES = ("published", "strict", "cases")
RECORDED = {
    "prediction": System("UaC v5 of the paper", about="Recorded answers of a live model, scored here again."),
    "fc_repl": System("full context with Python", about="Recorded answers of a live model, scored here again."),
}
"""Systems whose answers the data has, by the name of the field."""


def _answer_analytical_cases(data: Any, cases: list[Any], suite: SuiteRun) -> None:
    memories: dict[str, Memory] = {}
    with closing(open_sandbox()) as sandbox, suite.out.progress("cases", len(cases)) as bar:
        for case in cases:
            bar.advance()
            if suite.known(OURS, case["case_id"]):
                continue
            name = case["record_set"]
            if name not in memories:
                memories[name] = import_typed_records(data["record_sets"][name], TYPES[case["type"]])
            with closing(Computer(sandbox)) as computer:
                given = computer.run(memories[name].project(), QUERIES[case["question_id"]], now=NOW).value
            is_right = is_right_value(case["answer_type"], given, case["acceptable"])
            suite.record(
                BenchItem(
                    id=case["case_id"],
                    system=OURS,
                    verdict="right" if is_right else "wrong",
                    group=case["answer_type"],
                    given=repr(given),
                    gold=repr(case["gold"]),
                )
            )


def _report_asked_cases(
    data: Path, most: int | None, models: SpendingModels, out_folder: Path | None, *, as_json: bool
) -> None:
    """Let a model answer cases from all parts of the suite, and print how many are right."""
    suite = SuiteRun(
        "analytical-model",
        ABOUT_ASKED,
        out_folder,
        as_json=as_json,
        data=[data / "cases.json"],
        model=models.name,
        is_live=models.is_live,
        prompts={"ask": sha256(prompt_text("ask").encode()).hexdigest()},
    )
    before = models.spent
    cases = json.loads((data / "cases.json").read_text())
    every = max(1, len(cases["cases"]) // (most or len(cases["cases"])))
    chosen = cases["cases"][::every][:most]
    memories: dict[str, Memory] = {}
    with suite.out.progress("cases", len(chosen)) as bar:
        for case in chosen:
            bar.advance()
            if suite.known(OURS, case["case_id"]):
                continue
            name = case["record_set"]
            if name not in memories:
                memories[name] = import_typed_records(cases["record_sets"][name], TYPES[case["type"]])
            if (item := _asked_item(case, memories[name], models)) is not None:
                suite.record(item)
    spent = models.spent_since(before)
    if as_json:
        right = sum(item.verdict == "right" for item in suite.items)
        suite.out.json({"right": right, "cases": len(suite.items), "calls": spent.calls, "awaited": models.awaited})
    suite.compare(title=f"right answers, {models.name}, strict scorer")
    suite.out.line(spent_text(spent))
    suite.finish([System(OURS, __version__, "uac ask over imported records", is_ours=True)])


def _asked_item(case: Any, memory: Memory, models: SpendingModels) -> BenchItem | None:
    """The model's answer to a case, judged strictly; None while a reply is awaited."""
    given, why = "", ""
    try:
        answer = memory.ask(case["question"], models, budget=NO_BUDGET)
        given, why = answer.text, answer.why
    except Awaited:
        return None
    except (ModelError, Refused) as error:
        why = str(error)
    is_right = is_right_strict(case["answer_type"], given, case["acceptable"])
    return BenchItem(
        id=case["case_id"],
        system=OURS,
        verdict="right" if is_right else "wrong" if given else "failed",
        group=case["answer_type"],
        given=given,
        gold=repr(case["gold"]),
        why=why,
    )


def _score_recorded_answers(cases: list[Any], programs: list[Any], suite: SuiteRun) -> dict[str, dict[str, int]]:
    """The recorded answers by the strict scorer, as items; and how many are right by each scorer."""
    found: dict[str, dict[str, int]] = {}
    recorded = {program["case_id"]: program for program in programs}
    for case in [case for case in cases if case["case_id"] in recorded]:
        program = recorded[case["case_id"]]
        for field, system in RECORDED.items():
            given = program[field]["prediction"] if field == "fc_repl" else program[field]
            by_rule = {
                "published": is_right_published(case["answer_type"], given or "", [case["gold"]]),
                "strict": is_right_strict(case["answer_type"], given or "", case["acceptable"]),
            }
            counts = found.setdefault(system.name, dict.fromkeys(RULES, 0))
            for rule, is_right in by_rule.items():
                counts[rule] += is_right
            counts["cases"] += 1
            suite.record(
                BenchItem(
                    id=case["case_id"],
                    system=system.name,
                    verdict="right" if by_rule["strict"] else "wrong" if given else "failed",
                    group=case["answer_type"],
                    given=given or "",
                    gold=repr(case["gold"]),
                    why="" if given else "no answer was recorded",
                )
            )
    return found


def import_typed_records(records: Sequence[Any], type_name: str) -> Memory:
    """A memory with the records, through the importer, as a person's file would go."""
    memory = Memory(open_store("memory:", clock=lambda: NOW).log("ana"), clock=lambda: NOW)
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


def _run_analytical_programs(programs: list[Any], suite: SuiteRun) -> list[AnalyticalRun]:
    """State program and snippets of each case, in a session of each engine."""
    with ExitStack() as opened:
        engines = ("process", *_analytical_engines())
        sandboxes = {name: opened.enter_context(closing(open_sandbox(name))) for name in engines}

        def run(program: Any) -> AnalyticalRun:
            parts = [snippet["code"] for snippet in program["snippets"] if not snippet["code_truncated"]]
            outputs = {
                name: _analytical_program_output(sandbox, [program["state_program"], *parts])
                for name, sandbox in sandboxes.items()
            }
            reference = outputs["process"]
            verdicts = {name: _analytical_output_verdict(reference, outputs[name]) for name in _analytical_engines()}
            return AnalyticalRun(program["case_id"], not reference.startswith(REFUSED), verdicts)

        by_case = {program["case_id"]: program for program in programs}
        return list(suite.measure("programs", run, by_case, AnalyticalRun).values())


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
