"""Years that must be worked out: counted from another year ("hired the year after"), or in two digits ("in 21")."""

import re

from uac.conversation.checks.readings import Readings
from uac.text.lazy_pattern import lazy_pattern

__all__ = ["has_unread_year", "worked_out_years"]


def worked_out_years(readings: Readings) -> set[int]:
    """The years that may be meant beside those that the words state with four digits."""
    short = {_full(int(found[1]), said.year) for said in readings.said for found in _short_years(readings)}
    stated = {
        int(meaning.start)
        for seen in readings.dates
        for meaning in seen.mention.meanings
        if meaning.end in (meaning.start, "") and len(meaning.start) == len("2026")
    }
    return short | {year + away for year in stated | short for away in _distances(readings)}


def has_unread_year(readings: Readings) -> bool:
    return bool(worked_out_years(readings))


def _distances(readings: Readings) -> set[int]:
    found = set()
    for each in readings.lengths:
        before, after = each.words[: each.length.start], each.words[each.length.end :]
        for months, _minutes in each.length.sure:
            sign = _sign(after) or (-1 if _BEFORE_THAT.search(before) else 1 if _AFTER_THAT.search(before) else 0)
            if months and months % 12 == 0 and sign:
                found.add(sign * int(months) // 12)
    for text in readings.texts:
        found |= {1 for _ in _YEAR_AFTER.finditer(text)} | {-1 for _ in _YEAR_BEFORE.finditer(text)}
    return found


def _sign(after: str) -> int:
    return 1 if _LATER.match(after) else -1 if _EARLIER.match(after) else 0


def _short_years(readings: Readings) -> list[re.Match[str]]:
    return [found for text in readings.texts for found in _SHORT.finditer(text)]


def _full(short: int, now: int) -> int:
    """'98 is 1998: a year that is over, or the next few."""
    near = now // 100 * 100 + short
    return near if near <= now + 5 else near - 100


_LATER = lazy_pattern(
    r" (?:later|after(?:wards)?|on|später|danach|darauf|después|más tarde|plus tard|après|dopo|più tardi|depois"
    r"|mais tarde|erna|daarna|później|potem|younger|jünger|menor|más joven|plus jeune|più (?:piccol|giovan)\w+"
    r"|mais nov[oa]|jonger"
    r"|młodsz\w+)\b",
    re.IGNORECASE,
)
_EARLIER = lazy_pattern(
    r" (?:earlier|before|früher|vorher|zuvor|davor|antes|plus tôt|avant|prima|eerder|ervoor|wcześniej|older|älter"
    r"|mayor|plus âgée?|più grande"
    r"|mais velh[oa]|ouder|starsz\w+)\b",
    re.IGNORECASE,
)
_BEFORE_THAT = lazy_pattern(
    r"\b(?:before(?: that)?|previously|vorher|davor|zuvor|antes|avant(?: ça| cela)?|prima|daarvoor|ervoor|wcześniej)"
    r"(?:,? \w+){0,4},? $",
    re.IGNORECASE,
)
_AFTER_THAT = lazy_pattern(
    r"\b(?:after that|then|danach|dann|después|luego|puis|après|poi|dopo|depois|daarna|potem)(?:,? \w+){0,4},? $",
    re.IGNORECASE,
)
_YEAR_AFTER = lazy_pattern(
    r"\b(?:(?:the|a) (?:year after|following year|year later)|(?:im|das) jahr (?:darauf|danach)"
    r"|ein jahr (?:später|danach)|folgejahr|(?:al|el) año siguiente|l['’]année (?:d['’]après|suivante)"
    r"|l['’]anno (?:dopo|seguente|successivo)"
    r"|no ano seguinte|(?:het|een) jaar (?:erna|daarna|later)|rok później|w następnym roku)\b",
    re.IGNORECASE,
)
_YEAR_BEFORE = lazy_pattern(
    r"\b(?:the (?:year before|previous year)|(?:im|das) jahr (?:davor|zuvor)|el año anterior|l['’]année d['’]avant"
    r"|l['’]anno prima|no ano anterior|het jaar ervoor|rok wcześniej)\b",
    re.IGNORECASE,
)
_SHORT = lazy_pattern(
    r"(?:\b(?:in|since|back in|from|nel|del|dal|en(?: el)?|em|de|desde|depuis|von|aus|seit|im jahr|uit|sinds|w|z|od|abi"
    r"|abitur|bac|class of|promo|jahrgang|baujahr|bouwjaar|matura) ['’]?|(?<!\w)['’])(\d\d)"
    r"(?=$|[,;.!?)](?:\s|$)| (?:and|but|then|und|aber|dann|y|et|e|en|i|but)\b| ?$)",
    re.IGNORECASE,
)
