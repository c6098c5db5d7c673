"""Which number of the words a field means: the only one it can mean, or the one that its name and the words beside say.

A number that counts something named ("3 tickets", "10 weeks", "room 4") is no amount of money. A price for one is no
total, and a total is no price for one. Where several numbers are left, code does not decide.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations
from typing import Literal

from uac.conversation.checks.currencies import currencies_in
from uac.conversation.checks.field_names import Place, is_current_alone, is_named_alone
from uac.conversation.checks.readings import Readings, ReadNumber
from uac.text.dates.tense import spoken_language
from uac.text.lazy_pattern import lazy_pattern

__all__ = ["has_money_beside", "is_amount_field", "is_only_number", "is_worked_out_number"]


def is_amount_field(name: str) -> bool:
    return _MONEY_FIELD.search(name) is not None


def is_only_number(
    name: str, same: Sequence[ReadNumber], others: Sequence[ReadNumber], readings: Readings, *, is_amount: bool
) -> bool:
    """Whether no other number of the words could be meant for the field."""
    is_money = is_amount or is_amount_field(name)
    if not is_money and _is_compared(readings, same):
        return False
    rivals = [number for number in others if number.values]
    if not rivals:
        return True
    if all(map(_is_whole_of_part, same)):
        return False
    alike = [number for number in rivals if _use(number, readings) != "label"]
    if is_current_alone(name, list(map(_place, same)), list(map(_place, alike))) and not _REST_FIELD.search(name):
        return True
    if is_money:
        return _is_only_amount(name, same, rivals, readings)
    return is_named_alone(name, list(map(_place, same)), list(map(_place, rivals)))


def _place(number: ReadNumber) -> Place:
    return Place(number.words, number.start, number.end)


# --- amounts ----------------------------------------------------------------------------------------------------------


def _is_only_amount(name: str, same: Sequence[ReadNumber], rivals: Sequence[ReadNumber], readings: Readings) -> bool:
    amounts = [number for number in same if _use(number, readings) in ("money", "bare")]
    others = [number for number in rivals if _use(number, readings) in ("money", "bare")]
    if not amounts or any(_use(number, readings) == "percent" for number in rivals):
        return False
    is_total, is_share = _TOTAL_FIELD.search(name) is not None, _SHARE_FIELD.search(name) is not None
    totals = [number for number in amounts if _is_beside(number, _TOTAL)]
    if others:
        if is_total and totals and not is_share:
            return not any(_is_beside(number, _TOTAL) for number in others)
        if any(map(has_money_beside, others)) and not any(map(has_money_beside, amounts)):
            return False
        is_named = is_named_alone(name, list(map(_place, amounts)), list(map(_place, others)), may_add=True)
        return is_named and not is_total and not totals
    counts = [number for number in rivals if _use(number, readings) == "counted" and not readings.is_in_length(number)]
    for_one = [number for number in amounts if _is_beside(number, _FOR_ONE)]
    if is_share or _REST_FIELD.search(name):
        return bool(for_one) and is_share
    if counts and (is_total or not _PRICE_FIELD.search(name)):
        return bool(totals) or (not is_total and not for_one)
    return not (totals and counts and _PRICE_FIELD.search(name))


_MONEY_FIELD = lazy_pattern(
    r"amount|price|cost|fee|rent|deposit|paid|total|salary|budget|bill|balance|share|saving|saved|owed|money|bonus|wage|refund"
    r"|(?:^|_)(?:sold|bought|went)_for"
)
_TOTAL_FIELD = lazy_pattern(r"total|sum|altogether|overall|bill|(?:^|_)(?:all|whole|everything)(?:_|$)|came_to")
_SHARE_FIELD = lazy_pattern(r"share|each|per_(?:person|head|piece|unit|kid|child|ticket|night|day)|apiece|unit|nightly")
_REST_FIELD = lazy_pattern(
    r"left|remain|balance|rest|change|saved|saving|discount|difference|increase|still|outstanding"
)
_PRICE_FIELD = lazy_pattern(r"price|rate|fee|cost_per|rent|deposit")
_TOTAL = lazy_pattern(
    r"\b(?:in total|total\w*|altogether|all in|in all|all told|makes|came to|comes to|bill|sum|together|insgesamt"
    r"|zusammen|macht|gesamt\w*|alles|en total|en todo|suman|en tout|au total|fait|ensemble|in totale|in tutto|fanno"
    r"|ao todo|no total|dá|são|samen|totaal|bij elkaar|razem|łącznie|wyszło)\b",
    re.IGNORECASE,
)
_FOR_ONE = lazy_pattern(
    r"(?:\b(?:each|apiece|(?:a|per) (?:head|person|piece|kid|child|ticket|night|unit|day|pop)|at|je|jeweils|à|zu"
    r"|pro \w+|cada|por (?:persona|cabeza|noche|pessoa|noite)|chacune?|par (?:personne|tête|nuit)|a (?:testa|persona"
    r"|notte)|ciascun[oa]|per (?:stuk|persoon|nacht)|van|po|(?:za|od|na) osob[ęy])\b|@)",
    re.IGNORECASE,
)


def _is_beside(number: ReadNumber, cue: re.Pattern[str]) -> bool:
    before = re.split(r"[,;:(]|\b(?:and|und|y|et|e|en|i)\b", number.words[max(0, number.start - 24) : number.start])[-1]
    after = re.split(r"[,;:)]|\.(?!\d)", number.words[number.end : number.end + 24])[0]
    return cue.search(before) is not None or cue.search(after) is not None


# --- what a number is -------------------------------------------------------------------------------------------------

Use = Literal["money", "counted", "label", "percent", "bare"]


def _use(number: ReadNumber, readings: Readings) -> Use:
    """What a number is for, by the words beside it."""
    before, after = number.words[: number.start], number.words[number.end :]
    near = f"{before[-4:]} {after[:14]}"
    if re.match(
        r" ?%| per ?cent\b| prozent\b| por ciento\b| pour ?cent| per cento| por cento| procent", after, re.IGNORECASE
    ):
        return "percent"
    if currencies_in(near):
        return "money"
    if _LABEL.search(before):
        return "label"
    if readings.is_in_length(number) or _UNIT.match(after) or _is_counting(number):
        return "counted"
    return "bare"


def has_money_beside(number: ReadNumber) -> bool:
    near = number.words[max(0, number.start - 4) : number.start] + " " + number.words[number.end : number.end + 14]
    return bool(currencies_in(near))


def _is_counting(number: ReadNumber) -> bool:
    """Whether a noun in the plural follows: "3 tickets", "quatre places", "twee kaartjes"."""
    if any(value % 1 or value > _MANY for value in number.values):
        return False
    if _PEOPLE.match(number.words, number.end):
        return True
    after = _NEXT_WORD.match(number.words, number.end)
    if after is None or after[1].casefold() in _NO_NOUNS:
        return False
    return _PLURALS[spoken_language(number.words)].search(after[1]) is not None


_MANY = 500
_PEOPLE = lazy_pattern(
    r" (?:of us|of them|von uns|de nosotros|d['’]entre nous|di noi|de nós|van ons|z nas)\b", re.IGNORECASE
)
_NEXT_WORD = lazy_pattern(r"[ -](?!\d)(\w{3,})")
_PLURALS = {
    "en": lazy_pattern(r"[^su'’]s$|^(?:people|children|men|women|kids|bedroom|person|pack|seater)$", re.IGNORECASE),
    "de": lazy_pattern(r"(?:en|er|el|te|se|le|ge|ne|ke|chte|s|rn|ln)$", re.IGNORECASE),
    "es": lazy_pattern(r"[aeo]s$|es$", re.IGNORECASE),
    "fr": lazy_pattern(r"[sx]$", re.IGNORECASE),
    "it": lazy_pattern(r"[ie]$", re.IGNORECASE),
    "pt": lazy_pattern(r"s$", re.IGNORECASE),
    "nl": lazy_pattern(r"(?:en|s|eren)$", re.IGNORECASE),
    "pl": lazy_pattern(r"(?:y|i|ów|e|a|ek|et)$", re.IGNORECASE),
}
_NO_NOUNS = frozenset(
    "less plus this his its was is as us yes always sometimes besides yes besides minus versus thanks across towards"
    " aber oder wegen sonst alles mehr unter über außer weiter später früher immer wieder heute gestern morgen jetzt"
    " dieser jeder eher seit unser pro statt erst jetzt bisher einmal immer danach vorher bei mit jährlich"
    " menos más mas pues entonces antes después plus moins puis dans mais alors après depuis sans sous"
    " come dove quale che poi anche ogni mese ore invece oltre perché dopo prima sempre depois antes dias mais menos"
    " anders alles eens dus straks samen tussen tegen boven ale albo tylko teraz jeszcze miesięcznie rocznie dziennie"
    " razem więcej mniej każdy".split()
)
_UNIT = lazy_pattern(
    r" ?(?:km|k|kg|g|mg|ml|l|cl|cm|mm|m|m2|m²|sqm|sq|lbs?|oz|miles?|mi|degrees?|°|grad|grados|degrés|gradi|graus|graden"
    r"|stopni|kilo\w*|chil[io]|quilo\w*|square|litres?|liters?|liter|litros?|litri|gram\w*|mcg|units?|st|nd|rd|th|º|ª|x)\b"
    r"|° ?",
    re.IGNORECASE,
)
_LABEL = lazy_pattern(
    r"(?:\b(?:invoice|flight|ref|account|rechnung|konto|flug|factura|facture|fattura|fatura|factuur|faktura|room|platform|flat|apartment|floor|gate|row|seats?|bus|line|tram|order|no\.?|nr\.?|number|page|size|year"
    r"|week|wk|grade|class|level|zone|exit|route|clause|chapter|step|table|track|unit|terminal|episode|season"
    r"|zimmer|gleis|größe|klasse|linie|seite|raum|habitación|andén|talla|línea|chambre|voie|taille|quai|ligne"
    r"|camera|binario|taglia|linea|quarto|sala|tamanho|linha|kamer|spoor|maat|lijn|pokój|peron|rozmiar|linia)|#) ?$",
    re.IGNORECASE,
)


def _is_whole_of_part(number: ReadNumber) -> bool:
    """Whether it is what another number is a part of: "3 out of 20"."""
    return _OUT_OF.search(number.words[: number.start]) is not None


_OUT_OF = lazy_pattern(
    r"\w (?:out of|of the|von(?: den)?|der|de(?: los| las)?|sur|su|dos|das|van de|z)(?: the| total)? $", re.IGNORECASE
)


# --- numbers that are worked out --------------------------------------------------------------------------------------


def _is_compared(readings: Readings, same: Sequence[ReadNumber]) -> bool:
    """Whether the words count from the number, or change it: "my father is 70 and my mother two less"."""
    here = {number.words for number in same}
    return any(
        _MORE_OR_LESS.match(number.words, number.end)
        for number in readings.numbers
        if number not in same and number.words in here and max(number.values | number.also) > 1
    )


_MORE_OR_LESS = lazy_pattern(
    r" (?:(?:years?|jahre|años|ans|anni|anos|jaar|lata|lat|people|other|andere) )?"
    r"(?:more|less|fewer|younger|older|extra|dropped|cancel\w+|joined|mehr|weniger|jünger|älter|dazu|abgesagt|más|menos"
    r"|menor|mayor|de plus|de moins|plus (?:jeune|âgée?)|désist\w+|se sont|in più|in meno|di meno|a mais|a menos"
    r"|mais nov[oa]|mais velh[oa]|meer|minder|jonger|ouder|afgezegd|więcej|mniej|młodsz\w+|starsz\w+)\b",
    re.IGNORECASE,
)


def is_worked_out_number(name: str, value: Decimal, readings: Readings, numbers: Sequence[ReadNumber]) -> bool:
    """Whether two numbers of the words may give the value, or a duration in the unit of the field."""
    if re.search(r"hour|minute|duration|time|day|night|week|month", name):
        for each in readings.lengths:
            for months, minutes in each.length.sure:
                if not months and any(abs(minutes / size - value) < Decimal("0.006") for size in (1, 60, 1440, 10080)):
                    return True
    if any(value in number.also for number in numbers if not number.values):
        return True
    stated = [number for number in numbers if not number.is_dated and not _NO_COUNT.match(number.words, number.start)]
    stated = stated[:_MOST]
    if len(stated) > 2 and value == sum(max(number.values or number.also) for number in stated):
        return True
    return any(
        abs(value - result) < Decimal("0.006")
        for one, other in combinations(stated, 2)
        for result in _results(one, other, readings)
    ) or any(value in (one * 2, one / 2) for number in stated for one in number.values if _HALF.search(number.words))


_MOST = 12
_NO_COUNT = lazy_pattern(r"(?:both|once|twice|first|second|third|pair|an?|beide[ns]?|einmal|zweimal)\b", re.IGNORECASE)
_HALF = lazy_pattern(
    r"\b(?:half|double|twice|halves|hälfte|halb\w*|doppel\w*|mitad|doble|moitié|double|metà|doppio|metade|dobro"
    r"|helft|dubbel\w*|połow\w+|podwójn\w+)\b",
    re.IGNORECASE,
)


def _results(one: ReadNumber, other: ReadNumber, readings: Readings) -> set[Decimal]:
    """What two numbers give together. They are multiplied or divided only if the words say that one counts."""
    is_percent = _use(other, readings) == "percent"
    is_product = _is_times(one, other) or _is_beside(one, _FOR_ONE) or _is_beside(other, _FOR_ONE)
    is_split = _SPLIT.search(one.words) is not None
    found: set[Decimal] = set()
    for a in one.values or one.also:
        for b in other.values or other.also:
            if is_percent:
                found |= {a * (100 - b) / 100, a * (100 + b) / 100, a * b / 100}
            elif min(a, b) > 1:
                found |= {a + b, abs(a - b)} - {Decimal(0)}
                found |= {a * b} if is_product else set()
                found |= {max(a, b) / min(a, b)} if is_split else set()
    return found


_SPLIT = lazy_pattern(
    r"\b(?:split|shar(?:e|ed|ing)|each|ways|between (?:us|them|the)|geteilt|teilen|aufgeteilt|jede[rn]?|pro"
    r"|entre (?:los|las)|repart\w+|cada|partag\w+|chacune?|par personne|divis\w+|ciascun[oa]|a testa|divid\w+"
    r"|verdeel\w*|per persoon|ieder|podziel\w+|na osobę)\b",
    re.IGNORECASE,
)


def _is_times(one: ReadNumber, other: ReadNumber) -> bool:
    """Whether one number counts the other: "3 packs of 12"."""
    if one.words != other.words:
        return False
    per = _PER.match(one.words, one.end)  # "45 per les, 10 lessen"
    is_per = per is not None and one.words[other.end + 1 :].casefold().startswith(per[1].casefold())
    return is_per or _TIMES.fullmatch(one.words[one.end : other.start]) is not None


_PER = lazy_pattern(
    r" ?(?:[€£$]|euros?|quid|pounds|dollars|zł)? ?(?:per|pro|por|par|a|an|al|je|za|cada) (\w{3})\w*[,;:]? ",
    re.IGNORECASE,
)
_TIMES = lazy_pattern(
    r" ?(?:x|×|\*|(?:\w+ ){0,2}(?:times|of|at|de|à|di|da|von|zu|a|van|po|mal|fois|veces|volte|vezes|keer|razy))"
    r" ?(?:[€£$] ?)?",
    re.IGNORECASE,
)
