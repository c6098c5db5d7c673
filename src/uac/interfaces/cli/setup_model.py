"""uac setup model: which model can be used from here, tried with one call."""

import os
import shlex
from collections.abc import Sequence
from typing import Any

import click

from uac.interfaces.cli.options import CliContext
from uac.interfaces.setup.found_models import SENTENCE, Candidate, Trial, find_candidates, try_candidate
from uac.schema.safe_text import counted, mark_line_breaks

__all__ = ["find_model"]

NO_ANSWER = 7


def find_model(context: CliContext, servers: Sequence[str], wanted: str | None) -> None:
    """Print what was found, how one call went, and the settings to use. Nothing is stored."""
    out = context.out
    found = find_candidates(os.environ, servers, wanted)
    if not out.as_json:
        for candidate in found:
            others = f" and {counted(len(candidate.more), 'other model')}" if candidate.more else ""
            out.line(("found", "cyan"), f"  {candidate.found}: {candidate.model}{others}")
    trials: list[Trial] = []
    for candidate in found:
        if not out.as_json:
            out.note(f"trying {candidate.model} with one call about “{SENTENCE}” …")
        trials.append(trial := try_candidate(candidate, os.environ))
        if not out.as_json:
            _show_trial(context, trial)
        if not trial.problem:
            break
    works = trials[-1].candidate if trials and not trials[-1].problem else None
    if out.as_json:
        out.json(
            {
                "found": [_candidate_json(each) for each in found],
                "tried": [_trial_json(each) for each in trials],
                "settings": works.settings if works else None,
            }
        )
    elif works is not None:
        _show_settings(context, works)
    else:
        _show_ways(context, has_found=bool(found))
    if works is None:
        click.get_current_context().exit(NO_ANSWER)


def _show_trial(context: CliContext, trial: Trial) -> None:
    if trial.problem:
        why = trial.problem.removeprefix(f"{trial.candidate.model} ")
        context.out.line(("no", "red"), f"     {trial.candidate.model}: {mark_line_breaks(why)}")
        return
    read = f"“{trial.facts[0]}”" if trial.facts else "no fact"
    context.out.line(("yes", "green"), f"    {trial.candidate.model} answered in {trial.seconds:.1f} s: {read}")
    for why in trial.to_fix:
        context.out.line(("to fix", "yellow"), f": {mark_line_breaks(why)}")
    if not trial.facts:
        context.out.note("It answered, but did not read the sentence. A larger model may do better (--try NAME).")


def _show_settings(context: CliContext, candidate: Candidate) -> None:
    if candidate.found == "UAC_MODEL is set":
        context.out.line("It is configured already. 'uac add USER TEXT --wait' learns from a sentence.")
        return
    context.out.line("To use it, set this (a line in ~/.profile keeps it; the key stays where it is):")
    words = " ".join(f"{name}={shlex.quote(value)}" for name, value in candidate.settings.items())
    context.out.line((f"export {words}", "bold"))
    context.out.note('then: uac add ana "I am allergic to penicillin." --wait')


def _show_ways(context: CliContext, *, has_found: bool) -> None:
    head = "No model that was found answers." if has_found else "No key and no local server was found."
    context.out.line(f"{head} Three ways on:")
    context.out.line("  a key:    export ANTHROPIC_API_KEY=… or OPENAI_API_KEY=…, then 'uac setup model' again")
    context.out.line("  local:    start a server such as Ollama with a model, then 'uac setup model' again")
    context.out.line("  an agent: 'uac setup' lists those on this machine; they need no key of yours")


def _candidate_json(candidate: Candidate) -> dict[str, Any]:
    return {"model": candidate.model, "found": candidate.found, "url": candidate.url, "more": list(candidate.more)}


def _trial_json(trial: Trial) -> dict[str, Any]:
    return {
        "model": trial.candidate.model,
        "seconds": round(trial.seconds, 3),
        "facts": list(trial.facts),
        "to_fix": list(trial.to_fix),
        "problem": trial.problem,
    }
