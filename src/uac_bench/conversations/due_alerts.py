"""Which alerts a made-up life makes due, computed from its truth, and which of them the memory raised.

Three rules are looked at: a pack's rule about trips at the same time, a pack's rule about medicines against an
allergy, and a rule that the user states. What could be mistaken for a case, such as any other pair of trips, must be
silent.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from uac import Memory
from uac_bench.conversations.lives import BY_HAND, Deed, Life

__all__ = ["OWN_RULE", "AlertWatch", "JudgedAlert", "due_cases", "own_rule_file"]

OWN_RULE = "no_early_meetings"
TRIPS, ALLERGIES = "trip_overlap", "drug_allergy"
RULES = (OWN_RULE, TRIPS, ALLERGIES)

Case = tuple[str, frozenset[int]]
"""A rule, and the things that it may be about."""


class JudgedAlert(msgspec.Struct, frozen=True, kw_only=True):
    """A case, whether an alert was ever due for it, and how the memory differs; '' if it is right in every session."""

    rule: str
    things: tuple[int, ...]
    is_due: bool
    why: str


class AlertWatch:
    """Collects the alerts after each session."""

    def __init__(self, life: Life) -> None:
        self._life = life
        self._seen: dict[Case, set[int]] = {}

    def look(self, memory: Memory, session: int, deed_at: Mapping[int, Deed]) -> None:
        memory.tick()
        project = memory.project()
        for alert in memory.alerts():
            if alert.constraint in RULES:
                cites = [position for name in alert.records for position in project.record(name).cites]
                things = frozenset(deed_at[each].thing for each in cites if each in deed_at)
                self._seen.setdefault((alert.constraint, things), set()).add(session)

    def judged(self) -> tuple[JudgedAlert, ...]:
        """Every case: right if its alert was active after exactly those sessions after which it was due."""
        due = due_alerts(self._life)
        return tuple(
            JudgedAlert(
                rule=rule,
                things=tuple(sorted(things)),
                is_due=bool(due.get((rule, things))),
                why=_difference(due.get((rule, things), set()), self._seen.get((rule, things), set())),
            )
            for rule, things in [*due, *(case for case in self._seen if case not in due)]
        )


def due_cases(life: Life) -> tuple[JudgedAlert, ...]:
    """Every case of a life whose memory raised nothing; none of a life that was written by hand."""
    return () if life.style == BY_HAND else AlertWatch(life).judged()


def _difference(due: set[int], seen: set[int]) -> str:
    if due == seen:
        return ""
    if not seen:
        return "never raised"
    return f"raised after sessions {sorted(seen)}, due after {sorted(due)}"


def due_alerts(life: Life) -> dict[Case, set[int]]:
    """Every case of a life, with the sessions after which its alert is due; none if it must be silent."""
    found: dict[Case, set[int]] = {}
    things: dict[int, _Known] = {}
    before = ""
    for number, session in enumerate(life.sessions):
        for deed in (sentence.deed for turn in session for sentence in turn.sentences):
            before = str(deed.fields["at"]) if deed.op == "rule" else before
            if deed.op in ("put", "amend"):
                known = things.get(deed.thing, _Known(deed.type, {}))
                things[deed.thing] = known._replace(fields={**known.fields, **deed.fields})
            elif deed.op == "end":
                things[deed.thing] = things[deed.thing]._replace(is_ended=True)
        for rule, case, is_due in _cases(things, before, session[-1].said.date()):
            found.setdefault((rule, case), set()).update({number} if is_due else ())
    return found


class _Known(NamedTuple):
    """What has been said of a thing so far."""

    type: str
    fields: Mapping[str, Any]
    is_ended: bool = False


def _cases(things: Mapping[int, _Known], before: str, today: date) -> Iterator[tuple[str, frozenset[int], bool]]:
    def of_type(name: str) -> list[int]:
        return [number for number, known in things.items() if known.type == name]

    for number in of_type("calendar.Appointment") if before else ():
        meeting = things[number]
        starts = datetime.fromisoformat(meeting.fields["starts"])
        is_early = f"{starts:%H:%M}" < before and starts.date() >= today
        yield OWN_RULE, frozenset({number}), is_early and not meeting.is_ended
    for pair in combinations(of_type("travel.Trip"), 2):
        trips = [things[number] for number in pair]
        countries = {_names("countries")[trip.fields["destination"]] for trip in trips}
        if len(countries) > 1:  # two places of one country may be one journey
            yield TRIPS, frozenset(pair), _is_overlap(trips[0], trips[1], today)
    for allergy, medicine in product(of_type("health.Allergy"), of_type("health.Medication")):
        is_risk = _names("risks")[things[allergy].fields["substance"]] == things[medicine].fields["name"]
        yield ALLERGIES, frozenset({allergy, medicine}), is_risk and not things[medicine].is_ended


def _is_overlap(one: _Known, other: _Known, today: date) -> bool:
    spans = [(trip.fields["departs"], trip.fields["returns"]) for trip in (one, other)]
    (_first, last), (begin, end) = sorted((date.fromisoformat(a), date.fromisoformat(b)) for a, b in spans)
    return begin < last and min(last, end) >= today and not (one.is_ended or other.is_ended)


@cache
def _names(part: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((Path(__file__).parent / "names.json").read_text(encoding="utf-8"))[part]
    return found


def own_rule_file(at: str) -> str:
    """The file of the user's own rule, as a model would write it; `at` is HH:MM."""
    hour, minute = (int(part) for part in at.split(":"))
    return f'''def {OWN_RULE}(user, now):
    """The user wants to be warned of meetings before {at}."""
    return [
        warning(f"The meeting about {{each.what}} begins at {{each.starts:%H:%M}}, before {at}.", each)
        for each in user.calendar.appointments
        if not is_past(each.starts, now) and (each.starts.hour, each.starts.minute) < ({hour}, {minute})
    ]


CASES = [
    fires("early", date(2024, 5, 1), calendar.Appointment(what="audit", starts=datetime(2024, 5, 2, 8, 30, tzinfo=timezone.utc))),
    silent("late", date(2024, 5, 1), calendar.Appointment(what="audit", starts=datetime(2024, 5, 2, 15, 0, tzinfo=timezone.utc))),
]
'''  # noqa: E501
