"""Whether a fact and the words that it quotes have a value in common, each as a whole: 26.10 and 25.10 do not."""

from collections.abc import Sequence
from decimal import Decimal

from uac.conversation.checks.readings import QuotedText, Readings, read_quotes
from uac.conversation.checks.spoken_prices import spoken_prices

__all__ = ["shares_value"]


def shares_value(text: str, quotes: Sequence[QuotedText]) -> bool:
    """Whether a date, a time, a price or another number is in both. The 12 of "12 May" is no 12 o'clock."""
    if not quotes:
        return False
    mine, theirs = read_quotes([QuotedText(text, quotes[0].said)]), read_quotes(quotes)
    days = {meaning for each in theirs.dates for meaning in each.mention.meanings}
    times = {time for each in theirs.times for time in each.time.possible}
    return (
        any(not days.isdisjoint(each.mention.meanings) for each in mine.dates)
        or any(not times.isdisjoint(each.time.possible) for each in mine.times)
        or not _amounts(mine).isdisjoint(_amounts(theirs))
    )


def _amounts(readings: Readings) -> set[Decimal]:
    """The numbers outside of dates and times; of "28 euros 75" the price, and not the 75."""
    prices = spoken_prices(readings)
    cents = {price % 1 * 100 for price in prices}
    return prices | {value for each in readings.numbers if not each.is_dated for value in each.values} - cents
