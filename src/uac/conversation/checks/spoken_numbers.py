"""Numbers that several words state together, or one word in an unusual way: "three quarters", "zu fünft", "tenner"."""

import re
from decimal import Decimal

from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import Numeral, numerals

__all__ = ["joined_numbers"]


def joined_numbers(words: str) -> list[Numeral]:
    """The numbers, with those that several words state together: "three quarters", "half of nine hundred"."""
    found: list[Numeral] = []
    plain = words.casefold()
    for pattern, value in _WHOLE_NUMBERS if _ANY_WHOLE_NUMBER.search(plain) else ():
        found += [Numeral(*match.span(), frozenset({Decimal(value)})) for match in pattern.finditer(plain)]
    found += _people_together(plain)
    plain_numbers = numerals(words)
    for half in _HALF_OF.finditer(plain):
        after = next((n for n in plain_numbers if half.end() <= n.start <= half.end() + 1), None)
        if after is not None:
            found.append(Numeral(half.start(), after.end, frozenset(value / 2 for value in after.readings)))
    for times in _COUPLE_OF.finditer(plain):
        after = next((n for n in plain_numbers if times.end() <= n.start <= times.end() + 1), None)
        if after is not None and all(value >= 12 for value in after.readings):
            found.append(Numeral(times.start(), after.end, frozenset(value * 2 for value in after.readings)))
    for half in _AND_A_HALF.finditer(plain):
        whole = next((n for n in plain_numbers if n.start <= half.start() <= n.end), None)
        scale = {"dozen": 12, "hundred": 100, "thousand": 1000, "grand": 1000, "k": 1000}.get(half[1], 10**6)
        if whole is not None:
            values = frozenset((int(value) + Decimal("0.5")) * scale for value in whole.readings)
            found.append(Numeral(whole.start, half.end(), values))
    for grand in _GRAND.finditer(plain):
        before = next((n for n in plain_numbers if n.end == grand.start()), None)
        if before is not None:
            found.append(Numeral(before.start, grand.end(), frozenset(value * 1000 for value in before.readings)))
    numbers = list(found)
    numbers += [n for n in plain_numbers if not any(n.start < other.end and other.start < n.end for other in found)]
    return sorted(numbers)


def _people_together(plain: str) -> list[Numeral]:
    """ "Zu fünft", "met z'n vieren", "pięcioro": so many people."""
    found = []
    for words, counts in _TOGETHER:
        for match in words.finditer(plain):
            found.append(Numeral(*match.span(), frozenset({Decimal(counts.index(match[1]) + 2)})))
    return found


