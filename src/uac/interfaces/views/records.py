"""Records, the claims behind their fields, and fields whose claims disagree."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from uac.interfaces.views.view import Doc, View, build_view
from uac.project.claims import Claim
from uac.project.explain import Evidence, Explained, Explanation
from uac.project.project import Project, Record
from uac.project.records import EndReason
from uac.schema.entries import Authority
from uac.schema.types import Policy
from uac.schema.values import dump_value

__all__ = [
    "ClaimView",
    "ConflictView",
    "ConflictsView",
    "EndView",
    "EvidenceView",
    "ExplainedClaimView",
    "ExplanationView",
    "FlatRecordView",
    "RecordPageView",
    "RecordView",
    "claim_view",
    "conflict_views",
    "explanation_view",
    "flat_record_view",
    "record_view",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class EndView(View):
    """The date from which a record is no longer true, and why."""

    when: Annotated[str, Doc(example="2026-02")]
    reason: Annotated[EndReason, Doc("What kind of end it was.", "ended")]
    why: Annotated[str, Doc(example="moved out")]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordView(View):
    """A record with its current values, as JSON, and the entries it depends on."""

    record: Annotated[str, Doc(example="health.Allergy:penicillin")]
    type: Annotated[str, Doc(example="health.Allergy")]
    values: Annotated[dict[str, Any], Doc(example={"substance": "Penicillin", "reaction": "hives"})]
    ended: Annotated[EndView | None, Doc("Set if it is no longer true.")]
    conflicts: Annotated[tuple[str, ...], Doc("Fields whose claims disagree and wait for a correction.", [])]
    unsure: Annotated[
        dict[str, str], Doc("Fields whose value is not certain, and why; without a value: words not understood.", {})
    ]
    cites: Annotated[tuple[int, ...], Doc("The entries that it depends on.", [1, 4])]


def record_view(record: Record) -> RecordView:
    return build_view(
        RecordView,
        record,
        record=record.id,
        values={name: dump_value(value) for name, value in record.values.items()},
        ended=None if record.ended is None else build_view(EndView, record.ended),
        conflicts=tuple(record.conflicts),
        unsure={each.field: each.why for each in record.unsure},
        cites=tuple(sorted(record.cites)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FlatRecordView(RecordView):
    """A record with its current values, the fields whose claims disagree, and the entries it depends on."""

    ended: str | None  # type: ignore[assignment]  # MCP and the command line show the date alone
    end_reason: EndReason | None


def flat_record_view(record: Record) -> FlatRecordView:
    when, reason = (record.ended.when, record.ended.reason) if record.ended else (None, None)
    return build_view(FlatRecordView, record_view(record), ended=when, end_reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPageView(View):
    """Records in the order in which they were made."""

    records: tuple[RecordView, ...]
    next: Annotated[str | None, Doc("Pass it as `after` to get the next page; null at the end.", None)]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceView(View):
    """The words that a claim depends on; null once they have been erased."""

    position: Annotated[int, Doc("The observation.", 1)]
    words: Annotated[str | None, Doc("The whole text.", "I get hives from penicillin.")]
    quote: Annotated[str | None, Doc("The part that a fact quotes.", "hives from penicillin")]
    speaker: Annotated[str, Doc(example="user")]
    said: datetime | None
    fact: Annotated[int | None, Doc("The fact between the words and the claim, if there is one.", 4)]
    fact_text: Annotated[str | None, Doc(example="The user is allergic to penicillin.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimView(View):
    """One value of one field, with its source and its two times."""

    value: Annotated[Any, Doc(example="Penicillin")]
    authority: Annotated[Authority, Doc("Whose word it is.", "user")]
    according_to: Annotated[str, Doc("The person whose word the user reports; empty for the user's own.", "")] = ""
    unsure: Annotated[str, Doc("Why the value is not certain; empty if it is.", "")] = ""
    said: datetime
    learned: datetime
    held: Annotated[tuple[str, str], Doc("From when to when it was true; empty: open.", ["2024-03", ""])]
    position: Annotated[int, Doc("The entry that made the claim.", 3)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedClaimView(ClaimView):
    """One claim and its evidence."""

    stands: Annotated[bool, Doc("Whether it gives the current value.")]
    evidence: tuple[EvidenceView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplanationView(View):
    """Why a field has its value."""

    record: Annotated[str, Doc(example="health.Allergy:penicillin")]
    field: Annotated[str, Doc(example="reaction")]
    value: Annotated[Any, Doc(example="hives")]
    policy: Annotated[Policy, Doc("How disagreeing claims are decided.", "latest")]
    is_disputed: bool
    unsure: Annotated[str, Doc("Why the value is not certain; empty if it is.", "")]
    ended: Annotated[EndView | None, Doc("Set if the record is no longer true.")]
    end_evidence: Annotated[tuple[EvidenceView, ...], Doc("The words that say that it ended.", [])]
    claims: tuple[ExplainedClaimView, ...]


def claim_view(claim: Claim) -> ClaimView:
    return build_view(ClaimView, claim, value=dump_value(claim.value), held=(claim.held.start, claim.held.end))


def explanation_view(explanation: Explanation) -> ExplanationView:
    return build_view(
        ExplanationView,
        explanation,
        value=dump_value(explanation.value),
        is_disputed=explanation.disputed,
        ended=None if explanation.ended is None else build_view(EndView, explanation.ended),
        end_evidence=tuple(map(_evidence_view, explanation.end_evidence)),
        claims=tuple(_explained_claim_view(item) for item in explanation.claims),
    )


def _explained_claim_view(item: Explained) -> ExplainedClaimView:
    evidence = tuple(_evidence_view(each) for each in item.evidence)
    return build_view(ExplainedClaimView, claim_view(item.claim), stands=item.stands, evidence=evidence)


def _evidence_view(evidence: Evidence) -> EvidenceView:
    return build_view(EvidenceView, evidence, position=evidence.observation)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictView(View):
    """A field whose claims disagree. A correction by the user decides it."""

    record: Annotated[str, Doc(example="travel.Passport:de")]
    field: Annotated[str, Doc(example="expires")]
    claims: tuple[ClaimView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictsView(View):
    """The fields that wait for the user's decision."""

    conflicts: tuple[ConflictView, ...]


def conflict_views(project: Project) -> tuple[ConflictView, ...]:
    return tuple(
        build_view(ConflictView, each, claims=tuple(claim_view(claim) for claim in each.claims))
        for each in project.conflicts
    )
