"""How many times a day something happens, in eight languages: "once a day", "500 mg dreimal täglich"."""

from collections.abc import Iterable
from decimal import Decimal

from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import numbers, unaccented

__all__ = ["times_a_day"]


def times_a_day(texts: Iterable[str]) -> set[Decimal]:
    """The numbers of times a day that the texts name; none if they leave it open: "once or twice a day"."""
    found: set[Decimal] = set()
    for match in (match for text in texts for match in _TIMES_A_DAY.finditer(unaccented(text))):
        if match["other"]:
            return set()
        plain = match["plain"]
        found |= {Decimal(_PLAIN[plain])} if plain else {*numbers(match["number"])}
    return found


_PLAIN = {
    word: at + 1
    for at, words in enumerate(
        (
            "once einmal 1x eens eenmaal raz",
            "twice zweimal tweemaal",
            "thrice dreimal driemaal",
            "viermal",
        )
    )
    for word in words.split()
}
_TIMES_A_DAY = lazy_pattern(
    r"(?P<other>\b(?:or|to|oder|bis|o|ou|of|a|lub|do) |[-–])?"
    rf"(?<![\w.,])(?:(?P<plain>{'|'.join(_PLAIN)})"
    r"|(?P<number>[a-z]+|\d{1,2}) ?(?:x|times|mal|ve(?:z|ces)|fois|volt[ae]|vez(?:es)?|keer|raz[y]?))"
    r" ?(?:a day|per day|each day|every day|daily|am tag|pro tag|taglich|jeden tag|al dia|por dia|cada dia|diarias?"
    r"|par jour|chaque jour|al giorno|ogni giorno|ao dia|per dag|elke dag|dziennie|na dzien)\b"
)
