"""How long something takes, in a text: durations in digits and in words of eight languages."""

import re
from decimal import Decimal
from typing import NamedTuple

from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import aligned_text, numerals

__all__ = ["Length", "iso_length", "stated_lengths"]


class Length(NamedTuple):
    start: int
    end: int
    sure: frozenset[tuple[Decimal, Decimal]]
    """Months and minutes; several if an expression has several meanings."""


def stated_lengths(text: str) -> list[Length]:
    """The durations that a text states, in order, without overlaps; of two, the one that begins first or is longer."""
    plain = aligned_text(text)
    found = [Length(*match.span(), frozenset({_fixed(match)})) for match in _WHOLE.finditer(plain)]
    found += [
        length for span in [*_numbers_before_units(plain), *_articles(plain)] if (length := _length_at(plain, *span))
    ]
    lengths: list[Length] = []
    for length in sorted(found, key=lambda each: (each.start, -each.end)):
        if not lengths or length.start >= lengths[-1].end:
            lengths.append(length)
    return lengths


def _length_at(plain: str, start: int, end: int, values: frozenset[Decimal]) -> Length | None:
    """The duration that begins with a number: its unit, and what is added to it."""
    unit = _UNIT.match(plain, end)
    if unit is None or (unit["unit"] == "an" and max(values) >= 2):  # the article of "21.75 an hour"
        return None
    month, minute = _size(unit)
    lengths = {(value * month, value * minute) for value in values}
    last = unit.end()
    if (half := _AND_HALF.match(plain, last)) is not None:
        share = (
            Decimal("0.5")
            if _HALF_WORD.search(half[0])
            else Decimal("0.75")
            if _THREE.search(half[0])
            else Decimal("0.25")
        )
        lengths = {(m + share * month, n + share * minute) for m, n in lengths}
        last = half.end()
    elif minute == _HOUR and (rest := _MINUTES_AFTER.match(plain, last)) is not None:
        lengths = {(m, n + Decimal(rest[1] or rest[2])) for m, n in lengths}
        last = rest.end()
    elif minute == _HOUR and (spoken := _spoken_minutes(plain, last)) is not None:
        lengths = {(m, n + spoken[1]) for m, n in lengths}
        last = spoken[0]
    elif (more := _more_units(plain, last)) is not None:
        lengths = {(m + more[1][0], n + more[1][1]) for m, n in lengths}
        last = more[0]
    if values == {Decimal(15)} and minute == _DAY:  # 'quinze jours' are two weeks
        lengths |= {(Decimal(0), 14 * _DAY)}
    if values == {Decimal(8)} and unit["unit"] in ("jours", "tage"):
        lengths |= {(Decimal(0), 7 * _DAY)}
    return Length(start, last, frozenset(lengths))


def iso_length(raw: str) -> tuple[Decimal, Decimal]:
    """The months and minutes of an ISO duration."""
    days, _, hours = raw.lstrip("-").partition("T")
    months = minutes = Decimal(0)
    for number, unit in re.findall(r"([\d.]+)([A-Z])", days):
        months += Decimal(number) * {"Y": 12, "M": 1}.get(unit, 0)
        minutes += Decimal(number) * {"W": 7 * _DAY, "D": _DAY}.get(unit, Decimal(0))
    for number, unit in re.findall(r"([\d.]+)([A-Z])", hours):
        minutes += Decimal(number) * {"H": _HOUR, "M": Decimal(1), "S": Decimal(1) / 60}[unit]
    return months, minutes


