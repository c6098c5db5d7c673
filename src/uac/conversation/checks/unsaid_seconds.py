"""Parts of a written time that people hardly ever say: seconds, and the offset from UTC.

Readings of words end with the minute, so these parts are compared with the words as they are written.
"""

import re
from collections.abc import Iterator

from uac.conversation.checks.verdicts import Json
from uac.text.lazy_pattern import lazy_pattern

__all__ = ["unsaid_seconds"]

FIRST_OFFSET, LAST_OFFSET, STEP = -12 * 60, 14 * 60, 15  # minutes from UTC


def unsaid_seconds(raw: Json, words: str) -> Iterator[str]:
    """Seconds of a time, a moment or a sentence that the words do not have, and offsets that no place has.

    Whole minutes are always fine, and so is every offset in use: people do not say theirs. Words that speak of
    seconds may mean them.
    """
    if isinstance(raw, list | tuple):
        for part in raw:
            yield from unsaid_seconds(part, words)
    if not isinstance(raw, str):
        return
    for found in _SECONDS.finditer(raw):
        clock, fraction, sign, hours, minutes = found.groups()
        is_whole = clock[-2:] == "00" and not (fraction or "").strip("0")
        if not (is_whole or clock.lstrip("0") in words or _SAID.search(words)):
            yield f"the seconds of {clock}{'.' + fraction if fraction else ''} are not in the quoted words"
        offset = (int(hours) * 60 + int(minutes)) * (-1 if sign == "-" else 1) if sign else 0
        if offset % STEP or not FIRST_OFFSET <= offset <= LAST_OFFSET or int(minutes or 0) >= 60:
            yield f"no place is {sign}{hours}:{minutes} from UTC"


_SECONDS = lazy_pattern(r"(?<![\d:])(\d{1,2}:\d\d:\d\d)(?:\.(\d+))?(?:([+-])(\d\d):?(\d\d))?(?![\d:])", re.ASCII)
_SAID = lazy_pattern(
    r"\b(?:seconds?|secs?|sekunden?|sek|segundos?|secondes?|secondi|seconden|sekund\w*)\b", re.IGNORECASE
)
