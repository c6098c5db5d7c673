"""Runs tool calls on one memory, one at a time, and adds the pending alerts to every reply."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from uac.errors import NotAllowed, Refused, StoreError, UacError
from uac.interfaces.agent_tools.arguments import AlertsArgs, ReadArgs, parse_arguments
from uac.interfaces.agent_tools.handlers import alerts as list_alerts
from uac.interfaces.agent_tools.handlers import read as read_project
from uac.interfaces.agent_tools.refusals import (
    ToolRefusal,
    refusal_of_arguments,
    refusal_of_error,
    unexpected_refusal,
    unknown_tool_refusal,
)
from uac.interfaces.agent_tools.resources import ALERTS, DOMAIN, MANIFEST, changed_resource_uris
from uac.interfaces.agent_tools.results import AlertsResult, PendingAlert, PendingResult
from uac.interfaces.agent_tools.sanitize import sanitize_json
from uac.interfaces.agent_tools.text_rendering import pending_alert_lines, result_lines
from uac.interfaces.agent_tools.tool_catalog import INSTRUCTIONS, TOOLS, Tool
from uac.interfaces.agent_tools.tool_schema import tool_json_schema
from uac.interfaces.views.view import View
from uac.memory.memory import Memory
from uac.project.alerts import SEVERITIES, Alert
from uac.schema.safe_text import shorten
from uac.text.memory_block import MEMORY_CLOSE, harmless, memory_open

__all__ = ["Dispatcher", "ToolReply"]


MOST_PENDING_ALERTS = 10
MOST_CRITICAL = 50  # critical alerts are added beyond the ten, up to this many
SHORT = 80  # characters of an alert that a session has seen before
MOST_SESSIONS = 1000
MOST_RECORDS = 500  # of a domain that is read as a resource

logger = logging.getLogger(__name__)


class ToolReply(NamedTuple):
    """The reply to a call: text, the same as JSON, and whether it is an error."""

    text: str
    content: dict[str, Any]
    is_error: bool = False


class Dispatcher:
    """Serves the tools on one memory. Not thread-safe: callers must make one call at a time.

    `groups` are the memories of groups that the user is a member of, by name: every tool takes the name as `group`.
    """

    def __init__(
        self, memory: Memory, clock: Callable[[], datetime], groups: Mapping[str, Memory] | None = None
    ) -> None:
        self._groups = {name: Dispatcher(each, clock) for name, each in (groups or {}).items()}
        self._memory = memory
        self._clock = clock
        self._tools = {tool.name: tool for tool in TOOLS}
        self._seen: OrderedDict[str, set[tuple[str, str, str, str]]] = OrderedDict()
        self._known = memory.project()

    def call_tool(self, name: str, arguments: dict[str, Any], session: str | None) -> ToolReply:
        """Run a tool. Alerts that a `session` has seen are shortened; None: unknown, so all are in full."""
        tool = self._tools.get(name)
        if self._groups and "group" in arguments:
            own = {key: value for key, value in arguments.items() if key != "group"}
            if not arguments["group"]:
                return self.call_tool(name, own, session)
            if (group := self._groups.get(str(arguments["group"]))) is not None:
                return group.call_tool(name, own, session)
            names = ", ".join(self._groups)
            wrong = Refused(f"group: it is not one of {names}. Give one of them, or leave it out for the user's own.")
            return self._refusal_reply(name, refusal_of_error(wrong, {"group": next(iter(self._groups))}), session)
        if tool is None:
            return self._refusal_reply(name, unknown_tool_refusal(name, list(self._tools)), session)
        try:
            self._try_tick()
            parsed = parse_arguments(arguments, tool.takes)
            return self._result_reply(tool.run(self._memory, parsed, self._current_time()), session)
        except msgspec.ValidationError as error:
            return self._refusal_reply(
                name, refusal_of_arguments(error, tool_json_schema(tool.takes), tool.example), session
            )
        except UacError as error:
            return self._refusal_reply(name, refusal_of_error(error, tool.example), session)
        except Exception:
            logger.exception("the tool %s failed", name)
            return self._refusal_reply(name, unexpected_refusal(name), session)

    def input_schema(self, tool: Tool) -> dict[str, Any]:
        """The JSON schema of a tool's arguments, with `group` if the user is a member of one."""
        schema = tool_json_schema(tool.takes)
        if self._groups:
            text = "The memory of this group instead of the user's own; its members see what is stored there."
            group = {"type": "string", "enum": ["", *self._groups], "default": "", "description": text}
            schema = {**schema, "properties": {**schema.get("properties", {}), "group": group}}
        return schema

    @property
    def instructions(self) -> str:
        """The instructions for agents, with the groups of the user."""
        if not self._groups:
            return INSTRUCTIONS
        return (
            f"{INSTRUCTIONS}- The user is a member of the groups {', '.join(self._groups)}. Each has a memory of its "
            "own: give the argument group to use it. Its members see what you store there, so store there only what "
            "the user says to the group.\n"
        )

    def read_resource(self, uri: str) -> str | None:
        """The text of a resource; None if it does not exist."""
        self._try_tick()
        if uri == MANIFEST:
            return self._framed_text(result_lines(read_project(self._memory, ReadArgs(), self._current_time())))
        if uri == ALERTS:
            return self._framed_text(result_lines(list_alerts(self._memory, AlertsArgs(), self._current_time())))
        name = uri.removeprefix(DOMAIN)
        if not uri.startswith(DOMAIN) or name not in self._memory.project().domains:
            return None
        return self._framed_text(
            result_lines(read_project(self._memory, ReadArgs(name=name, most=MOST_RECORDS), self._current_time()))
        )

    def resource_uris(self) -> list[str]:
        """The URIs of the resources; domains without records are left out."""
        project = self._memory.project()
        filled = sorted({project.types[name].domain for name in project.types if project.count(name)})
        return [MANIFEST, ALERTS, *(f"{DOMAIN}{name}" for name in filled)]

    def changed_resources(self) -> list[str]:
        """The resources that have changed since the last call, whoever changed them."""
        self._try_tick()
        before, self._known = self._known, self._memory.project()
        return changed_resource_uris(before, self._known)

    def _result_reply(self, result: View, session: str | None) -> ToolReply:
        content = sanitize_json(msgspec.to_builtins(result), verbatim=("input",))
        lines = result_lines(result)
        if isinstance(result, AlertsResult):  # it lists them all
            self._mark_seen(session, self._unacknowledged_alerts())
            return ToolReply(self._framed_text(lines), {**content, "alerts": [], "more_alerts": 0})
        alerts, left_out = self.pending_alerts(session)
        content |= {"alerts": sanitize_json(msgspec.to_builtins(alerts)), "more_alerts": len(left_out)}
        lines = [*pending_alert_lines(alerts, left_out), *lines]  # first, where no client cuts them off
        return ToolReply("\n".join(lines) if isinstance(result, PendingResult) else self._framed_text(lines), content)

    def _refusal_reply(self, name: str, refusal: ToolRefusal, session: str | None) -> ToolReply:
        alerts: list[PendingAlert] = []
        left_out: list[Alert] = []
        with suppress(UacError):  # where the store cannot serve, the refusal says so
            alerts, left_out = self.pending_alerts(session)
        content = {
            "error": sanitize_json(msgspec.to_builtins(refusal)),
            "alerts": sanitize_json(msgspec.to_builtins(alerts)),
        }
        text = "\n".join([refusal.refusal_text(harmless(name)), *pending_alert_lines(alerts, left_out)])
        return ToolReply(text, {**content, "more_alerts": len(left_out)}, is_error=True)

    def _framed_text(self, lines: list[str]) -> str:
        """The lines between marks by which memory recognises its own text if an agent sends it back."""
        return "\n".join([memory_open(self._memory.project().position), *lines, MEMORY_CLOSE])

    def pending_alerts(self, session: str | None) -> tuple[list[PendingAlert], list[Alert]]:
        """The alerts to add, the most severe first, and those that are left out."""
        loud = self._unacknowledged_alerts()
        chosen = _alerts_for_reply(loud, self._seen.get(session or "", set()))
        seen = self._mark_seen(session, chosen)
        alerts = [
            PendingAlert(
                constraint=alert.constraint,
                subject=alert.subject,
                severity=alert.severity,
                message=alert.text if _session_alert_key(alert) not in seen else shorten(alert.text, SHORT),
                is_new=_session_alert_key(alert) not in seen,
                capped_from=alert.capped_from,
            )
            for alert in chosen
        ]
        left_out = [alert for alert in loud if alert not in chosen]
        for name, group in self._groups.items():
            with suppress(UacError):  # the user may no longer be a member
                theirs, more = group.pending_alerts(session)
                alerts += [replace(alert, group=name) for alert in theirs]
                left_out += more
        return alerts, left_out

    def _mark_seen(self, session: str | None, alerts: list[Alert]) -> set[tuple[str, str, str, str]]:
        """The alerts that the session has seen before; `alerts` are added to them."""
        if session is None:
            return set()
        before = self._seen.pop(session, set())
        self._seen[session] = before | {_session_alert_key(alert) for alert in alerts}
        while len(self._seen) > MOST_SESSIONS:
            self._seen.popitem(last=False)
        return before

    def _unacknowledged_alerts(self) -> list[Alert]:
        now = self._current_time()
        return [alert for alert in self._memory.alerts() if not alert.is_quiet(now)]

    def _current_time(self) -> datetime:
        """The current time; the last tick may be later than the clock."""
        seen = self._memory.project().now
        return self._clock() if seen is None else max(self._clock(), seen)

    def _try_tick(self) -> None:
        try:
            self._memory.tick()
        except NotAllowed:  # of a group that the user may only read
            return
        except StoreError as error:  # reading still works; a write will report the error
            logger.warning("the tick failed: %s", error)


def _alerts_for_reply(loud: list[Alert], seen: set[tuple[str, str, str, str]]) -> list[Alert]:
    """The alerts to add: the most severe first, and among these the ones that the session has not seen."""
    most = max(MOST_PENDING_ALERTS, min(MOST_CRITICAL, sum(alert.severity == "critical" for alert in loud)))
    first = sorted(loud, key=lambda alert: (SEVERITIES.index(alert.severity), _session_alert_key(alert) in seen))[:most]
    return [alert for alert in loud if alert in first]


def _session_alert_key(alert: Alert) -> tuple[str, str, str, str]:
    """The identity of an alert for a session: one with a new message is shown in full again."""
    return alert.constraint, alert.subject, alert.severity, alert.text
