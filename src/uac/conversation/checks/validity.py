"""When a fact holds: the model's period, checked against the dates in the quoted text."""

from collections.abc import Sequence

from uac.conversation.checks.evidence import value_evidence_problems
from uac.conversation.checks.readings import QuotedText
from uac.errors import Refused
from uac.schema.periods import Period, check_period
from uac.text.dates.mentions import means, mentions, resolve
from uac.text.quotes import verbatim

__all__ = ["validity_of"]

MONTH_LENGTH = len("2024-03")


def validity_of(phrase: str, period: Period, quotes: Sequence[QuotedText]) -> tuple[Period, str]:
    """The period in which the fact holds, and the phrase that states it. The model must agree with our reading."""
    check_period(period)
    if not phrase:
        return _period_without_phrase(period, quotes)
    quote = next((quote for quote in quotes if verbatim(phrase, quote.words)), None)
    if quote is None:
        raise Refused(f"The phrase {phrase[:60]!r} is not in the quoted words. Use a phrase of the quote.")
    meanings = _phrase_meanings(phrase, quote)
    if not meanings:
        return _period_without_phrase(period, quotes)[0], phrase
    if period == Period():
        return _widest_validity(meanings), phrase
    if open_ended := next((meaning for meaning in meanings if _is_end_of(period, meaning)), None):
        return open_ended, phrase  # 'since Monday' is given as that Monday, which is where it begins
    if wide := next((meaning for meaning in meanings if _lies_within(period, meaning)), None):
        return wide, phrase  # 'in July' is given as a day of July, which these words do not say
    is_range = any(period.start == meaning.start for meaning in meanings) and period.end != period.start
    is_stated = _is_period_stated(period, quotes if is_range else [QuotedText(phrase, quote.said)])
    if not means(period, meanings) and not is_stated:
        raise Refused(
            f"{phrase!r}, said on {quote.said:%A %Y-%m-%d}, means {_meanings_text(meanings)},"
            f" but start and end say {_validity_text(period)}. Correct them, or leave them out."
        )
    return period, phrase


def _period_without_phrase(period: Period, quotes: Sequence[QuotedText]) -> tuple[Period, str]:
    """Accept a period without a phrase only if the quotes state it, or it begins on the day or in the month they were
    said."""
    if period == Period():
        return period, ""
    for quote in quotes:
        said = quote.said.date().isoformat()
        if period.start in (said, said[:MONTH_LENGTH]) and period.end in ("", period.start):
            return period, ""
        for mention in mentions(quote.words, quote.said):
            if means(period, mention.meanings):
                return period, mention.phrase
    if _is_period_stated(period, quotes):
        return period, ""
    raise Refused(f"The quoted words do not say {_validity_text(period)}. Leave start and end out, or quote the date.")


def _is_end_of(period: Period, meaning: Period) -> bool:
    """Whether the period is one day or month, and the meaning begins or ends there and is open on the other side."""
    return (
        period.start == period.end
        and period.start in (meaning.start, meaning.end)
        and not (meaning.start and meaning.end)
    )


def _lies_within(period: Period, meaning: Period) -> bool:
    """Whether a period is a more precise day of a month or year that the meaning begins or ends with."""
    if means(period, [meaning]) or len(meaning.start or meaning.end) >= 10:
        return False
    wholes = [Period.on(edge) for edge in dict.fromkeys((meaning.start, meaning.end)) if edge]
    edges = [day for day in (period.first if period.start else None, period.last if period.end else None) if day]
    return bool(edges) and all(any(whole.covers(day) for whole in wholes) for day in edges)


def _is_period_stated(period: Period, quotes: Sequence[QuotedText]) -> bool:
    """Whether the quotes state both ends, or one end and the duration."""
    return not value_evidence_problems({"start": period.start or None, "end": period.end or None}, quotes)


def _widest_validity(meanings: Sequence[Period]) -> Period:
    """The meaning that contains all others: two weeks ago was in that week. If there is none, no period."""
    for wide in meanings:
        first, last = wide.first, wide.last
        if first and last and all(m.first and m.last and first <= m.first and m.last <= last for m in meanings):
            return wide
    return Period()


def _phrase_meanings(phrase: str, quote: QuotedText) -> tuple[Period, ...]:
    """What a phrase means in its context: 'the 25th' after 'January 15' is a day of January."""
    for mention in mentions(quote.words, quote.said):
        if mention.phrase.casefold() == phrase.casefold():
            return mention.meanings
    return resolve(phrase, quote.said)


def _meanings_text(meanings: Sequence[Period]) -> str:
    return " or ".join(map(_validity_text, meanings))


def _validity_text(period: Period) -> str:
    if period.start == period.end:
        return period.start
    return f"{period.start or '…'} to {period.end or '…'}"
