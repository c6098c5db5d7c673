"""Prices as people say them: "four fifty", "99p", "deux euros cinquante"."""

from decimal import Decimal

from uac.conversation.checks.readings import Readings
from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import numbers, unaccented

__all__ = ["spoken_prices"]


def spoken_prices(readings: Readings) -> set[Decimal]:
    """ "Four fifty" is 4.50, "uno treinta" 1.30, "99p" 0.99, "deux euros cinquante" 2.50."""
    found = set()
    for text in readings.texts:
        plain = unaccented(text)
        for match in _PRICE.finditer(plain):
            whole, part = _SMALL.get(match[1]), _TENS.get(match[2])
            if whole is not None and part is not None:
                found.add(Decimal(whole) + Decimal(part + _SMALL.get(match[3] or "", 0)) / 100)
        cents = (_price_part(match[1]) for match in _CENTS.finditer(plain))
        found |= {part / 100 for part in cents if part is not None and part < 100}
        for match in _WITH_CENTS.finditer(plain):
            euros, rest = _price_part(match[1]), _price_part(match[2])
            if euros is not None and rest is not None and rest < 100:
                found.add(euros + rest / 100)
        for match in _MILLIONS.finditer(text):
            found.add(Decimal((match[1] or match[2]).replace(",", ".")) * 10**6)
        if (german := _GERMAN_PRICE.search(plain)) is not None:
            found.add(Decimal(_GERMAN_ONES[german[1]]) + Decimal(_GERMAN_TENS[german[2]]) / 100)
    return found


def _price_part(word: str) -> Decimal | None:
    if word.replace(".", "", 1).isdecimal():
        return Decimal(word)
    values = numbers(word)
    return next(iter(values)) if len(values) == 1 else None


_CENTS = lazy_pattern(
    r"\b(\d{1,2}(?:\.\d)?|[a-z]+(?:-[a-z]+)?) ?(?:p|pence|cents?|centimes?|centimos|centesimi|centavos|groszy)\b"
)
_WITH_CENTS = lazy_pattern(
    r"\b(\w+(?:-\w+)?) ?(?:euros?|€|quid|pounds?|francs?|franken|zlotych|zl|libras|reais|(?= con )) ?(?:y |e |et "
    r"|und |con "
    r"|and )?(\d\d(?! (?:each|people))|[a-z]+(?:-[a-z]+)*(?! (?:im|al|par|per|pro|each|people)))\b"
)
_MILLIONS = lazy_pattern(r"(?:[£€$] ?(\d+(?:[.,]\d+)?) ?(?:m|mil|mill|million)\b)|(?<=for )(\d+(?:[.,]\d+)?) mil\b")
_GERMAN_ONES = {
    word: at + 1 for at, word in enumerate("eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf".split())
}
_GERMAN_TENS = dict(
    zip(
        "zehn zwanzig dreissig vierzig funfzig fuffzig sechzig siebzig achtzig neunzig".split(),
        (10, 20, 30, 40, 50, 50, 60, 70, 80, 90),
        strict=True,
    )
)
_GERMAN_TENS |= {
    f"{'ein' if one == 'eins' else one}und{ten}": tens + at
    for ten, tens in list(_GERMAN_TENS.items())
    if tens > 10
    for one, at in list(_GERMAN_ONES.items())[:9]
}
_GERMAN_PRICE = lazy_pattern(
    rf"\b({'|'.join(_GERMAN_ONES)}) ?(?:euro |meter )?({'|'.join(sorted(_GERMAN_TENS, key=len, reverse=True))})\b"
)
_SMALL = {
    word: at + 1
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "uno due tre quattro cinque sei sette otto nove dieci undici dodici",
        "um dois tres quatro cinco seis sete oito nove dez onze doze",
        "een twee drie vier vijf zes zeven acht negen tien elf twaalf",
        "jeden dwa trzy cztery piec szesc siedem osiem dziewiec dziesiec jedenascie dwanascie",
    )
    for at, word in enumerate(words.split())
}
_SMALL |= dict(
    zip(
        "thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty".split(),
        (13, 14, 15, 16, 17, 18, 19, 20, 30, 40, 50),
        strict=True,
    )
)
_TENS = {
    **dict(zip("ten twenty thirty forty fifty sixty seventy eighty ninety".split(), range(10, 100, 10), strict=True)),
    **dict(
        zip(
            "diez veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa".split(),
            range(10, 100, 10),
            strict=True,
        )
    ),
    **dict(
        zip(
            "dieci venti trenta quaranta cinquanta sessanta settanta ottanta novanta".split(),
            range(10, 100, 10),
            strict=True,
        )
    ),
    **dict(
        zip(
            "dez vinte trinta quarenta cinquenta sessenta setenta oitenta noventa".split(),
            range(10, 100, 10),
            strict=True,
        )
    ),
}
_TENS |= dict(
    zip("tien twintig dertig veertig vijftig zestig zeventig tachtig negentig".split(), range(10, 100, 10), strict=True)
)
_TENS |= dict(
    zip(
        "dziesiec dwadziescia trzydziesci czterdziesci piecdziesiat szescdziesiat".split(),
        range(10, 70, 10),
        strict=True,
    )
)
_PRICE = lazy_pattern(
    rf"\b({'|'.join(_SMALL)}) (?:e |y |con )?({'|'.join(_TENS)})(?:[- ]({'|'.join(_SMALL)}))?\b(?! (?:people"
    rf"|percent|minutes|euros?|pounds|personas))"
)
