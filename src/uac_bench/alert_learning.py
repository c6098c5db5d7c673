"""The cue-free suite with a model: it reads the sessions, the memory learns, and rules raise alerts or do not.

Nothing in the request names a danger. Three things are judged of each scenario: whether the alert is there at all, in
which session it is raised, and whether anything else is.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from uac import Memory, Model, OneModel, Pack, __version__
from uac.conversation import prompt_text
from uac.models import NO_BUDGET
from uac.packs import chosen_packs
from uac.sandbox import Sandbox, shared_sandbox
from uac_bench.alert_cases import AlertCase, CaseSession
from uac_bench.alert_playing import AlertVerdict, Played, judge_case, play_sessions
from uac_bench.conversations.replay import LearningStopped
from uac_bench.harness import OURS, SuiteRun
from uac_bench.model_options import SpendingModels, spent_text
from uac_bench.runs import BenchItem, System, Verdict, shares
from uac_bench.scenarios import Scenario, load_scenarios

__all__ = ["learned_items", "play_learned", "report_learned_alerts"]

ABOUT = (
    "Dangers that nobody asked about, with a model that reads each session: is the alert there, is it raised in the"
    " session in which it is due, and is there no other?"
)
FOUND, ON_TIME, QUIET = "detected", "in the due session", "no false alarm"
CHECKS = (FOUND, ON_TIME, QUIET)
NO_STEPS = Scenario({})


def report_learned_alerts(
    data: Path, cases: Sequence[AlertCase], models: SpendingModels, out_folder: Path | None, *, as_json: bool
) -> None:
    """Let the model learn each scenario, and print detection, session of firing and false alarms."""
    suite = SuiteRun(
        "alerts-model",
        ABOUT,
        out_folder,
        as_json=as_json,
        data=[data / "scenarios.json"],
        model=models.name,
        is_live=models.is_live,
        prompts={each: sha256(prompt_text(each).encode()).hexdigest() for each in ("extract", "checkpoint")},
    )
    before = models.spent
    packs, sandbox, scenarios = chosen_packs("all"), shared_sandbox(), load_scenarios()
    model = models.for_step("extract")

    def learn(case: AlertCase) -> Iterator[BenchItem]:
        if model is None:
            return
        waiting = models.awaited
        try:
            played = play_learned(case, packs, sandbox, model)
        except LearningStopped as error:
            if models.awaited == waiting:
                yield from _items(case, dict.fromkeys(CHECKS, str(error)), "failed")
            return
        yield from learned_items(case, scenarios.get(case.id, NO_STEPS), played)

    suite.measure_items("scenarios", learn, {case.id: case for case in cases})
    spent = models.spent_since(before)
    rows = [
        (check, f"{share.right}/{share.of}", f"{share.share:.1%}", f"{share.low:.1%} to {share.high:.1%}")
        for (_system, check), share in shares(suite.items, by_group=True).items()
        if check
    ]
    if as_json:
        suite.out.json({row[0]: row[1] for row in rows} | {"calls": spent.calls, "awaited": models.awaited})
    suite.out.line((f"scenarios, {models.name}:", "bold"))
    suite.out.table(("check", "right", "share", "95 % interval"), rows, headed=True)
    for item in suite.items:
        if item.why:
            suite.out.line(f"{item.id}: {item.why}")
    suite.out.line(spent_text(spent))
    suite.finish([System(OURS, __version__, "All packs; the model learns from the user's words.", is_ours=True)])


def play_learned(case: AlertCase, packs: Sequence[Pack], sandbox: Sandbox, model: Model) -> Played:
    """Play the scenario with the records that the model makes of the words."""

    def learn(memory: Memory, session: CaseSession, _words: int) -> None:
        learned = memory.learn(OneModel(model), budget=NO_BUDGET)
        if learned.stopped:
            raise LearningStopped(f"session {session.session_id}: {learned.stopped}")

    return play_sessions(case, packs, sandbox, learn)


def learned_items(case: AlertCase, scenario: Scenario, played: Played) -> Iterator[BenchItem]:
    """One item for each check of a scenario."""
    judged = judge_case(case, scenario, played)
    names = {each.constraint for each in judged.matched}
    sessions = [each.session for each in played.raised if each.constraint in names]
    first = sessions[0] if sessions else ""
    alarms = [each for each in (*judged.early, *judged.spurious) if each.constraint not in names]
    is_found = bool(judged.matched) or scenario.expects_silence
    reasons = {
        FOUND: "" if is_found else _missing(judged),
        ON_TIME: ""
        if scenario.expects_silence or first == case.trigger_session_id
        else f"raised in session {first}, due in {case.trigger_session_id}"
        if first
        else "never raised",
        QUIET: "; ".join(f"session {each.session}: {each.constraint}" for each in alarms),
    }
    yield from _items(case, reasons)


def _missing(judged: AlertVerdict) -> str:
    lacks = f"the best message lacks {', '.join(judged.lacks)}" if judged.lacks else "no alert"
    return "; ".join((*judged.broken, judged.uncovered or lacks))


def _items(case: AlertCase, reasons: Mapping[str, str], failed: Verdict = "wrong") -> Iterator[BenchItem]:
    for check, why in reasons.items():
        verdict: Verdict = failed if why else "right"
        yield BenchItem(id=f"{case.id}/{check}", system=OURS, verdict=verdict, group=check, why=why)
