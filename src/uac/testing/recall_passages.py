"""Random passages, changes and filters for tests of the search index, and the plain list that it must agree with."""

from collections.abc import Collection, Mapping, Sequence
from operator import attrgetter
from typing import Any

from hypothesis import strategies as st

from uac.log.index import KINDS, NewPassage, Passage, PassageFilter

__all__ = ["INDEX_STEPS", "PASSAGE_FILTERS", "expected_passages"]

ODD_TEXTS = ["", "a", "A", "a\0b", "\\", "\\0", "'", '"', "%s", "[1]", "null", "é", "e\u0301", "婚礼", "😀", " a "]

_TEXT = st.sampled_from(ODD_TEXTS)
_DAY = st.sampled_from(["", "2024-02-29", "2025-12-31", "2026-03-01"])
_SMALL = st.integers(0, 3)
_PASSAGES = st.builds(
    Passage,
    st.just(0),
    st.sampled_from(KINDS),
    *[_SMALL] * 3,
    _TEXT,
    _TEXT,
    _DAY,
    _DAY,
    _DAY,
    _TEXT,
    st.sampled_from(["", "user", "assistant"]),
    st.sampled_from(["", "user", "inferred"]),
    _TEXT,
    st.lists(_SMALL, max_size=3).map(tuple),
    st.sampled_from(["", "en", "zh"]),
    _SMALL,
    _TEXT,
)
_TERMS = st.sampled_from(["wedding", "wed", "ding", "12", "1", "婚礼", "婚", "حفل", "straße", "x" * 40])
_ENTERING = st.builds(NewPassage, _PASSAGES, st.lists(_TERMS, unique=True, max_size=6).map(tuple))
INDEX_STEPS = st.one_of(
    st.tuples(st.lists(_ENTERING, max_size=5), st.lists(st.integers(0, 20), max_size=3)),
    st.just("clear"),
)


def _some_filter_values(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | st.lists(values, max_size=3).map(tuple)


PASSAGE_FILTERS = st.builds(
    PassageFilter,
    kinds=_some_filter_values(st.sampled_from(KINDS)),
    slots=st.none(),
    positions=_some_filter_values(_SMALL),
    records=_some_filter_values(_TEXT),
    sessions=_some_filter_values(_TEXT),
    sources=_some_filter_values(_TEXT),
    speakers=_some_filter_values(_TEXT),
    authorities=_some_filter_values(st.sampled_from(["", "user", "inferred"])),
    through=st.none() | _SMALL,
    since=_DAY,
    until=_DAY,
    newest=st.none() | _SMALL,
)


def is_expected_passage(passage: Passage, where: PassageFilter) -> bool:
    wanted: Mapping[str, Collection[object] | None] = {
        "kind": where.kinds,
        "slot": where.slots,
        "position": where.positions,
        "record": where.records,
        "session": where.sessions,
        "source": where.sources,
        "speaker": where.speakers,
        "authority": where.authorities,
    }
    return (
        all(values is None or getattr(passage, name) in values for name, values in wanted.items())
        and (where.through is None or passage.position <= where.through)
        and passage.until >= where.since
        and (not where.until or passage.since <= where.until)
    )


def expected_passages(passages: Sequence[Passage], where: PassageFilter) -> list[Passage]:
    chosen = sorted((passage for passage in passages if is_expected_passage(passage, where)), key=attrgetter("slot"))
    if where.newest is None:
        return chosen
    return sorted(chosen, key=attrgetter("since", "slot"), reverse=True)[: where.newest]
