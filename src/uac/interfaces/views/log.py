"""The log: its entries, its verification, what was stored and forgotten, and the users who have one."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from uac.interfaces.views.changes import ChangeView
from uac.interfaces.views.view import Doc, View, build_view
from uac.log.log import Stored
from uac.schema.entries import Kind, plain_fields
from uac.schema.entry_text import entry_text

__all__ = [
    "AddedView",
    "BreakView",
    "EntryTextView",
    "EntryView",
    "ForgottenView",
    "LogPageView",
    "VerificationView",
    "entry_text_view",
    "entry_view",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedView(View):
    """The positions of the new turns in the log. They are durable."""

    positions: Annotated[tuple[int, ...], Doc(example=[1, 2])]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryView(View):
    """An entry of the log. `entry` is null once it has been erased."""

    position: Annotated[int, Doc(example=1)]
    at: Annotated[datetime, Doc("When it was learned.", "2026-03-02T09:00:00Z")]
    kind: Annotated[Kind, Doc(example="observation")]
    digest: Annotated[str, Doc("The digest of the chain up to here, in hexadecimal.", "9f86d081884c7d65")]
    entry: Annotated[
        dict[str, Any] | None,
        Doc(
            "Its content; the fields depend on the kind.",
            {"kind": "observation", "text": "I get hives from penicillin.", "role": "user"},
        ),
    ]


def entry_view(stored: Stored) -> EntryView:
    content = None if stored.entry is None else {"kind": stored.kind, **plain_fields(stored.entry)}
    return build_view(EntryView, stored, digest=stored.digest.hex(), entry=content)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPageView(View):
    """Entries in the order of the log."""

    entries: tuple[EntryView, ...]
    next: Annotated[int | None, Doc("Pass it as `after` to get the next page; null at the end of the log.", 100)]


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakView(View):
    """The first position at which the chain is broken."""

    position: Annotated[int, Doc(example=7)]
    problem: Annotated[str, Doc(example="entry 7 does not match its digest: it was altered or moved")]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationView(View):
    """Whether every entry is unchanged since it was appended."""

    is_whole: bool
    entries: Annotated[int, Doc("The number of entries.", 12)]
    digest: Annotated[str, Doc("The head of the chain, in hexadecimal.", "9f86d081884c7d65")]
    broken: Annotated[BreakView | None, Doc("Where the chain is broken.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryTextView(View):
    """An entry of the log: its kind and its text."""

    position: Annotated[int, Doc(example=1)]
    kind: Annotated[Kind, Doc(example="observation")]
    text: Annotated[str, Doc("Empty for keys without the right to read.", "I get hives from penicillin.")]


def entry_text_view(stored: Stored) -> EntryTextView:
    return build_view(EntryTextView, stored, text=entry_text(stored.entry))


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenView(View):
    """What was forgotten, or would be, and what changes without it."""

    is_done: Annotated[bool, Doc("False for a dry run.")]
    entries: Annotated[
        tuple[EntryTextView, ...], Doc("The entries themselves and everything that depends on them; the first 100.")
    ]
    left_out: Annotated[int, Doc("The number of further entries.", 0)]
    changes: tuple[ChangeView, ...]
    last: Annotated[int, Doc("The end of the log now.", 13)]