_TOGETHER = tuple(
    (lazy_pattern(rf"{before}\b({'|'.join(words.split())})\b"), tuple(words.split()))
    for before, words in (
        (r"\bzu ", "zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft"),
        (
            r"\bmet (?:z['’]n|zijn) ",
            "tweeën drieën vieren vijven zessen zevenen achten negenen tienen elven twaalven",
        ),
        ("", "dwoje troje czworo pięcioro sześcioro siedmioro ośmioro dziewięcioro dziesięcioro"),
        ("", "_ _ _ _ _ _ _ _ _ jedenaścioro dwanaścioro"),
    )
)
_HALF_OF = lazy_pattern(
    r"\b(?:half(?: of| a)?|ein halbes|eine halbe|medi[ao]|mei[ao]|mezz[ao]|demi|een half|een halve|pół) (?=\w)",
    re.IGNORECASE,
)
_AND_A_HALF = lazy_pattern(r"\b ?and a half (dozen|hundred|thousand|grand|k|million|mil)\b")
_GRAND = lazy_pattern(r" (?:grand|riesen|mille)\b")
_COUPLE_OF = lazy_pattern(r"\b(?:(?:a )?couple(?: of)?|un par de|ein paar|een paar) (?=\w)", re.IGNORECASE)
_WHOLE_NUMBERS = tuple(
    (lazy_pattern(words), value)
    for words, value in (
        (
            (
                r"\bthree[- ]quarters\b|\btres cuartos\b|\btrois quarts\b|\btre quarti\b|\btrês quartos\b"
                r"|\bdreiviertel\b"
                r"|\bdrie kwart\b"
            ),
            "0.75",
        ),
        (r"\btwo[- ]thirds\b|\bzwei drittel\b|\bdos tercios\b|\bdeux tiers\b|\bdue terzi\b|\bdois terços\b", "0.67"),
        (
            (
                r"\b(?:a|one) third\b(?= of)|\bein drittel\b|\bun tercio\b|\bun tiers\b|\bun terzo\b|\bum terço\b"
                r"|\been derde\b|\bjedna trzecia\b"
            ),
            "0.33",
        ),
        (
            (
                r"\b(?:a|one) quarter\b(?= of)(?! of an)|\bein viertel\b|\bun cuarto\b(?= de(?! hora))"
                r"|\bum quarto\b(?= d[eao](?! hora))"
            ),
            "0.25",
        ),
        (r"\bun par de\b|\bum par de\b|\bun paio di\b|\bune paire\b", "2"),
        (r"\btenner\b|\bzehner\b", "10"),
        (r"\bfiver\b|\bfünfer\b", "5"),
        (r"\b(?:a|one) grand\b", "1000"),
        (r"\bzwanni\b|\bzwanziger\b", "20"),
        (r"\bhunni\b|\bhunderter\b", "100"),
        (r"\bfuffi\b|\bfünfziger\b|\bfuffziger\b", "50"),
        (r"\bdwie dychy\b", "20"),
        (r"\bdych[aęy]\b", "10"),
        (r"\bstówk?[aęi]\b", "100"),
        (r"\btientje\b", "10"),
        (r"\bgeeltje\b", "25"),
        (r"\bfour-oh\b|\bbig 4-0\b", "40"),
        (r"\bthree-oh\b|\bbig 3-0\b", "30"),
        (r"\bfive-oh\b|\bbig 5-0\b", "50"),
        (r"\bsix-oh\b|\bbig 6-0\b", "60"),
        (r"\bdecina\b|\bdecena\b|\bdizaine\b|\bdezena\b", "10"),
        (r"\bquindicina\b|\bquinzaine\b|\bquincena\b", "15"),
        (r"\bventina\b|\bveintena\b|\bvingtaine\b|\bvintena\b", "20"),
        (
            (
                r"\btrentina\b|\btreintena\b"
                r"|\btrentaine\b"
            ),
            "30",
        ),
        (r"\bquarantina\b|\bquarantaine\b", "40"),
        (r"\bcinquantina\b|\bcinquantaine\b", "50"),
        (
            (
                r"\bcentinaio\b"
                r"|\bcentaine\b"
            ),
            "100",
        ),
        (r"\bvent['’]anni\b", "20"),
        (r"\btrent['’]anni\b", "30"),
        (r"\bquarant['’]anni\b", "40"),
        (r"\bcinquant['’]anni\b", "50"),
        (r"\bsessant['’]anni\b", "60"),
        (r"\bsettant['’]anni\b", "70"),
        (r"\bottant['’]anni\b", "80"),
        (r"\bnovant['’]anni\b", "90"),
        (r"\bosiemnast[kc]\w+\b", "18"),
        (r"\btrzydziest[kc]\w+\b", "30"),
        (r"\bczterdziest[kc]\w+\b", "40"),
        (r"\bpięćdziesiąt[kc]\w+\b", "50"),
        (
            (
                r"\bhalf a dozen\b|\bhalbes dutzend\b|\bmedia docena\b|\bmeia dúzia\b"
                r"|\bmezza dozzina\b"
                r"|\bune demi-douzaine\b|\bhalf dozijn\b|\bpół tuzina\b"
            ),
            "6",
        ),
        (
            (
                r"\bdemi-(?=kilo|litre)|\bmedio (?=kilo|litro)|\bmezzo (?=chilo|litro)|\bmeio (?=quilo|litro)"
                r"|\bhalbes (?=kilo)|(?<!i )\bpół (?=kilo|litra)"
                r"|(?<!and a )\bhalf (?=a kilo|kilo|a litre|a pint)|\bhalben (?=liter)|\bhalve (?=kilo|liter)"
            ),
            "0.5",
        ),
        (r"\banderthalb\b|\beineinhalb\b|\banderhal[fv]e?\b|\bpółtora\b|\bpółtorej\b", "1.5"),
        (
            (
                r"\bzweieinhalb\b"
                r"|\btweeënhal[fv]e?\b"
            ),
            "2.5",
        ),
        (r"\bdreieinhalb\b", "3.5"),
    )
)
_ANY_WHOLE_NUMBER = lazy_pattern("|".join(f"(?:{pattern.pattern})" for pattern, _value in _WHOLE_NUMBERS))
