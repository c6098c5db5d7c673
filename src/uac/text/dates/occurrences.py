"""Which occurrence of a weekday, day or month is meant: the one before or after the day when the words were said."""

from collections.abc import Sequence
from datetime import date

from uac.schema.periods import Period
from uac.text.dates.tense import Tense

__all__ = ["ranked_by_tense", "since_or_from"]


def ranked_by_tense(
    meanings: Sequence[Period],
    today: date,
    tense: Tense,
    *,
    is_weekday: bool,
    is_certain: bool,
    named_before: Period | None = None,
) -> tuple[tuple[Period, ...], int]:
    """The occurrences, the likeliest first, and how many of them are certain.

    `named_before` is the certain date that the words name just before: "I arrive on Friday and leave on Monday".
    """
    ordered = sorted(meanings, key=lambda meaning: _distance(meaning, today))
    if not (tense == "past" and is_certain) and (after := _first_after(ordered, named_before, today)) is not None:
        return (after, *(m for m in ordered if m != after)), 1
    fits = [m for m in ordered if _fits(m, tense, today)]
    is_only_today = any(m.first == m.last == today for m in ordered)
    if not fits or (is_weekday and is_only_today):
        return tuple(ordered), 0  # "Friday", said on a Friday
    has_end_today = tense == "future" and is_certain
    if is_weekday and tense != "past" and any(_is_going_on(m, today, has_end_today=has_end_today) for m in ordered):
        return tuple(ordered), 0  # "Monday to Saturday", said on a Thursday
    if has_end_today and is_weekday:
        fits = [m for m in fits if m.last != today] or fits
    nearest = ordered[0]
    is_against = bool(tense) and is_certain and nearest not in fits
    if not is_against and _is_much_nearer(ordered, today):
        return _nearest_of_all(ordered, today)
    if not tense and not _is_coming(nearest, today):
        return tuple(ordered[:2]), 0
    return _by_tense(ordered, fits, today, tense, is_certain=is_certain)


def since_or_from(meanings: Sequence[Period], today: date) -> tuple[tuple[Period, ...], int]:
    """The days of a word that is "since" as well as "from": only a day of the year that is near is certain."""
    ordered = sorted(meanings, key=lambda meaning: abs(((meaning.first or today) - today).days))[:3]
    is_day = all(len(meaning.start) >= len("2026-03-19") for meaning in ordered)
    return tuple(ordered), 1 if is_day and _is_much_nearer(ordered, today) else 0


def _by_tense(
    ordered: Sequence[Period], fits: Sequence[Period], today: date, tense: Tense, *, is_certain: bool
) -> tuple[tuple[Period, ...], int]:
    """The nearest one that the tense asks for; certain if the clause itself says so, or if it is the nearest of all."""
    chosen = fits[0]
    same = [m for m in ordered if m is chosen or _overlap(m, chosen)]
    rest = [m for m in ordered if m not in same]
    near, other = _distance(chosen, today), min((_distance(m, today) for m in rest), default=None)
    is_clear = bool(tense) or other is None or near <= other
    # of those in the other direction, the nearest
    against = [m for m in rest if m not in fits or _distance(m, today) == 0][:1]
    if tense and not is_certain and against:
        is_clear = other is not None and near * (_NEARER if tense == "past" else 1) < other
    if other is not None and near > max(_FAR, other * _MUCH):
        is_clear = False  # a day of two weeks ago is likelier than that of the next year, whatever the tense
    return (*same, *against), len(same) if is_clear else 0


def _first_after(ordered: Sequence[Period], before: Period | None, today: date) -> Period | None:
    """The first occurrence after a day to come that was named before."""
    if before is None or before.first is None or before.first <= today or before.first != before.last:
        return None
    return next((m for m in ordered if m.first is not None and m.first > before.first), None)


def _is_much_nearer(ordered: Sequence[Period], today: date) -> bool:
    """Whether the next one is so far that nobody would think of it: 3 February, said in January."""
    nearest = ordered[0]
    others = [_distance(m, today) for m in ordered if not _overlap(m, nearest)]
    return bool(others) and min(others) > max(_FAR, _distance(nearest, today) * _MUCH)


_FAR, _MUCH, _NEARER = 90, 4, 2


def _nearest_of_all(ordered: Sequence[Period], today: date) -> tuple[tuple[Period, ...], int]:
    """The nearest one with those that overlap it, and the next of those in the other direction."""
    same = [m for m in ordered if _overlap(m, ordered[0])]
    direction: Tense = "future" if _is_coming(ordered[0], today) else "past"
    rest = [m for m in ordered if m not in same and not _fits(m, direction, today)]
    return (*same, *rest[:1]), len(same)


def _distance(meaning: Period, today: date) -> int:
    first, last = meaning.first or meaning.last or today, meaning.last or meaning.first or today
    return 0 if first <= today <= last else min(abs((first - today).days), abs((last - today).days))


def _fits(meaning: Period, tense: Tense, today: date) -> bool:
    return (meaning.first or meaning.last or today) <= today if tense == "past" else _is_coming(meaning, today)


def _is_coming(meaning: Period, today: date) -> bool:
    return (meaning.last or meaning.first or today) >= today


def _is_going_on(meaning: Period, today: date, *, has_end_today: bool) -> bool:
    """Whether it began before today and is not over; one that ends today may not be meant by what is to come."""
    if meaning.first is None or meaning.last is None:
        return False
    return meaning.first < today < meaning.last or (meaning.first < today == meaning.last and not has_end_today)


def _overlap(one: Period, other: Period) -> bool:
    """Whether two readings are of the same occurrence."""
    (first, last), (begin, end) = ((p.first or p.last, p.last or p.first) for p in (one, other))
    return (
        first is not None
        and last is not None
        and begin is not None
        and end is not None
        and (first <= end and begin <= last)
    )
