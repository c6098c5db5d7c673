"""uac watch: what is heard, learned and raised, as it happens."""

import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any

import click

from uac.interfaces.cli.alerts import alert_changes_json, alert_changes_to_show
from uac.interfaces.cli.learn_runs import learned_facts_json, show_facts, show_learned_changes
from uac.interfaces.cli.log import log_entry_line
from uac.interfaces.cli.options import CliContext, common_options, user_argument
from uac.interfaces.cli.output import minute_text
from uac.interfaces.cli.project import project_change_json
from uac.interfaces.service.learning_failures import LearningFailure, learning_failure
from uac.log.log import Stored
from uac.memory.memory import Memory
from uac.project.clocks import parse_known
from uac.project.diff import diff
from uac.schema.entries import Fact, ModelCall, Observation
from uac.schema.safe_text import counted, mark_line_breaks

__all__ = ["watch"]

POLL_SECONDS = 0.3


@click.command()
@user_argument()
@click.option(
    "--since",
    metavar="POSITION|TIME",
    help="Start after this position, or with what was stored after this time; 0: all.",
)
@click.option("--once", is_flag=True, help="Show everything so far, or everything since --since, and end.")
@common_options
def watch(context: CliContext, *, user: str, since: str | None, once: bool) -> None:
    """Show live what is heard, learned and raised for USER: words, facts, records, alerts, and what went wrong.

    It follows the log, whoever writes it: commands, agents, the service, a worker in the background. It starts with
    what waits and why learning last stopped. Ctrl-C ends it. With --json each line is an object with its "event".

    \b
      uac watch ana
      uac watch ana --once
    """
    watching = _Watching(context, user, context.memory(user))
    watching.start("0" if once and since is None else since)
    try:
        while True:
            watching.show_news()
            sys.stdout.flush()  # the reader of a pipe wants it now
            if once:
                return
            time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        return


class _Watching:
    """How far the log of a user was shown."""

    def __init__(self, context: CliContext, user: str, memory: Memory) -> None:
        self._out, self._user, self._memory = context.out, user, memory
        self._address = context.store().address
        self._shown = memory.project()
        self._failure: LearningFailure | None = None

    def start(self, since: str | None) -> None:
        if since is not None:
            self._shown = self._memory.project_as_of(parse_known(since, "--since"))
        if not self._out.as_json:
            progress = self._memory.project().progress
            waits = f", {counted(len(progress.unread), 'observation')} unread" if progress.unread else ""
            self._out.note(f"{self._user}: {counted(self._memory.log.head().position, 'entry')}{waits}; Ctrl-C ends")

    def show_news(self) -> None:
        before, after = self._shown, self._memory.project()
        if after.position != before.position:
            self._shown = after
            stored = [*self._memory.log.read(before.position + 1, after.position + 1)]
            self._show_words([each for each in stored if isinstance(each.entry, Observation)])
            facts = [each.position for each in stored if isinstance(each.entry, Fact)]
            changes = [change for change in diff(before, after) if change.kind != "alert"]
            alerts = [
                event
                for event in alert_changes_to_show(self._memory, before.position)
                if event.stored.position <= after.position
            ]
            if self._out.as_json:
                self._show_json("fact", learned_facts_json(self._memory, facts))
                self._show_json("change", map(project_change_json, changes))
                self._show_json("alert", alert_changes_json(alerts))
            else:
                show_facts(self._out, self._memory, facts)
                show_learned_changes(self._out, self._memory, changes, alerts)
            self._show_findings(stored)
        self._show_failure()

    def _show_words(self, heard: Sequence[Stored]) -> None:
        for stored in heard:
            assert isinstance(stored.entry, Observation)
            if self._out.as_json:
                entry = stored.entry
                self._show_json("observation", [{"position": stored.position, "role": entry.role, "text": entry.text}])
            else:
                self._out.line((f"{stored.position:>6}", "cyan"), f"  {log_entry_line(stored.entry)}")

    def _show_findings(self, stored: Iterable[Stored]) -> None:
        for each in stored:
            if not isinstance(each.entry, ModelCall):
                continue
            for finding in each.entry.findings:
                if self._out.as_json:
                    self._show_json("finding", [{"position": each.position, "why": finding.why}])
                else:
                    self._out.line(("to fix", "yellow"), f": {mark_line_breaks(finding.why)}")

    def _show_failure(self) -> None:
        failure = learning_failure(self._address, self._user)
        if failure == self._failure:
            return
        self._failure = failure
        if failure is None:
            return
        if self._out.as_json:
            self._show_json("stopped", [{"at": failure.at.isoformat(), "why": failure.why}])
        else:
            text = f": learning stopped at {minute_text(failure.at)}: {mark_line_breaks(failure.why)}"
            self._out.line(("stopped", "yellow"), text)

    def _show_json(self, event: str, lines: Iterable[dict[str, Any]]) -> None:
        for line in lines:
            self._out.json({"user": self._user, "event": event, **line})
