"""Traces a field back to the sentence: value, policy, claims, facts, observations and the quoted text."""

from dataclasses import dataclass
from datetime import datetime

from uac.errors import Refused
from uac.log.log import Log, Prefix
from uac.project.claims import Claim
from uac.project.project import Project
from uac.project.records import Ended
from uac.schema.entries import Fact, Observation
from uac.schema.types import Policy
from uac.schema.values import Typed

__all__ = ["Evidence", "Explained", "Explanation", "explain"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The text that a claim depends on. `words` is None once it was erased."""

    fact: int | None
    fact_text: str | None
    observation: int
    quote: str | None
    words: str | None
    speaker: str
    said: datetime | None


@dataclass(frozen=True, slots=True)
class Explained:
    """One claim and its evidence; `stands` if it gives the current value."""

    claim: Claim
    stands: bool
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a field has its value."""

    record: str
    field: str
    value: Typed
    policy: Policy
    disputed: bool
    claims: tuple[Explained, ...]
    ended: Ended | None = None
    """Set if the record is no longer true."""
    unsure: str = ""
    """Why the value is not certain; "" if it is."""
    end_evidence: tuple[Evidence, ...] = ()
    """The text that says that it ended."""


def explain(project: Project, log: Log | Prefix, record_id: str, field: str) -> Explanation:
    record = project.record(record_id)
    part = project.types[record.type].field(field)
    if part is None:
        names = ", ".join(known.name for known in project.types[record.type].fields)
        raise Refused(f"{record.type} has no field {field!r}. Use one of: {names}.")
    value = record.values.get(field)
    field_claims = record.claims.get(field, ())
    start = max((index for index, claim in enumerate(field_claims) if claim.authority == "correction"), default=0)
    claims = tuple(
        Explained(
            claim,
            # All items of a union count, from the last correction on.
            index >= start and isinstance(claim.value, tuple) if part.policy == "union" else claim.value == value,
            tuple(evidence for cited in claim.cites for evidence in _citation_evidence(log, cited)),
        )
        for index, claim in enumerate(field_claims)
    )
    unsure = next((each.why for each in record.unsure if each.field == field), "")
    ended = record.ended
    return Explanation(
        record_id,
        field,
        value,
        part.policy,
        field in record.conflicts,
        claims,
        ended,
        unsure,
        tuple(evidence for cited in (ended.cites if ended else ()) for evidence in _citation_evidence(log, cited)),
    )


def _citation_evidence(log: Log | Prefix, position: int) -> list[Evidence]:
    entry = next(log.read(position, position + 1)).entry
    if isinstance(entry, Fact):
        return [_observation_evidence(log, cited.position, position, entry.text, cited.quote) for cited in entry.cites]
    return [_observation_evidence(log, position, None, None, None)]


def _observation_evidence(
    log: Log | Prefix, position: int, fact: int | None, fact_text: str | None, quote: str | None
) -> Evidence:
    entry = next(log.read(position, position + 1)).entry
    if not isinstance(entry, Observation):
        return Evidence(fact, fact_text, position, quote, None, "", None)
    return Evidence(fact, fact_text, position, quote, entry.text, entry.speaker or entry.role, entry.said)
