"""Constraints: those of the project, those that packs offer, and a trace of one."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from uac.interfaces.views.alerts import AlertView, alert_view
from uac.interfaces.views.view import Doc, View, build_view
from uac.project.project import Adopted, Project
from uac.schema.constraints import Case, Origin

if TYPE_CHECKING:
    from uac.constraints.trace import Why

__all__ = [
    "CaseView",
    "ConstraintTraceView",
    "ConstraintView",
    "ConstraintsView",
    "GivenView",
    "OfferView",
    "TestView",
    "constraint_trace_view",
    "constraint_view",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintView(View):
    """A constraint of the project."""

    name: Annotated[str, Doc(example="drug_allergy")]
    doc: Annotated[str, Doc(example="A medication against an allergy.")]
    origin: Annotated[Origin, Doc("Who wrote it.", "pack")]
    pack: Annotated[str, Doc("The pack it is from, with its version.", "health 1")]
    is_on: bool
    is_reviewed: Annotated[bool, Doc("False if a model wrote it and nobody has approved it yet.")]
    reads: Annotated[tuple[str, ...], Doc("The collections it reads.", ["health.allergies"])]
    knows: Annotated[tuple[str, ...], Doc("The knowledge tables it uses.", ["health.drugs"])]
    alerts: Annotated[int, Doc("The number of its active alerts.", 1)]
    failure: Annotated[str, Doc("Why it gave no result when it last ran; empty if it did.", "")]
    position: Annotated[int, Doc("The checkpoint that adopted it.", 2)]


def constraint_view(project: Project, adopted: Adopted) -> ConstraintView:
    constraint, reading = adopted.constraint, adopted.reading
    return build_view(
        ConstraintView,
        adopted,
        name=constraint.name,
        doc=reading.doc,
        origin=constraint.origin,
        pack=constraint.pack,
        reads=tuple(reading.reads),
        knows=tuple(reading.knows),
        alerts=sum(name == constraint.name for name, _subject in project.alerts),
        failure=project.failures.get(constraint.name, ""),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferView(View):
    """A constraint that a pack offers and the project has not adopted."""

    name: Annotated[str, Doc(example="drug_interaction")]
    pack: Annotated[str, Doc(example="health 1")]
    why_not: Annotated[
        str, Doc("Why it cannot be adopted now; empty: it is adopted with the first record that it reads.")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintsView(View):
    """The constraints of the project, and those that packs offer."""

    constraints: tuple[ConstraintView, ...]
    offers: tuple[OfferView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenView(View):
    """A record of a case."""

    type: Annotated[str, Doc(example="health.Allergy")]
    fields: Annotated[dict[str, Any], Doc(example={"substance": "Penicillin"})]
    ended: Annotated[str, Doc(example="")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseView(View):
    """Records and a time for which the constraint must fire, or must stay silent."""

    name: Annotated[str, Doc(example="amoxicillin is a penicillin")]
    now: Annotated[str, Doc(example="2026-03-01")]
    fires: bool
    given: tuple[GivenView, ...]
    says: Annotated[tuple[str, ...], Doc("Texts that one message must contain together.", ["penicillin"])]


@dataclass(frozen=True, slots=True, kw_only=True)
class TestView(View):
    """A test that the function made: its text, the values it saw, its result, and how often it came out so."""

    __test__ = False  # it is not a class of tests

    line: Annotated[int, Doc(example=12)]
    text: Annotated[str, Doc(example="same(drug, allergy.substance)")]
    values: Annotated[tuple[tuple[str, str], ...], Doc(example=[["drug", "Amoxicillin"]])]
    result: bool
    times: Annotated[int, Doc(example=1)]
    is_inner: Annotated[bool, Doc("Whether a function that the constraint calls made it.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintTraceView(ConstraintView):
    """A constraint with its code, its cases, and what it saw in a run just now."""

    reasons: Annotated[
        tuple[str, ...],
        Doc(
            "For each of its alerts a sentence with the reason and the values; without alerts, one that says why there"
            " is none.",
            ["drug_allergy did not fire: there are no records of health.medications."],
        ),
    ]
    code: str
    cases: tuple[CaseView, ...]
    records: Annotated[
        tuple[tuple[str, int], ...],
        Doc("The collections it read, and how many records each has.", [["health.allergies", 1]]),
    ]
    now: Annotated[datetime | None, Doc("The time it saw: that of the last tick.")]
    again: Annotated[datetime | None, Doc("When it runs again even if nothing changes.")]
    standing: tuple[AlertView, ...]
    unchecked: Annotated[
        tuple[AlertView, ...],
        Doc("Alerts of other constraints that a value of a record which this one reads is in none of its tables."),
    ]
    tests: tuple[TestView, ...]
    left_out: Annotated[int, Doc("The number of tests that are not listed.", 0)]


def constraint_trace_view(project: Project, trace: "Why", now: datetime) -> ConstraintTraceView:
    constraint = trace.constraint.constraint
    return build_view(
        ConstraintTraceView,
        constraint_view(project, trace.constraint),
        reasons=trace.reasons,
        failure=trace.failure,
        code=constraint.code,
        cases=tuple(_case_view(case) for case in constraint.cases),
        records=tuple(trace.reads),
        now=trace.now,
        again=trace.again,
        standing=tuple(alert_view(project, alert, trace.now or now) for alert in trace.alerts),
        unchecked=tuple(alert_view(project, alert, trace.now or now) for alert in trace.unchecked),
        tests=tuple(build_view(TestView, test) for test in trace.tests),
        left_out=trace.left_out,
    )


def _case_view(case: Case) -> CaseView:
    given = tuple(build_view(GivenView, each, fields=dict(each.fields)) for each in case.given)
    return build_view(CaseView, case, given=given, says=tuple(case.says))
