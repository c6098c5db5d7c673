"""Which of several dates, times or numbers the words name with the words of a field: `doors_at` for "doors at seven".

Only words directly beside a value name it, and only if nothing in the words says that a value has changed, is corrected
or is worked out: "dinner was booked for 7, but they moved us to 8" names 7 and means 8.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from uac.text.dates.tense import is_old_value
from uac.text.lazy_pattern import lazy_pattern

__all__ = ["Place", "is_beside_name", "is_current_alone", "is_named_alone"]


class Place(NamedTuple):
    """Where a value stands in a text."""

    words: str
    start: int
    end: int


def is_named_alone(name: str, places: Sequence[Place], rivals: Sequence[Place], *, may_add: bool = False) -> bool:
    """Whether words of the field's name are directly beside one of the places, and beside no rival.

    Every word of the name that tells things apart must be in its clause: "40 credits" is not yet `credits_so_far`.
    """
    stems = _stems(name)
    texts = {place.words for place in (*places, *rivals)}
    if not stems or any(_CHANGE.search(text) for text in texts) or (not may_add and any(map(_ADDS.search, texts))):
        return False
    return any(_is_named(place, stems) for place in places) and not any(_is_beside(place, stems) for place in rivals)


def is_beside_name(name: str, place: Place) -> bool:
    """Whether a word of the field's name is directly beside the place."""
    return _is_beside(place, _stems(name))


def is_current_alone(name: str, places: Sequence[Place], rivals: Sequence[Place]) -> bool:
    """Whether the words say that the rivals are values of before: "mondays now, used to be thursdays"."""
    if not rivals or _OF_BEFORE.search(name) or any(map(_is_former, places)):
        return False
    if any(_names_more(name, rival, places) for rival in rivals):
        return False
    is_now = any(_NOW.search(_clause(place)) for place in places)
    return all(_is_replaced(rival) or (is_now and _is_former(rival)) for rival in rivals)


def _names_more(name: str, rival: Place, places: Sequence[Place]) -> bool:
    """Whether the clause of a rival has words of the field that the clause of the value lacks: "I was 19 when I moved
    here, I'm 44 now" for the age at moving."""
    stems = _stems(name)
    theirs = [stem for stem in stems if re.search(rf"\b{re.escape(stem)}", _clause(rival).casefold())]
    is_mine = any(re.search(rf"\b{re.escape(stem)}", _clause(place).casefold()) for stem in theirs for place in places)
    return not is_mine and (len(theirs) > 1 or (bool(theirs) and re.search(r"ed(?:_|$)", name) is not None))


def _is_replaced(place: Place) -> bool:
    before = place.words[: place.start]
    return is_old_value(*place) or _REPLACED.search(before) is not None


def _is_former(place: Place) -> bool:
    return _is_replaced(place) or _FORMER.search(_clause(place)) is not None


def _clause(place: Place) -> str:
    return _STOP.split(place.words[: place.start])[-1] + " " + _STOP.split(place.words[place.end :])[0]


_OF_BEFORE = lazy_pattern(
    r"(?:^|_)(?:old|original|originally|previous|former|before|was|last|first|increase|difference|change|change[ds]|saved"
    r"|planned|quoted?|usual|normal|target|goal|needed|required)(?:_|$)"
)
_NOW = lazy_pattern(
    r"\b(?:now|today|these days|this (?:time|year|month|week|morning)|jetzt|nun|heute|diesmal|ahora|hoy|esta vez"
    r"|maintenant|aujourd['’]hui|cette fois|adesso|ora|oggi|stavolta|agora|hoje|desta vez|nu|vandaag"
    r"|deze keer|teraz|dziś)\b",
    re.IGNORECASE,
)
_FORMER = lazy_pattern(
    r"\b(?:was|were|used to|before|last (?:time|year|month|week)|previously|originally|war|waren|vorher|früher|bisher"
    r"|letztes? (?:mal|jahr|monat|woche)|era|eran|antes|la última vez|était|avant|la dernière fois|prima"
    r"|l['’]ultima volta"
    r"|waren|eerst|vroeger|vorige keer|był[ao]?|były|wcześniej|kiedyś|poprzednio)\b",
    re.IGNORECASE,
)
_REPLACED = lazy_pattern(
    r"\b(?:(?:up|down) from|instead of|rather than|used to be|no longer|not .{0,12}any ?more|(?:an)?statt"
    r"|nicht mehr|en vez de"
    r"|en lugar de|ya no|au lieu de|invece di|non più|em vez de|já não|in plaats van|niet meer|zamiast)"
    r"(?: (?:on|at|in|the|am|um|vom|el|las?|los|le|les|il|o|os|as|op|om|w|we))?\s*[€£$]?$",
    re.IGNORECASE,
)


