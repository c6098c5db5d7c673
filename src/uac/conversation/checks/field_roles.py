"""What a field asks of the words: the start or the end of something, or a day that is over; and which date says it."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from uac.conversation.checks.readings import ReadDate, Readings
from uac.text.lazy_pattern import lazy_pattern

__all__ = ["IS_ONE_OF_SEVERAL", "Role", "is_over_field", "is_past_field", "prefers_date", "role_of"]

Role = Literal["start", "end", "any"]


IS_ONE_OF_SEVERAL = lazy_pattern(r"(?:^|_)(?:last|first|next|second|third|previous|earlier|later|new|old|original)_")
"""A field whose name tells several things apart by their order, which code does not follow."""


def role_of(name: str) -> Role:
    """Whether a field is about a start or an end, by the words of its name."""
    words = set(re.findall(r"[a-z]+", name.casefold()))
    if words & _END and not ("last" in words and words.isdisjoint(_LAST_OF)):
        return "end"
    return "start" if words & _START else "any"


_LAST_OF = frozenset("day date night shift lesson class session payment one working school".split())
"""What a last one is the end of; `last_check` is the one before today."""
_START = frozenset(
    "start starts started start_on begins began begin departs depart departure departed from since opens opened"
    " opening outbound valid_from effective checkin".split()
)
_END = frozenset(
    "end ends ended until till returns return returned back due expires expiry expired deadline closes closing"
    " finish finishes finished through last pay_by home checkout to by".split()
)


def is_past_field(name: str) -> bool:
    """Whether a field is about something that has happened, by its name: `paid_on`, `bought`, `met_on`."""
    words = re.findall(r"[a-z]+", name.casefold())
    return is_over_field(name) or any(len(word) > 4 and word.endswith("ed") for word in words)


def is_over_field(name: str) -> bool:
    """Whether a field cannot be about a day to come: `paid_on`, unlike `delivered`, which may be planned."""
    return not _OVER.isdisjoint(re.findall(r"[a-z]+", name.casefold()))


_OVER = frozenset(
    "paid bought met born sold sent left went drove began found made got took saw told built married died visited"
    " received attended".split()
)


def prefers_date(name: str, readings: Readings, among: Sequence[int]) -> int | None:
    """Which of several dates the field means; None if that is not clear."""
    seen = {at: readings.dates[at] for at in among}
    role = role_of(name)
    cued = [at for at, each in seen.items() if role != "any" and _is_cued(each, role)]
    if (at := _only_date(cued, seen)) is not None:
        is_open = any(_is_range(each) for other, each in seen.items() if other != at)
        return None if is_open or any(_CONTRAST.search(each.words) for each in seen.values()) else at
    return None


def _only_date(among: Sequence[int], seen: Mapping[int, ReadDate]) -> int | None:
    """The first of them, if all can mean the same date: a fact and the words that it quotes name it each."""
    shared = [set(seen[at].mention.meanings) for at in among]
    return among[0] if shared and set.intersection(*shared) else None


def _is_range(each: ReadDate) -> bool:
    """Whether it has a start and an end of its own: "March 30 to April 10"."""
    return any(meaning.start and meaning.end and meaning.start != meaning.end for meaning in each.mention.meanings)


def _is_cued(each: ReadDate, role: Role) -> bool:
    """Whether the words before the date, in its clause, name a start or an end."""
    clause = _STOP.split(each.words[: each.mention.start])[-1]
    near = clause[-20:] + " " + _LAST_ONE.sub("", each.mention.phrase).split(" ")[0] + " "
    after = _STOP.split(each.words[each.mention.end :])[0][:16]
    cue = _END_CUES if role == "end" else _START_CUES
    other = _START_CUES if role == "end" else _END_CUES
    last = max((found.end() for found in cue.finditer(near)), default=-1)
    rival = max((found.end() for found in other.finditer(near)), default=-1)
    if last < 0 <= (rival if rival >= 0 else -1):
        return False
    return last > rival if last >= 0 else bool(_END_AFTER.search(after)) and role == "end"


_LAST_ONE = lazy_pattern(r"last (?!day\b)", re.IGNORECASE)  # "last Saturday" is no end
_STOP = lazy_pattern(r"[,;.!?:]|\b(?:and|und|y|et|e|en|i|but|aber|pero|mais|ma|mas|maar|ale)\b", re.IGNORECASE)
_END_CUES = lazy_pattern(
    r"\b(?:back|home|return\w*|until|till|til|by|due|through|ends?|expires?|deadline|closes?|runs out|paid by|last"
    r"|bis|zurück|retour|fällig"
    r"|spätestens|endet|hasta|vuelv\w+|volv\w+|regres\w+|march\w+|vence|antes|jusqu\w*|rentr\w+|revien\w+|pour"
    r"|avant|torn\w+|fino|entro|scad\w+"
    r"|rientr\w+|volt\w+|até|regress\w+|vence|antes|terug|tot|uiterlijk|voor|do|wraca\w*|termin|t/m)\b",
    re.IGNORECASE,
)
_END_AFTER = lazy_pattern(r"\b(?:back|home|retour|zurück|terug|z powrotem)\b", re.IGNORECASE)
_START_CUES = lazy_pattern(
    r"\b(?:leav\w+|depart\w*|off|out|from|start\w*|begin\w*|since|arriv\w*|opens?|fly|flying|ab|vom|los|fahr\w+"
    r"|flieg\w+|beginn\w*|startet"
    r"|salimos|salgo|sale|desde|llegan|llego|llega|empiez\w+|pars|partons|part|commence|dès|depuis|partiamo|parto"
    r"|parte|dal|inizia"
    r"|saímos|saio|começa|desde|partir|vertrek\w*|vanaf|begint|sinds|wyjeżdż\w+|lec\w+|od|zaczyna\w*)\b",
    re.IGNORECASE,
)
_CONTRAST = lazy_pattern(
    r"\b(?:was|were|war|era|était|był|extend\w*|verlänger\w+|ampli\w+|prolong\w+|prorog\w+|verleng\w+|przedłuż\w+|but|though|instead|actually|now|aber|jetzt|sondern|doch|pero|sino|ahora|mais|plutôt|maintenant|ma|però|anzi|ora|mas|agora|maar|nu|ale|lecz|teraz)\b",
    re.IGNORECASE,
)
"""After it, the words may name another day for the same thing: "the party is at Halloween, but on the Friday"."""
