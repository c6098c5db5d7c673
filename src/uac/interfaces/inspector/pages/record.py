"""One record: its fields, the claims about them, which claim is in effect, and the sentences it came from."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.responses import Response

from uac.errors import Refused
from uac.interfaces.http.problems import NotFound
from uac.interfaces.inspector.entry_lines import readable_alert
from uac.interfaces.inspector.evidence_quotes import EvidenceQuote, quotes_by_observation
from uac.interfaces.inspector.page import Page, PageView
from uac.interfaces.inspector.record_names import record_link_maker, record_name
from uac.project.alerts import Alert
from uac.project.explain import Evidence, Explanation, explain
from uac.project.project import Project, Record
from uac.schema.types import Field, FieldType, Policy, field_types
from uac.schema.values import Typed, fold_key

__all__ = ["PAGES"]

WHY: dict[Policy, str] = {
    "latest": "the latest claim of the strongest source counts",
    "authority": "the strongest source counts",
    "union": "all items are combined",
    "ask": "the user decides when sources disagree",
}
"""How each policy chooses among claims."""

REFERRING = 50  # referring records that are listed


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that a record cites, once, and the fields whose current values come from it."""

    quoted: EvidenceQuote
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExplainedField:
    """A field with its explanation; `links` are the ids of the records that its value refers to."""

    field: Field
    explained: Explanation
    quoted: tuple[tuple[EvidenceQuote, ...], ...]
    """The sentences behind each of its claims."""
    links: tuple[tuple[str, str], ...]
    why: str
    is_chosen: bool


def record_page(view: PageView) -> Response:
    """`?id=travel.Trip:lisbon`, with `&valid=2026-03-01&told=2026-03-01&known=120` on other clocks."""
    with view.memory() as memory:
        project, clocks = memory.project_at(view.clocks()), view.clocks()
        try:
            one = project.record(view.query("id"))
        except Refused:
            why = (
                "It may have been dropped or renamed." if clocks.is_present else f"Look at other clocks than {clocks}."
            )
            dropped = project.why_dropped(view.query("id"))
            why = f"It was dropped: {dropped}" if dropped else why
            raise NotFound(f"No record {view.query('id')!r}. {why}") from None
        type_ = project.types[one.type]
        kinds = field_types(type_)
        fields = [
            ExplainedField(
                part,
                explained := explain(project, memory.log, one.id, part.name),
                tuple(quotes_by_observation(item.evidence) for item in explained.claims),
                _reference_links(project, kinds[part.name], one.values.get(part.name)),
                _record_field_reason(explained),
                _record_field_has_choice(explained),
            )
            for part in type_.fields
        ]
    return view.render_template(
        "record.html",
        record=one,
        may_write=view.has_right("write") and clocks.is_present,
        title=record_name(one, type_),
        type=type_,
        end_quotes=quotes_by_observation(fields[0].explained.end_evidence) if fields else (),
        sentences=_record_page_sentences([one_field.explained for one_field in fields]),
        fields=[one_field for one_field in fields if one_field.explained.claims],
        blank=[one_field.field.name for one_field in fields if not one_field.explained.claims],
        alerts=_alerts_of_record(project, one),
        referring=_record_page_referrers(project, one),
        named=record_link_maker(project),
    )


def _record_page_sentences(explained: Sequence[Explanation]) -> list[Sentence]:
    """The sentences behind the current values, in the order of their observations."""
    fields: dict[int, dict[str, None]] = {}
    cited: list[Evidence] = []
    for one in explained:
        for evidence in (evidence for item in one.claims if item.stands for evidence in item.evidence):
            cited.append(evidence)
            fields.setdefault(evidence.observation, {})[one.field] = None
    quoted = sorted(quotes_by_observation(cited), key=lambda one: one.observation)
    return [Sentence(one, tuple(fields[one.observation])) for one in quoted]


def _record_field_reason(explained: Explanation) -> str:
    """Why this value was chosen, in one line; "" if there was no choice."""
    if explained.disputed:
        return "Sources disagree: the user decides."
    if not _record_field_has_choice(explained):
        return ""
    if any(item.stands and item.claim.authority == "correction" for item in explained.claims):
        return "Corrected by the user, which overrides every other claim."
    return f"{WHY[explained.policy].capitalize()}."


def _record_field_has_choice(explained: Explanation) -> bool:
    """Whether claims differ, so that one had to be chosen."""
    return len({item.claim.value for item in explained.claims}) > 1


def _reference_links(project: Project, kind: FieldType, value: Typed) -> tuple[tuple[str, str], ...]:
    """The name and id of each record that a value refers to."""
    target = (kind.item or kind).ref
    if not target or value is None:
        return ()
    named = value if isinstance(value, tuple) else (value,)
    table = project.tables.get(target)
    return tuple(
        (record_name(known, project.types[target]), known.id)
        for name in named
        if table is not None and (known := table.get(f"{target}:{fold_key(str(name))}")) is not None
    )


def _alerts_of_record(project: Project, one: Record) -> list[Alert]:
    return [readable_alert(alert, project) for alert in project.standing() if one.id in alert.records]


def _record_page_referrers(project: Project, one: Record) -> list[str]:
    """The records that refer to this one."""
    referring: list[str] = []
    for name, type_ in sorted(project.types.items()):
        parts = [part for part, kind in field_types(type_).items() if (kind.item or kind).ref == one.type]
        if not parts:
            continue
        for other in project.records(name):
            values = [other.values.get(part) for part in parts]
            named = [item for value in values for item in (value if isinstance(value, tuple) else (value,))]
            if any(item is not None and fold_key(str(item)) == one.key for item in named):
                referring.append(other.id)
                if len(referring) == REFERRING:
                    return referring
    return referring


PAGES = (Page("/users/{user}/records/one", record_page),)
