"""Days of the week in a text, in eight languages: single ones, and those that recur."""

import re

from uac.text.dates.tense import is_move
from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import unaccented

__all__ = [
    "WEEKDAYS",
    "has_weekdays_apart",
    "is_moved_between_weekdays",
    "weekday_of",
    "weekday_places",
    "weekdays_beside",
    "weekdays_in",
    "weekdays_left_out",
]

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def weekday_of(word: str) -> int | None:
    """Which day of the week a word names, from Monday; None if none."""
    return _WEEKDAY.get(_even(word.strip()))


def weekdays_in(text: str) -> list[tuple[int, bool]]:
    """The weekdays that a text names, and whether each is said to recur."""
    plain = _even(text)
    found = [(day, True) for words, days in _SEVERAL for _ in words.finditer(plain) for day in days]
    for match in _RANGE.finditer(plain):
        first, last = _WEEKDAY[match[1]], _WEEKDAY[match[2]]
        found += [((first + more) % 7, True) for more in range((last - first) % 7 + 1)]
    for match in _LIST.finditer(plain):
        found += [(_WEEKDAY[day], True) for day in re.findall(_DAYS, match[0]) if day in _WEEKDAY]
    for match in _SHORT_RANGE.finditer(plain):
        first, last = _SHORT[match[1]], _SHORT[match[2]]
        found += [((first + more) % 7, True) for more in range((last - first) % 7 + 1)]
    for match in _SHORT_LIST.finditer(plain):
        found += [(_SHORT[day], True) for day in re.findall(r"[a-z]+", match[0]) if day in _SHORT]
    for match in _LETTERS.finditer(text):
        found += [("MTWTF".index(letter), True) for letter in match[0].split("/")]
    for match in _ALL_BUT.finditer(plain):
        found += [(day, True) for day in range(7) if day != _WEEKDAY[match[1]]]
    for match in _WORD.finditer(plain):
        before, after = plain[max(0, match.start() - 34) : match.start()], plain[match.end() : match.end() + 16]
        if _NOT_THEN.search(before):
            continue
        is_many = bool(match["many"]) or match["day"] in _PLURAL
        found.append((_WEEKDAY[match["day"]], is_many or bool(_EVERY.search(before) or _EVERY_AFTER.match(after))))
    return found


def weekday_places(text: str) -> list[tuple[int, tuple[int, int]]]:
    """The weekdays that a text names, each with its place."""
    return [(_WEEKDAY[match["day"]], match.span()) for match in _WORD.finditer(_even(text))]


def is_moved_between_weekdays(text: str) -> bool:
    """Whether "from Monday to Thursday" is a move, and not a range."""
    return is_move(text) and _RANGE.search(_even(text).replace(" naar ", " tot ")) is not None


def weekdays_beside(text: str, name: str) -> set[int]:
    """The weekdays directly beside a word of the field's name: `off_weekday` for "Tuesday and Friday, Thursday off"."""
    words = [word for word in name.casefold().split("_") if len(word) > 2 and "day" not in word]
    plain = _even(text)
    return {
        _WEEKDAY[match["day"]]
        for match in _WORD.finditer(plain)
        if any(re.match(rf" {re.escape(word)}", plain[match.end() :]) for word in words)
    }


def has_weekdays_apart(text: str) -> bool:
    """Whether several weekdays are named one by one, and not together: "no longer Mondays, now Tuesdays"."""
    plain = _even(text)
    joined = (*(words for words, _ in _SEVERAL), _RANGE, _LIST, _SHORT_RANGE, _SHORT_LIST)
    spans = [match.span() for words in joined for match in words.finditer(plain) if not _TWO.fullmatch(match[0])]
    if any(len({bool(day["many"]) for day in _WORD.finditer(found[0])}) > 1 for found in _LIST.finditer(plain)):
        return True  # "late shift only on Tuesday, Mondays and Thursdays I'm done at 4"
    apart = {
        _WEEKDAY[match["day"]]
        for match in _WORD.finditer(plain)
        if not _INSTEAD_OF.search(plain[: match.start()][-34:])
        if not any(start <= match.start() < end for start, end in spans)
    }
    groups = [span for span in set(spans) if not any(a <= span[0] and span[1] <= b for a, b in set(spans) - {span})]
    return len(apart) + len(groups) > 1


def weekdays_left_out(text: str) -> set[int]:
    """The weekdays that are named as exceptions: "every day except Wednesday"."""
    plain = _even(text)
    return {
        _WEEKDAY[match["day"]]
        for match in _WORD.finditer(plain)
        if _EXCEPT.search(plain[max(0, match.start() - 34) : match.start()])
    }


def _even(text: str) -> str:
    return unaccented(text).replace("ł", "l")


