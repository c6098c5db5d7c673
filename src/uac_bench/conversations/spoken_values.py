"""What a text says in any wording: numbers, days and names, and what it denies. All scorers of a life read by it."""

import re
from collections.abc import Collection, Iterator
from datetime import date
from decimal import Decimal

from uac_bench.conversations.wording import MONTHS

__all__ = [
    "counts_in",
    "days_in",
    "denies",
    "has_denial",
    "is_day_of",
    "mentions",
    "numbers_in",
    "plain",
    "says",
    "without_days",
]

MONTH_NUMBERS = {name.casefold(): number for names in MONTHS.values() for number, name in enumerate(names, 1)}
_MONTH = "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True))
_DAYS = (
    re.compile(r"\b(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)\b"),
    re.compile(
        rf"\b(?P<d>\d\d?)(?:\.|st|nd|rd|th|er)?\s+(?:de\s+|of\s+)?(?P<m>{_MONTH})\b(?:,?\s+(?:de\s+)?(?P<y>\d{{4}}))?"
    ),
    re.compile(rf"\b(?P<m>{_MONTH})\s+(?P<d>\d\d?)(?:st|nd|rd|th)?\b(?:,?\s+(?P<y>\d{{4}}))?"),
    re.compile(r"\b(?P<d>\d\d?)\.(?P<m>\d\d?)\.(?P<y>\d{4})\b"),
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_NUMBER_WORDS = {
    word: number
    for words in (
        "no one two three four five six seven eight nine ten eleven twelve",
        "keine ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "ninguna una dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "aucune une deux trois quatre cinq six sept huit neuf dix onze douze",
    )
    for number, word in enumerate(words.split())
} | {"none": 0, "kein": 0, "keinen": 0, "keiner": 0, "keinem": 0, "ningún": 0, "ninguno": 0, "aucun": 0, "zero": 0} | {
    "eine": 1, "einen": 1, "einem": 1, "einer": 1, "un": 1, "uno": 1, "a": 1, "null": 0, "cero": 0, "zéro": 0
}  # fmt: skip
_NOT = re.compile(
    r"\b(?:not|never|neither|nor|cannot|without|former|formerly|previously|used to"
    r"|nicht|ned|nie|niemals|kein(?:e[nmrs]?)?|weder|ohne|früher"
    r"|nunca|jamás|tampoco|sin|ya no|antes era|aucune?|jamais|sans|pas|ne|ni)\b|n['’]t\b|\bn['’](?=\w)"
    r"|\bno(?= longer\b| more\b)"
)
_BARE_NO = re.compile(r"\bno\b(?!\.)")
_CLAUSES = re.compile(
    r"[,;:!?()\n–—]|\.(?!\d)|\b(?:and|but|then|und|aber|sondern|dann|y|e|pero|sino|luego|et|mais|puis)\b"
)

ARTICLES = frozenset(
    "the a an my our der die das den dem ein eine einen mein meine el la los las un una mi le les une mon ma".split()
)


def plain(text: object) -> str:
    """The text without case, without spare white space and without an article before it."""
    folded = " ".join(str(text).casefold().split())
    first, _, rest = folded.partition(" ")
    return rest if rest and first in ARTICLES else folded


def says(text: str, value: str) -> bool:
    """Whether the words of a value are in the text, one after the other."""
    return bool(_places(text, value))


def mentions(text: str, value: str) -> bool:
    """Whether the text has each long word of a value; an ending may differ."""
    folded = text.casefold()
    words = re.findall(r"[^\W\d_]{3,}", value.casefold())
    return all(word[: max(4, len(word) - 2)] in folded for word in words)


def has_denial(text: str) -> bool:
    folded = text.casefold()
    return bool(_NOT.search(folded) or _BARE_NO.search(folded))


def denies(text: str, value: str) -> bool:
    """Whether each mention of a value is in a clause that denies it; no if it is not mentioned."""
    places = _places(text, value)
    return bool(places) and all(has_denial(_clause(text, *place).replace(value.casefold(), "")) for place in places)


def numbers_in(text: str) -> list[Decimal]:
    """The numbers of a text, whichever comma it uses; of "104 Euro 50" one number."""
    joined = re.sub(r"(\d+) (?:euros?|pounds?) (\d\d)\b", r"\1.\2", text.casefold())
    return [Decimal(found.replace(",", ".")) for found in _NUMBER.findall(joined)]


def counts_in(text: str) -> set[int]:
    """The whole numbers that a text counts with: no days, amounts or measures. Words count if there are no digits."""
    rest = re.sub(
        r"[£$€]\s?\d+(?:[.,]\d+)?|\d+[.,:]\d+|\d+\s?(?:mg|km|€|gbp|eur|pounds?|euros?|uhr|h)\b", " ", without_days(text)
    )
    digits = {int(found) for found in re.findall(r"\d+", rest)}
    words = {_NUMBER_WORDS[word] for word in re.findall(r"[^\W\d_]+", rest) if word in _NUMBER_WORDS}
    return digits or (words if len(words) == 1 else words - {1})


def days_in(text: str) -> set[tuple[int | None, int, int]]:
    """The days that a text names: year, if given, month and day."""
    return {day for day, _span in _days(text.casefold())}


def without_days(text: str) -> str:
    """The text in small letters, without the days that it names."""
    folded = text.casefold()
    for _day, (start, end) in sorted(_days(folded), key=lambda found: found[1], reverse=True):
        folded = f"{folded[:start]} {folded[end:]}" if end <= len(folded) else folded
    return folded


def is_day_of(named: Collection[tuple[int | None, int, int]], day: date) -> bool:
    """Whether the days that a text names are this one, and no other."""
    return bool(named) and all(
        (month, of) == (day.month, day.day) and year in (None, day.year) for year, month, of in named
    )


def _days(folded: str) -> Iterator[tuple[tuple[int | None, int, int], tuple[int, int]]]:
    taken: list[tuple[int, int]] = []
    for pattern in _DAYS:
        for found in pattern.finditer(folded):
            if any(found.start() < end and start < found.end() for start, end in taken):
                continue
            taken.append(found.span())
            month = MONTH_NUMBERS.get(found["m"]) or int(found["m"])
            yield (int(found["y"]) if found["y"] else None, month, int(found["d"])), found.span()


def _places(text: str, value: str) -> list[tuple[int, int]]:
    words = r"\s+".join(map(re.escape, value.casefold().split()))
    return [found.span() for found in re.finditer(rf"(?<!\w){words}(?!\w)", text.casefold())] if words else []


def _clause(text: str, start: int, end: int) -> str:
    """The words around a place, up to the next sign or conjunction."""
    folded = text.casefold()
    before = [found.end() for found in _CLAUSES.finditer(folded, 0, start)]
    after = _CLAUSES.search(folded, end)
    return folded[before[-1] if before else 0 : after.start() if after else len(folded)]