def _stems(name: str) -> list[str]:
    words = [word for word in re.findall(r"[a-z]+", name.casefold()) if word not in _GENERIC]
    return [_ENDING.sub("", word)[:_STEM] if len(word) > 3 else word for word in words]


_STEM = 6
_ENDING = lazy_pattern(r"(?:ies|es|ed|s|e|y)$")


def _is_named(place: Place, stems: Sequence[str]) -> bool:
    before = _STOP.split(place.words[: place.start].casefold())[-1]
    clause = before + " " + _STOP.split(place.words[place.end :].casefold())[0]
    return _is_beside(place, stems) and all(re.search(rf"\b{re.escape(stem)}", clause) for stem in stems)


_STOP = lazy_pattern(r"[,;!?:](?=\s)|\.(?=\s)| (?:and|und|y|et|e|en|i|while|with|-|–|—) ")


def _is_beside(place: Place, stems: Sequence[str]) -> bool:
    before, after = place.words[: place.start].casefold(), place.words[place.end :].casefold()
    return any(
        re.search(rf"\b{re.escape(stem)}\w*{_BETWEEN}$", before[-60:]) is not None
        or re.match(rf"[ -]{re.escape(stem)}", after) is not None
        for stem in stems
    )


_BETWEEN = (
    r"(?:['’]s|'re|:| ?=|s['’])?(?: (?:is|are|was|were|of|at|on|in|by|for|from|until|till|costs?|comes|goes|leaves"
    r"|starts?|ends?|opens?|closes?|price|costs?|fee|rate|ticket|bill|about|around|only|just|the|a|to|has|have|takes?|lasts?|itself|up))*"
    r" ?(?:[€£$@~] ?)?"
)
_GENERIC = frozenset(
    "price cost costs amount fee number count value date day time year month when at on in of for the a an is my our"
    " by to from with and per".split()
)
_ADDS = lazy_pattern(
    r"\b(?:more|another|extra|plus|noch|mehr|zusätzlich|más|otr[oa]s?|encore|autres?|altr[ieoa]|ancora|outr[oa]s?|nog|meer"
    r"|więcej|jeszcze)\b",
    re.IGNORECASE,
)
_CHANGE = lazy_pattern(
    r"\b(?:but|instead|not|no|never|\w+n['’]t|(?:ca|do|wo|is|did|does|was|have|has)nt"
    r"|moved?|moving|push\w+|shift(?:ed|s)|switch\w+|swap\w*|chang\w+|postpon\w+"
    r"|reschedul\w+|now|was|were|used to|supposed|meant|originally|actually|rather|or|so|their|there|before|after"
    r"|later|earlier|then|less|off|up|down|went|goes|previous\w*|formerly|last (?:year"
    r"|month|week|time)|ago|usually|normally|except|sorry|wait|than|again|half|double|both|each|of the|of them)\b"
    r"|%|\?"
    r"|\b(?:aber|sondern|nicht|statt|jetzt|war|waren|früher|vorher|danach|dann|weniger|also|verschoben"
    r"|pero|sino|ahora|era|eran|antes|después|luego|menos|mais|pas|maintenant|était|avant|après|puis|moins"
    r"|ma|non|adesso|ora|prima|dopo|poi|meno|mas|não|agora|depois|maar|niet|nu|waren|eerst|daarna|dan|minder"
    r"|ale|nie|teraz|był\w*|potem|mniej)\b",
    re.IGNORECASE,
)
