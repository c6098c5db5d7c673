"""When a fact holds: what a model says of it, against what code makes of the quoted words."""

from collections.abc import Sequence

from uac.conversation.checks.evidence import Ground, values_unsupported
from uac.errors import Refused
from uac.schema.periods import Period, check_period
from uac.text.dates.resolve import means, mentions, resolve
from uac.text.quotes import verbatim

__all__ = ["held_by"]


def held_by(phrase: str, period: Period, grounds: Sequence[Ground]) -> tuple[Period, str]:
    """When the fact holds and the phrase that says so: as the code resolves the phrase, or not at all."""
    check_period(period)
    if not phrase:
        return _unphrased(period, grounds)
    ground = next((ground for ground in grounds if verbatim(phrase, ground.words)), None)
    if ground is None:
        raise Refused(f"when is {phrase[:60]!r}, which is not in the quoted words, needs a phrase of the quote")
    meanings = _meanings(phrase, ground)
    if not meanings:
        return _unphrased(period, grounds)[0], phrase
    if period == Period():
        return _widest(meanings), phrase
    is_range = any(period.start == meaning.start for meaning in meanings) and period.end != period.start
    if not means(period, meanings) and not (is_range and _is_told(period, grounds)):
        raise Refused(
            f"{phrase!r}, said on {ground.said:%A %Y-%m-%d}, means {_listed(meanings)},"
            f" and start and end say {_ends(period)}"
        )
    return period, phrase


def _unphrased(period: Period, grounds: Sequence[Ground]) -> tuple[Period, str]:
    """A period without a phrase must stand in the quoted words, or begin on the day they were said."""
    if period == Period():
        return period, ""
    for ground in grounds:
        if period.start == ground.said.date().isoformat() and period.end in ("", period.start):
            return period, ""
        for mention in mentions(ground.words, ground.said):
            if means(period, mention.meanings):
                return period, mention.phrase
    if _is_told(period, grounds):
        return period, ""
    raise Refused(
        f"start and end say {_ends(period)}, which the quoted words do not: leave them out, or quote the date"
    )


def _is_told(period: Period, grounds: Sequence[Ground]) -> bool:
    """Whether the quoted words name both ends, or how long it is from one to the other."""
    return not values_unsupported({"start": period.start or None, "end": period.end or None}, grounds)


def _widest(meanings: Sequence[Period]) -> Period:
    """The meaning that holds all others: two weeks ago was in that week. Without one, there is no date."""
    for wide in meanings:
        first, last = wide.first, wide.last
        if first and last and all(m.first and m.last and first <= m.first and m.last <= last for m in meanings):
            return wide
    return Period()


def _meanings(phrase: str, ground: Ground) -> tuple[Period, ...]:
    """What a phrase means where it stands: 'the 25th' after 'January 15' is a day of January."""
    for mention in mentions(ground.words, ground.said):
        if mention.phrase.casefold() == phrase.casefold():
            return mention.meanings
    return resolve(phrase, ground.said)


def _listed(meanings: Sequence[Period]) -> str:
    return " or ".join(map(_ends, meanings))


def _ends(period: Period) -> str:
    if period.start == period.end:
        return period.start
    return f"{period.start or '…'} to {period.end or '…'}"