_ROWS = (
    "monday mon lunes lundi lunedi segunda segunda-feira montag maandag poniedzialek poniedzialki poniedzialku",
    "tuesday tue tues martes mardi martedi terca terca-feira dienstag dinsdag wtorek wtorki wtorku",
    (
        "wednesday wed weds miercoles mercredi mercoledi quarta quarta-feira mittwoch woensdag sroda srode srody"
        " humpday"
        " hump_day midweek"
    ),
    "thursday thu thur thurs jueves jeudi giovedi quinta quinta-feira donnerstag donderdag czwartek czwartki czwartku",
    "friday fri viernes vendredi venerdi sexta sexta-feira freitag vrijdag piatek piatki piatku tgif poets_day",
    "saturday sat sabado samedi sabato samstag sonnabend zaterdag sobota sobote soboty",
    "sunday sun domingo dimanche domenica sonntag zondag niedziela niedziele niedzieli",
)
_WEEKDAY = {word.replace("_", " "): at for at, row in enumerate(_ROWS) for word in row.split()}
_PLURAL = frozenset("poniedzialki wtorki srody czwartki piatki soboty niedziele tgif midweek".split()) | {"hump day"}
_DAYS = "|".join(sorted(map(re.escape, _WEEKDAY), key=len, reverse=True))
_WORD = lazy_pattern(
    rf"(?<!\w)(?P<day>{_DAYS})(?:-?(?:night|abend|morgen|nachmittag|avond|middag|ochtend|mittag|vormittag))?"
    r"(?P<many>s|en|feiras|-feiras|e)?(?!\w)"
)
_RANGE = lazy_pattern(
    rf"(?<!\w)({_DAYS})s? ?(?:-|–|to|till|until|through|thru|bis|a|al|au|hasta|ate|t/m|tot|do) ?({_DAYS})s?(?!\w)"
)
_LIST = lazy_pattern(
    rf"(?<!\w)(?:{_DAYS})s?(?:(?:, ?| ?/ ?| ?(?:and|&|\+|und|y|et|e|en|i|oder|or) (?:the |am |les |los "
    rf"|w )?)(?:{_DAYS})s?)+(?!\w)"
)
_SHORT_ROWS = (
    "mo lun seg ma pon mon",
    "di mar ter wt tue",
    "mi mie mer qua wo sr wed",
    "do jue jeu gio qui czw thu",
    "fr vie ven sex vr pt fri",
    "sa sab sam za sob sat",
    "so dom dim zo nd sun",
)
_SHORT = {word: at for at, row in enumerate(_SHORT_ROWS) for word in row.split()}
_SHORTS = "|".join(sorted(_SHORT, key=len, reverse=True))
_SHORT_RANGE = lazy_pattern(rf"(?<!\w)({_SHORTS})\.? ?(?:-|–|bis|a|au|al|t/m) ?({_SHORTS})\b")
_SHORT_LIST = lazy_pattern(rf"(?<!\w)(?:{_SHORTS})\.?(?:(?: ?[,/+&] ?| (?:und|y|et|e|en|i|and) )(?:{_SHORTS})\b\.?)+")
_LETTERS = lazy_pattern(r"(?<![\w/])[MTWF](?:/[MTWF]){1,4}(?![\w/])")
_ALL_BUT = lazy_pattern(
    rf"\b(?:every ?day|all week|taglich|jeden tag|todos los dias|tous les jours|tutti i giorni|todos os dias"
    rf"|elke dag|codziennie)"
    rf" (?:but|except|apart from|außer|ausser|menos|salvo|excepto|sauf|tranne|exceto|behalve|oprocz)(?: on| am| el"
    rf"| los| le| la| o| op)? ({_DAYS})"
)
_EVERY = lazy_pattern(
    r"(?:every|each|every other|every second|alternate|first|second|third|fourth|last|usual|jeden?|jede"
    r"|alle zwei wochen|immer|stets|los|todos los"
    r"|cada|un|chaque|tous les|les|ogni|tutti i|il|la|di|toda|todas as|as|aos|todo|todos os|elke|iedere|op"
    r"|om de week op|om de week|kazdy|kazda"
    r"|co|w kazda|w kazdy)\s+(?:am |an |zweiten |ersten |letzten |dritten |otro |premier |dernier |eerste |laatste "
    r"|second |other |primo |ultimo |drugi |druga )?$"
)
_EVERY_AFTER = lazy_pattern(r" (?:sur deux|si y otro|si e uno no|sim|nao|no y otro)|,? (?:every|each) week|s?\b.{0,3}=")
_NOT_THEN = lazy_pattern(
    r"\b(?:except|but|but not|not|never|nie|nunca|jamais|mai|nooit|nigdy|statt|en vez de|en lugar de|au lieu de"
    r"|invece di"
    r"|em vez de|in plaats van|zamiast|apart from|nicht|außer|salvo|menos|excepto|sauf|pas le|tranne|exceto|behalve"
    r"|oprocz|instead of)(?: on| am| el| le| la| a| os)? $"
)
_TWO = lazy_pattern(r"\S+, ?\S+")
"""Two weekdays with a comma between them may be two statements: "she comes on Tuesday, Wednesday she can't"."""
_EXCEPT = lazy_pattern(
    r"\b(?:except|(?:every ?day|any day|all week|always) but|apart from|außer|ausser|salvo|menos|excepto|sauf|tranne"
    r"|exceto|behalve|oprocz)(?: for| on| am| el| los| le| la| a| os| as| op| w| we)? $"
)
_INSTEAD_OF = lazy_pattern(
    r"\b(?:instead of|rather than|(?:an)?statt|en vez de|en lugar de|au lieu du?|invece (?:di|del)|em vez de"
    r"|in plaats van|zamiast)(?: on| am| a| el| los| le| la| as| op)? $"
)
_SEVERAL = tuple(
    (lazy_pattern(words), days)
    for words, days in (
        (
            (
                r"\bweekends\b|\b(?:at|on) (?:the )?weekends?\b|\bevery weekend\b|\b(?:am|jedes) wochenende\b"
                r"|\blos fines de semana\b|\ble week-?end\b"
                r"|\bnel weekend\b|\b(?:nos|aos) fins de semana\b|\bin het weekend\b|\bw weekendy?\b"
            ),
            (5, 6),
        ),
        (
            (
                r"\bweekdays\b|\bevery weekday\b|\bworkdays\b|\bwerktags\b|\bunter der woche\b|\bentre semana\b"
                r"|\ben semaine\b|\bdias uteis\b|\bdoordeweeks\b"
                r"|\bw dni robocze\b|\bgiorni feriali\b"
            ),
            (0, 1, 2, 3, 4),
        ),
    )
)