_HOUR, _DAY = Decimal(60), Decimal(1440)
_UNITS: dict[str, tuple[int, Decimal]] = {
    word: (months, minutes)
    for months, minutes, words in (
        (
            0,
            Decimal(1) / 60,
            ("second seconds sec secs sekunde sekunden segundo segundos seconde secondes secondo secondi seconden"),
        ),
        (
            0,
            Decimal(1),
            (
                "minute minutes min mins minuten minuto minutos minuti minuut minuutje minuutjes minuta"
                " minuty minut minutki"
                " minutinho minutinhos minutito minutitos minutino"
            ),
        ),
        (
            0,
            _HOUR,
            (
                "hour hours hr hrs h stunde stunden std stundchen hora horas horita heure heures ora ore oretta"
                " oretto uur uren"
                " uurtje godzina godziny godzin godzine horinha"
            ),
        ),
        (
            0,
            _DAY,
            (
                "day days night nights tag tage tagen tages nacht nachte nachten dia dias noche noches jour jours"
                " journee nuit nuits"
                " giorno giorni notte notti noite noites dag dagen dagje nachtje dzien dni dnia noc noce nocy"
                " doba dobe doby"
            ),
        ),
        (
            0,
            7 * _DAY,
            (
                "week weeks wk wks woche wochen semana semanas semaine semaines settimana settimane weekje"
                " weken tydzien"
                " tygodnie tygodni tygodnia"
            ),
        ),
        (0, 14 * _DAY, "fortnight fortnights"),
        (
            1,
            Decimal(0),
            ("month months monat monate monaten mes meses mois mese mesi maand maanden miesiac miesiace miesiecy"),
        ),
        (
            12,
            Decimal(0),
            ("year years yr yrs jahr jahre jahren ano anos an ans annee annees anno anni jaar jaren rok lata lat roku"),
        ),
        (120, Decimal(0), "decade decades jahrzehnt jahrzehnte decada decadas"),
    )
    for word in words.split()
}
_UNIT = lazy_pattern(
    r"[ -]?(?:whole |entire |full |solid |good |bare |long |short |mere |ganze[nrs]? |volle |gute |knappe |bonne "
    r"|petite |longue |buena |larga |bella |boa |dikke |dobra |pelna |dlugie |dobre |hele |enteros? |completos? "
    r"|lang[ei] )?"
    r"(?P<unit>" + "|".join(sorted(_UNITS, key=len, reverse=True)) + r")(?![a-z])"
)
_AND_HALF = lazy_pattern(
    r" (?:and a half|y media|y medio|et demie?|e mezz[oa]|e mei[ao]|en een half|i pol|and a quarter|y cuarto"
    r"|et quart|e un quarto|e um quarto"
    r"|und eine viertelstunde|en een kwartier|i kwadrans|and three quarters|e tre quarti)\b"
)
_HALF_WORD = lazy_pattern(r"half|medi|demi|mezz|mei|pol")
_THREE = lazy_pattern(r"three|tre quarti")
_MINUTES_AFTER = lazy_pattern(
    r"(?:([0-5]\d)(?![\d:]|[.,]\d)| ?(?:and |et |e |y |und )?([0-5]?\d) ?(?:m|min|mins|minutes|minuten|minutos"
    r"|minuti|minut)\b)"
)
_FIXED = {
    "h45": (0, 45),
    "h15": (0, 15),
    "h90": (0, 90),
    "h30": (0, 30),
    "day": (0, 1440),
    "m3": (3, 0),
    "m6": (6, 0),
    "m9": (9, 0),
    "m18": (18, 0),
    "d2": (0, 2880),
}
_WHOLE = lazy_pattern(
    r"\b(?:(?P<h45>three[- ]quarters of an hour|three quarter hour|dreiviertelstunde|drei ?viertel ?stunden?"
    r"|tres cuartos de hora"
    r"|trois quarts d['’]heure|tre quarti d['’]ora|tres quartos de hora|drie kwartier|trzy kwadranse)"
    r"|(?P<h15>(?:a )?quarter of an hour|quarter hour|viertelstunde|viertel ?stunde|(?:un )?cuarto de hora"
    r"|(?:un )?quart d['’]heure"
    r"|(?:un )?quarto d['’]ora|(?:um )?quarto de hora|een kwartier(?:tje)?|kwartier(?:tje)?|kwadrans(?! (?:po|szost"
    r"|siodm|osm)))"
    r"|(?P<h90>(?<!\w )(?:an )?hour and a half|anderthalb stunden|eineinhalb stunden|(?<!s )hora y media"
    r"|(?<!x )(?:une )?heure et demie"
    r"|(?:un')?ora e mezza|(?<!s )hora e meia|anderhalf uur|poltorej godziny)"
    r"|(?P<h30>half an hour|half[- ]hour|halbe[ns]? stunde|halbstunde|media hora|media horita|(?:une )?demi-?heure"
    r"|mezz['’]ora|mezz['’]oretta|mezzoretta|mezzora|meia hora|meia horinha|half uur(?:tje)?|pol godziny|pol godzinki)"
    r"|(?P<m3>(?:ein )?vierteljahr|kwartaal|kwartal)|(?P<m6>half a year|halbes jahr|halben jahr|halbjahr|medio ano"
    r"|six-month"
    r"|mezzo anno|meio ano|half jaar|pol roku)|(?P<m9>dreivierteljahr)"
    r"|(?P<m18>(?:an? )?year and a half|(?:un )?ano y medio|(?:un )?an et demi|(?:un )?anno e mezzo"
    r"|(?:um )?ano e meio|anderthalb jahre"
    r"|anderhalf jaar|poltora roku)|(?P<d2>(?:the|a) (?:whole |entire )?weekend|(?:das|ein) (?:ganzes? )?wochenende"
    r"|un fin de semana)"
    r"|(?P<day>cala dobe|the whole day|den ganzen tag|todo el dia|toute la journee|tutto il giorno|o dia todo"
    r"|de hele dag|caly dzien|24/7))\b"
)


