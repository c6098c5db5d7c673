"""The rows of an index that a search sees, and those that a filter allows."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np

from uac.log.index import IndexHead, RecallKind
from uac.recall.filters import Filter
from uac.recall.passage_arrays import Mask, PassageArrays, PassageTable
from uac.text.search_terms import query_terms, terms_of

__all__ = ["SearchScope", "allowed_rows", "search_scope"]


@dataclass(frozen=True, slots=True)
class SearchScope:
    """The index that is searched. Rows that are not visible are not found and lend no score."""

    arrays: PassageArrays
    head: IndexHead
    visible: Mapping[RecallKind, Mask]


def search_scope(
    arrays: PassageArrays, head: IndexHead, gone: Collection[int], *, through: int | None = None
) -> SearchScope:
    """Everything that is valid, without the positions that are gone, and up to a position if one is given."""
    visible = {kind: table.is_valid.copy() for kind, table in arrays.tables.items()}
    for kind, table in arrays.tables.items():
        if gone and kind != "record":
            visible[kind][table.rows_at(gone)] = False
        if through is not None:
            visible[kind] &= table.column("position") <= through
    return SearchScope(arrays, head, visible)


def allowed_rows(only: Filter, searched: SearchScope) -> Mapping[RecallKind, Mask] | None:
    """The rows that may be found; None if only the kind is restricted."""
    is_dated = bool(only.since or only.until)
    if not (only.sessions or only.sources or only.authorities or is_dated or only.about):
        return None
    allowed: dict[RecallKind, Mask] = {}
    for kind, table in searched.arrays.tables.items():
        mask = allowed[kind] = searched.visible[kind].copy()
        for column, texts in (
            ("session", only.sessions),
            ("source", only.sources),
            ("authority", only.authorities),
        ):
            if texts:
                mask &= np.isin(table.column(column), [table.text_number(text) for text in texts])
        if is_dated:  # passages without any date do not match
            first, last = (only.since or date.min).toordinal(), (only.until or date.max).toordinal()
            mask &= (table.column("until") >= first) & (table.column("since") <= last)
        if only.about:
            mask &= _rows_about(only.about, table, searched.head)
    return allowed


def _rows_about(name: str, table: PassageTable, head: IndexHead) -> Mask:
    """The rows that have all words of a name, or whose speaker has it."""
    groups, terms = query_terms(name, head.languages), set(terms_of(name))
    is_about = np.zeros(table.count, bool)
    if groups:
        named = np.zeros(table.count, np.int64)
        for group in groups:
            named[table.rows_with(group)] += 1
        is_about |= named == len(groups)
    speakers = [speaker for speaker in head.speakers if terms and terms <= set(terms_of(speaker))]
    return is_about | np.isin(table.column("speaker"), [table.text_number(speaker) for speaker in speakers])
