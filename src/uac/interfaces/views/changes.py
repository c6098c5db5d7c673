"""Changes: one difference in the project, an alert that a write changed, and the result of a write."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from uac.interfaces.views.alerts import AlertUpdateView
from uac.interfaces.views.view import Doc, View, build_view
from uac.project.diff import Change, diff
from uac.project.project import Project
from uac.schema.values import dump_value

__all__ = ["ChangeView", "DiffView", "PutView", "WriteView", "change_view", "change_views", "changes_between"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeView(View):
    """One difference in types, records, fields, constraints or alerts."""

    kind: Annotated[Literal["type", "record", "field", "constraint", "alert"], Doc(example="field")]
    change: Annotated[Literal["added", "removed", "changed", "ended"], Doc(example="changed")]
    what: Annotated[
        str,
        Doc(
            "A type, a record, a field of a record, a constraint, or an alert as `constraint / subject`.",
            "health.Allergy:penicillin.reaction",
        ),
    ]
    before: Annotated[
        Any, Doc("The earlier value of a field, or the earlier key of a record; null for everything else.", None)
    ] = None
    after: Annotated[Any, Doc("The new value of a field, or the new key of a record.", "hives")] = None


def change_view(change: Change) -> ChangeView:
    return build_view(ChangeView, change, before=dump_value(change.before), after=dump_value(change.after))


def change_views(changes: Iterable[Change]) -> tuple[ChangeView, ...]:
    return tuple(change_view(change) for change in changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteView(View):
    """The entries that a write appended to the log, and what they changed."""

    first: Annotated[int, Doc("The position of its first entry; 0 if there was nothing to write.", 12)]
    last: Annotated[int, Doc("The position of its last entry.", 13)]
    changes: Annotated[tuple[ChangeView, ...], Doc("What changed. Empty for keys without the right to read.")]
    alerts: Annotated[
        tuple[AlertUpdateView, ...],
        Doc("The alerts that were raised, changed or cleared. Empty for keys without the right to read."),
    ]
    is_repeated: Annotated[
        bool,
        Doc("True if an earlier request with the same Idempotency-Key already did this; nothing was written now."),
    ] = False
    notes: Annotated[tuple[str, ...], Doc("Further remarks.")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PutView(WriteView):
    """The record that was put, and what changed."""

    record: Annotated[
        str,
        Doc("Its id; empty if it was put before and has been retracted since.", "health.Allergy:penicillin"),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffView(View):
    """The differences between an earlier and a later state of the project."""

    before: Annotated[int, Doc("The position of the earlier state.", 7)]
    after: Annotated[int, Doc("The position of the later state.", 12)]
    changes: tuple[ChangeView, ...]


def changes_between(before: Project, after: Project) -> tuple[ChangeView, ...]:
    return change_views(diff(before, after))