def _fixed(match: re.Match[str]) -> tuple[Decimal, Decimal]:
    months, minutes = _FIXED[match.lastgroup or ""]
    return Decimal(months), Decimal(minutes)


_JOINED_HALF = lazy_pattern(r"(?<=[a-z]) (?:y medi[ao]|et demie?|e mezz[oa]|e mei[ao])\b")


def _size(unit: re.Match[str]) -> tuple[Decimal, Decimal]:
    months, minutes = _UNITS[unit["unit"]]
    return Decimal(months), minutes


def _numbers_before_units(plain: str) -> list[tuple[int, int, frozenset[Decimal]]]:
    # "dos horas y media" is read as two hours and a half, and not as two and a half of something.
    apart = _JOINED_HALF.sub(lambda found: "#" * len(found[0]), plain)
    return [
        (number.start, number.end, number.readings)
        for number in numerals(apart)
        if number.readings and not plain[: number.start].endswith("the ")  # "the third day"
    ]


_ARTICLE = lazy_pattern(
    r"\b(?:an?|one|ne|nen|ein|eine|einen|einer|un|una|une|uma?|een|another|caly|cala|cale|(?P<half>half an?"
    r"|halben?"
    r"|halbes|medio|media|demi|mezzo|mezza"
    r"|meio|meia|half|pol)|(?P<more>anderthalb|eineinhalb|anderhalf|anderhalve|poltora|poltorej)"
    r"|(?P<two>a couple of|couple of|un par de|un paio di|um par de)"
    r"|(?P<two_half>zweieinhalb|tweeenhal(?:f|ve)|dwie i pol|dwa i pol)|(?P<three_half>dreieinhalb|drieenhalf"
    r"|trzy i pol))(?= |-)|\bun['’](?=\w)"
)


_POLISH_ONE = lazy_pattern(
    r"(?<![\w-])(?<!\d )(?<!\bco )(?<!\bw )(?<!\bten )(?<!\bna )(?<!nowy )(?:godzine|tydzien|miesiac|rok)(?!\w)"
)
"""Polish has no article: an hour is "godzinę"."""


def _articles(plain: str) -> list[tuple[int, int, frozenset[Decimal]]]:
    """ "An hour", "half a day"."""
    sizes = {
        "half": Decimal("0.5"),
        "more": Decimal("1.5"),
        "two": Decimal(2),
        "two_half": Decimal("2.5"),
        "three_half": Decimal("3.5"),
    }
    return [
        *(
            (*found.span(), frozenset({sizes.get(found.lastgroup or "", Decimal(1))}))
            for found in _ARTICLE.finditer(plain)
        ),
        *((found.start(), found.start(), frozenset({Decimal(1)})) for found in _POLISH_ONE.finditer(plain)),
    ]


def _spoken_minutes(plain: str, at: int) -> tuple[int, Decimal] | None:
    """ "An hour and twenty", "two hours forty-five"."""
    joined = re.compile(r" (?:and |und |y |et |e |en |i )?(?=\w)").match(plain, at)
    if joined is None:
        return None
    for number in numerals(plain[joined.end() : joined.end() + 24]):
        value = next(iter(number.readings), Decimal(0))
        if (
            number.start == 0
            and 5 <= value < 60
            and value % 5 == 0
            and _UNIT.match(plain, joined.end() + number.end) is None
        ):
            return joined.end() + number.end, value
    return None


def _more_units(plain: str, at: int) -> tuple[int, tuple[Decimal, Decimal]] | None:
    """A second part: "one year and six months", "2 h 10 min"."""
    joined = re.compile(r",? ?(?:and |und |y |et |e |en |i )?(?=\w)").match(plain, at)
    if joined is None:
        return None
    for start, end, values in [
        *_numbers_before_units(plain[joined.end() : joined.end() + 30]),
        *_articles(plain[joined.end() : joined.end() + 30]),
    ]:
        unit = _UNIT.match(plain, joined.end() + end)
        if start == 0 and unit is not None and len(values) == 1:
            month, minute = _size(unit)
            value = next(iter(values))
            return unit.end(), (value * month, value * minute)
    return None
