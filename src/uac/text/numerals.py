"""Numbers that a text states, in digits or in words, by value."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from uac.text.lazy_pattern import lazy_pattern

__all__ = [
    "WORD",
    "Numeral",
    "aligned_text",
    "ascii_digits",
    "implied_numerals",
    "meant",
    "numbers",
    "numerals",
    "unaccented",
]


def numbers(text: str) -> frozenset[Decimal]:
    """All numbers the text states, in digits or words, by value; both values of an ambiguous separator."""
    return frozenset(value for number in numerals(text) for value in (*number.readings, *number.parts))


def meant(number: "Numeral", text: str, *, has_decimal_comma: bool | None = False) -> frozenset[Decimal]:
    """The values of a number in a sentence: 40,000 is forty thousand, and not also 40 exactly; but if the language
    has a decimal comma, 3,450 kg are less than four; none if the language is not known (None)."""
    words = ascii_digits(text[number.start : number.end])
    if has_decimal_comma is not False and _THREE_DECIMALS.fullmatch(words) and _MEASURE.match(text, number.end):
        return frozenset({Decimal(words.replace(",", "."))}) if has_decimal_comma else frozenset()
    return frozenset({Decimal(re.sub(r"\D", "", words))}) if _GROUPED.fullmatch(words) else number.readings


class Numeral(NamedTuple):
    """A number somewhere in a text."""

    start: int
    end: int
    readings: frozenset[Decimal]  # any of these may be meant
    parts: tuple[Decimal, ...] = ()  # or all of these: '12 300 people' may be room 12 and 300 people
    loose: tuple[Decimal, ...] = ()  # other possible readings; counts for evidence checks only
    is_weak: bool = False  # it may not be a number at all ('second', the Italian 'due')


def numerals(text: str) -> list[Numeral]:
    """The numbers of the text in order; where two overlap, the longer one that begins first."""
    plain = ascii_digits(text)
    apart: list[Numeral] = []
    found = [*_digit_numerals(plain), *_word_numerals(plain), *_han_numerals(plain)]
    for number in sorted(found, key=lambda number: (number.start, -number.end)):
        if apart and number.start < apart[-1].end:
            continue
        half = _HALF.match(plain, number.end)  # 'two and a half', 'two years and a half'
        more = frozenset(value + Decimal("0.5") for value in number.readings)
        halved = number._replace(end=half.end(), readings=more, parts=(), loose=(*number.readings,)) if half else number
        apart.append(halved)
    return _with_spoken_decimals(apart, plain)


def _with_spoken_decimals(found: Sequence[Numeral], plain: str) -> list[Numeral]:
    """ "Eighteen point four" is one number."""
    joined: list[Numeral] = []
    for number in found:
        before = joined[-1] if joined else None
        if (
            before is not None
            and plain[before.end : number.start].casefold() in _POINTS
            and all(value == int(value) for value in (*before.readings, *number.readings))
        ):
            values = {Decimal(f"{int(whole)}.{int(part)}") for whole in before.readings for part in number.readings}
            parts = (*before.readings, *number.readings)
            joined[-1] = Numeral(before.start, number.end, frozenset(values), loose=parts)
        else:
            joined.append(number)
    return joined


_POINTS = frozenset({" point ", " komma ", " coma ", " virgule ", " virgola ", " vírgula ", " przecinek "})


def ascii_digits(text: str) -> str:
    """The same text at the same places, with plain digits, spaces and separators."""
    plain = {ord(char): str(unicodedata.decimal(char)) for char in set(text) if char.isdecimal()}
    return text.translate(plain | {ord(char): " " for char in set(text) if char.isspace()} | _SEPARATORS)


_SEPARATORS = dict(zip(map(ord, "٫٬’‘‑‐–—−，．：％"), ".,''-----,.:%", strict=True))
_RUN = lazy_pattern(r"\d+(?:[.,']\d+| \d{3}(?!\d))*", re.ASCII)
_AFTER = lazy_pattern(r" ?(%|[^\W\d_]+)")
_LETTERS = {"k": 1000, "K": 1000, "m": 10**6, "M": 10**6, "mn": 10**6, "B": 10**9, "bn": 10**9}
_GROUPED = lazy_pattern(r"[1-9]\d{0,2}(?:[.,' ]\d{3})+", re.ASCII)
_THREE_DECIMALS = lazy_pattern(r"\d{1,3},\d{3}", re.ASCII)
_MEASURE = lazy_pattern(r" ?(?:kg|kilos?|chili|quilos?|k?m|l|lit\w+|t|tonn\w+|ha|°|%)(?!\w)", re.IGNORECASE)
_LONGEST = 40
_HALF = lazy_pattern(
    r"(?: \w{1,12})? (?:and a half|y medi[ao]|et demie?|e mezz[oa]|e mei[ao]|en een hal(?:f|ve)|i p[oó][lł])\b",
    re.IGNORECASE,
)
_IMPLIED = lazy_pattern(
    r"\b(?:(?P<one>an?|ein\w{0,2}|une?|una|uno|uma?)|no|none|nobody|never|nothing|kein\w{0,2}|nie|nichts|ning[uú]n\w?"
    r"|nunca|nada|aucune?|jamais|rien|nessun\w?|mai|niente|nenhum\w?"
    r"|(?P<each>(?:every|each) (?:day|morning|evening|night|week|month|year)|daily|nightly|weekly|monthly|yearly))\b"
    r"|没|無|无",
    re.IGNORECASE,
)
_HAN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_HAN_SCALES = {"百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_HAN_SHORT = lazy_pattern(r"([百千万萬亿億])([一二三四五六七八九])$")
_HAN = lazy_pattern(r"(?<![期周週拜])[零〇一二两兩三四五六七八九十百千万萬亿億]+")


def _digit_numerals(plain: str) -> Iterator[Numeral]:
    for match in _RUN.finditer(plain):
        start, end = match.span()
        readings, parts, loose = _read_digit_run(match.group())
        after = _AFTER.match(plain, end)
        unit = after.group(1)[:20] if after else ""
        is_glued = after is not None and after.start(1) == end
        scale = _SCALES.get(unaccented(unit))
        if is_glued and unit[0] in _HAN_SCALES:
            for char in unit:
                if char not in _HAN_SCALES:
                    break
                readings, end = frozenset(value * _HAN_SCALES[char] for value in readings), end + 1
        elif after is not None and scale is not None and readings:
            readings, parts, end = frozenset(value * scale for value in readings), (), after.end()
        elif is_glued and unit in _LETTERS:
            more = frozenset(value * _LETTERS[unit] for value in readings)
            # Metres are as likely as millions; a capital or a k is not.
            readings, loose, end = (readings | more if unit == "m" else more), (*loose, *readings), end + len(unit)
        elif unit == "%" or unaccented(unit) in {"percent", "prozent", "per", "por", "pour"}:
            readings |= {value / 100 for value in readings}
        elif plain[end : end + 1] in {"½", "¼", "¾"}:
            readings, end = frozenset(value + Decimal(unicodedata.numeric(plain[end])) for value in readings), end + 1
        yield Numeral(start, end, readings, parts, loose)


def _read_digit_run(run: str) -> tuple[frozenset[Decimal], tuple[Decimal, ...], tuple[Decimal, ...]]:
    """The readings, parts and loose values of digits with separators."""
    if len(run) > _LONGEST:
        pieces = (piece[at : at + _LONGEST] for piece in re.split(r"\D", run) for at in range(0, len(piece), _LONGEST))
        return frozenset(), tuple(Decimal(piece) for piece in pieces), ()
    if " " in run:
        groups = run.split(" ")
        parts = tuple(value for group in groups for value in (*_read_digit_run(group)[0], *_read_digit_run(group)[1]))
        is_one = len(groups[0]) <= 3 and groups[0].isdigit()
        return (_read_digit_run("".join(groups))[0] if is_one else frozenset()), parts, ()
    readings = {Decimal(run)} if run.isdigit() else set()
    digits = re.sub(r"\D", "", run)
    if run[0] != "0" and re.fullmatch(r"\d{1,3}([.,'])\d{3}(?:\1\d{3})*", run):
        readings.add(Decimal(digits))
    decimal = re.fullmatch(r"(?:\d+|[1-9]\d{0,2}(?:([.,'])\d{3})(?:\1\d{3})*)([.,])(\d+)", run)
    if decimal is not None and decimal[1] != decimal[2]:
        readings.add(Decimal(f"{digits[: -len(decimal[3])]}.{decimal[3]}"))
    singles = tuple(Decimal(group) for group in re.split(r"\D", run))
    if not readings or re.fullmatch(r"\d+,(?!\d{3}$)\d+", run):
        return frozenset(readings), singles, ()
    # '9.30' may be a time.
    return frozenset(readings), (), singles if re.fullmatch(r"\d+\.\d\d", run) else ()


# Zero to twenty, then the tens from thirty, without accents, by language. '_' is said in another way.
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety, null eins zwei drei vier funf sechs"
    " sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreissig"
    " vierzig funfzig sechzig siebzig achtzig neunzig, cero uno dos tres cuatro cinco seis siete ocho nueve diez _"
    " doce trece catorce quince dieciseis diecisiete dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta"
    " setenta ochenta noventa, zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze"
    " quinze seize _ _ _ vingt trente quarante cinquante soixante septante octante nonante, zero uno due tre quattro"
    " cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto"
    " diciannove venti trenta quaranta cinquanta sessanta settanta ottanta novanta, zero um dois tres quatro cinco"
    " seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito dezenove vinte trinta"
    " quarenta cinquenta sessenta setenta oitenta noventa, nul een twee drie vier vijf zes zeven acht negen tien elf"
    " twaalf dertien veertien vijftien zestien zeventien achttien negentien twintig dertig veertig vijftig zestig"
    " zeventig"
    " tachtig negentig, zero jeden dwa trzy cztery piec szesc siedem osiem dziewiec dziesiec jedenascie dwanascie"
    " trzynascie czternascie pietnascie szesnascie siedemnascie osiemnascie dziewietnascie dwadziescia trzydziesci"
    " czterdziesci piecdziesiat szescdziesiat siedemdziesiat osiemdziesiat dziewiecdziesiat"
).split(",")
_ORDINALS = (
    "_ first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
    " fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth sixtieth seventieth"
    " eightieth ninetieth, _ erste zweite dritte vierte funfte sechste siebte achte neunte zehnte elfte zwolfte, _"
    " premier deuxieme troisieme quatrieme cinquieme sixieme septieme huitieme neuvieme dixieme onzieme douzieme, _"
    " primero segundo tercero cuarto quinto sexto septimo octavo noveno decimo, _ primo secondo terzo quarto quinto"
    " sesto settimo ottavo nono decimo, _ primeiro segundo terceiro quarto quinto sexto setimo oitavo nono decimo, _"
    " eerste tweede derde vierde vijfde zesde zevende achtste negende tiende elfde twaalfde"
).split(",")
_HUNDREDS = (
    "_ ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos, _"
    " cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos"
).split(",")
_SCALES = {
    word: scale
    for scale, words in (
        (12, "dozen dozens dutzend docena docenas douzaine douzaines dozzina duzia duzias dozijn tuzin"),
        (100, "hundred hundreds hundert cents honderd"),
        (1000, "thousand thousands tausend tsd mil mille mila milliers duizend tysiac tysiace tysiecy"),
        (
            10**6,
            (
                "million millions millionen mio mill miljoen milion miliony milionow millon millones milione milioni"
                " milhao milhoes"
            ),
        ),
        (10**9, "billion billions milliarde milliarden mrd milliard milliards miliardo miliardi"),
    )
    for word in words.split()
}
_SEVERAL = {
    word: frozenset(map(Decimal, values.split()))
    for values, words in (
        ("0.25 15", "quarter quarters"),
        ("0.5", "half halb halbe medio media demi demie mezzo mezza meio meia"),
        ("1", "single einmal"),
        ("1 11", "once"),
        ("1.5", "anderthalb eineinhalb"),
        ("2 14", "fortnight"),
        ("2", "twice double both couple pair twins zweimal beide beiden ambos ambas entrambi"),
        ("3", "thrice triple triplets dreimal"),
    )
    for word in words.split()
}
_SEVERAL |= {
    word + half: frozenset({Decimal(at) + Decimal("0.5")})
    for words, halves in (
        ("zwei drei vier funf sechs sieben acht neun zehn elf zwolf", ("einhalb",)),
        ("twee drie vier vijf zes zeven acht negen tien elf twaalf", ("enhalf", "enhalve", "eneenhalf", "eneenhalve")),
    )
    for at, word in enumerate(words.split(), 2)
    for half in halves
}
_WEAK = frozenset(
    # Articles, filler words, and words that mean something else in another of the languages.
    "zero null one first second ein eine einen einem einer eines eins un une una uno um uma once due sei elf otto cent"
    " neuf sept seize doze venti single double both half quarter quarters couple pair twins triplets decade century"
    " fortnight segundo segunda secondo seconda cuarto cuarta quarto quarta quinto quinta sexto sexta terca nono nona"
    " erste ersten erster erstes ersten premier premiere primero primera primer primo prima primeiro primeira achte"
    " achten mil mille dos hundreds thousands dozens millions billions halb halbe demi demie medio media mezzo mezza"
    " meio meia beide beiden ambos ambas entrambi een eerste tweede jeden jedna jedno sto oba obie vieren".split()
)


def _number_words() -> dict[str, int]:
    """Every word that is a number by itself; hundreds and up that multiply are in _SCALES."""
    values = [*range(21), *range(30, 100, 10)]
    table: dict[str, int] = {}
    for line in (*_COUNTED, *_ORDINALS):
        table |= dict(zip(line.split(), values, strict=False))
    for line in _ORDINALS[3:6]:
        table |= {word[:-1] + "a": values[at] for at, word in enumerate(line.split()) if word.endswith("o")}
    for line in _HUNDREDS:
        table |= {word: 100 * at for at, word in enumerate(line.split())}
        table |= {word[:-2] + "as": 100 * at for at, word in enumerate(line.split()) if word.endswith("os")}
    units = list(enumerate(_COUNTED[1].split()[:10]))
    for tens, word in enumerate(_COUNTED[1].split()[20:], 2):
        table |= {f"{'ein' if unit == 1 else name}und{word}": 10 * tens + unit for unit, name in units if unit}
    ones = _COUNTED[6].split()[:10]
    for tens, word in enumerate(_COUNTED[6].split()[20:], 2):
        table |= {f"{name}en{word}": 10 * tens + unit for unit, name in enumerate(ones) if unit}
    for unit, name in enumerate(_COUNTED[2].split()[:10]):
        table["veinti" + name] = 20 + unit
    for tens, word in enumerate(_COUNTED[4].split()[20:], 2):
        for unit, name in enumerate(_COUNTED[4].split()[:10]):
            table[(word[:-1] if unit in {1, 8} else word) + name] = 10 * tens + unit
    table |= dict.fromkeys("ein eine einen einem einer una une uma primer premiere".split(), 1)
    polish = "_ sto dwiescie trzysta czterysta piecset szescset siedemset osiemset dziewiecset"
    table |= {word: 100 * at for at, word in enumerate(polish.split())}
    inflected = "dwoch trzech czterech pieciu szesciu siedmiu osmiu dziewieciu dziesieciu jedenastu dwunastu"
    table |= {word: at + 2 for at, word in enumerate(inflected.split())}
    table |= {"dwie": 2, "jedna": 1, "jedno": 1, "dwoje": 2, "troje": 3, "oba": 2, "obie": 2}
    dutch = "tweeen drieen vieren vijven zessen zevenen _ negenen tienen elven twaalven dertienen veertienen vijftienen"
    table |= {word: at + 2 for at, word in enumerate(f"{dutch} zestienen zeventienen achttienen".split())}  # "met z'n"
    table |= {"duas": 2, "zwo": 2, "vingts": 20, "cien": 100, "cem": 100, "cent": 100, "huitante": 80, "veintiun": 21}
    table |= {
        "dezasseis": 16,
        "dezassete": 17,
        "dezanove": 19,
        "fuenf": 5,
        "zwoelf": 12,
        "nil": 0,
        "terca": 3,
        "tercer": 3,
    }
    del table["_"]
    return table


_WORDS = _number_words()
WORD = lazy_pattern(r"[^\W\d_]+")
_AND = {"and": 100, "und": 100, "y": 20, "e": 20, "et": 20}
"""Words inside a number, with the smallest value before them: 'two hundred and five', 'treinta y cinco'."""


def _number_word_value(word: str) -> int | None:
    """The value of a folded word: 'fünfundzwanzig', 'dreihundertzwölf', 'duecento', German ordinals."""
    if word in _WORDS:
        return _WORDS[word]
    if len(word) > 60:
        return None
    for stem, scale in (
        ("tausend", 1000),
        ("mila", 1000),
        ("mille", 1000),
        ("hundert", 100),
        ("cento", 100),
        ("duizend", 1000),
        ("honderd", 100),
    ):
        before, found, after = word.partition(stem)
        if found:
            times = _number_word_value(before) if before else 1
            rest = _number_word_value(after.removeprefix("und")) if after else 0
            return None if times is None or rest is None or rest >= scale else times * scale + rest
    ordinal = re.fullmatch(r"(.*?[a-z])(?:ste|te)[nmrs]?", word)
    if ordinal is not None and ordinal[1] not in {"eins", "ein"}:
        return _WORDS.get(ordinal[1]) if _WORDS.get(ordinal[1], 0) > 12 else _WORDS.get(word.rstrip("nmrs"))
    return None


class _Sum:
    """A number while its words are read: 'two hundred' 'and' 'five'."""

    def __init__(self, start: int, end: int, word: str, value: int, *, is_scale: bool) -> None:
        self.start, self.end, self.last_word, self.last = start, end, word, value
        self.total, self.small = (value, 0) if is_scale and value >= 1000 else (0, value)
        self.is_weak = word in _WEAK
        self.is_next = False  # whether it directly follows the number before

    def takes(self, word: str, value: int, *, is_scale: bool, after: str) -> bool:
        """Whether the next word belongs to the number; if so, it is added."""
        if after and self.last < _AND[after]:
            return False
        total, small, tens = self.total, self.small, self.small % 100
        if is_scale and value >= 1000:
            if not small or 0 < total < value * 1000:
                return False
            self.total, self.small = total + small * value, 0
        elif is_scale or word == "cent":
            if not 0 < small < 100:
                return False
            self.small = small * value
        elif self.last_word == "quatre" and word in {"vingt", "vingts"}:
            self.small += 76
        elif (
            (total > 0 and small == 0)
            or (small >= 100 and tens == 0 and value < 100)
            or (tens >= 20 and tens % 10 == 0 and self.last in {tens, 20} and 1 <= value <= 9)
            or (tens in {60, 80} and self.last_word in {"soixante", "vingt"} and 10 <= value <= 19)
            or (self.last_word == "dix" and word in {"sept", "huit", "neuf"})
        ):
            self.small += value
        else:
            return False
        self.last, self.last_word, self.is_weak = value, word, False
        return True


def _word_numerals(plain: str) -> Iterator[Numeral]:
    sums: list[_Sum] = []
    end, between, before = -2, "", ""
    for match in WORD.finditer(plain):
        word = unaccented(match.group())
        is_next = 0 <= match.start() - end <= 2 and plain[end : match.start()].strip() in {"", "-"} and bool(sums)
        if is_next and word in _AND and not between:
            end, between = match.end(), word
            continue
        scale = _SCALES.get(word)
        value = _number_word_value(word) if scale is None else scale
        if word in _SEVERAL:
            yield Numeral(*match.span(), _SEVERAL[word], is_weak=word in _WEAK)
        # 'Por ciento' and 'per cento' are percent.
        if word in _SEVERAL or value is None or (before in {"por", "per", "pour"} and value == 100):
            end, between, before = -9, "", word
            continue
        if is_next and sums[-1].takes(word, value, is_scale=scale is not None, after=between):
            sums[-1].end = match.end()
        else:
            if is_next and scale == 100 and 0 < sums[-1].last < 10 < sums[-1].small:
                # 'Two hundred and three hundred' is two numbers.
                sums[-1].small -= sums[-1].last
                value, scale = 100 * sums[-1].last, None
            sums.append(_Sum(*match.span(), word, value, is_scale=scale is not None))
            sums[-1].is_next = is_next and not between
        end, between, before = match.end(), "", word
    yield from _paired_numerals(sums)


def _paired_numerals(sums: Sequence[_Sum]) -> Iterator[Numeral]:
    """'Nineteen ninety-five' may be a year and 'three fifty' a price; or they are two numbers."""
    values = [Decimal(each.total + each.small) for each in sums]
    for each, value in zip(sums, values, strict=True):
        yield Numeral(each.start, each.end, frozenset({value}), is_weak=each.is_weak)
    for (first, high), (second, low) in pairwise(zip(sums, values, strict=True)):
        if second.is_next and not first.is_weak and 1 <= high <= 20 and 10 <= low <= 99:
            yield Numeral(first.start, second.end, frozenset({high * 100 + low}), (high, low))


def implied_numerals(text: str) -> Iterator[Numeral]:
    """Numbers implied by articles and negations: 'a dog' is 1 dog, 'no children' are 0; for evidence checks only."""
    for match in _IMPLIED.finditer(text):
        half = (Decimal("1.5"),) if match["one"] and _HALF.match(text, match.end()) else ()
        yield Numeral(*match.span(), frozenset({Decimal(1 if match["one"] or match["each"] else 0)}), loose=half)


def _han_numerals(plain: str) -> Iterator[Numeral]:
    for match in _HAN.finditer(plain):
        run = match.group()
        # A lone 一 or 十 is part of too many words that are not numbers.
        is_weak = run in {"一", "十", "百", "千", "万", "萬", "亿", "億", "万一", "千万", "一一"}
        if len(run) > _LONGEST:
            continue
        if len(run) > 1 and all(char in _HAN_DIGITS for char in run):
            value = Decimal("".join(str(_HAN_DIGITS[char]) for char in run))
            yield Numeral(*match.span(), frozenset({value}), tuple(Decimal(_HAN_DIGITS[char]) for char in run))
        else:
            values = {Decimal(_han_value(run))}
            if (short := _HAN_SHORT.search(run)) is not None:  # 一千二 is 1200
                tail = _HAN_DIGITS[short[2]] * _HAN_SCALES.get(short[1], 10) // 10
                values.add(Decimal(_han_value(run[:-1]) + tail))
            yield Numeral(*match.span(), frozenset(values), is_weak=is_weak)


def _han_value(run: str) -> int:
    total = section = digit = 0
    for char in run:
        if char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char]
        elif char in _HAN_UNITS:
            section, digit = section + (digit or 1) * _HAN_UNITS[char], 0
        else:
            total, section, digit = (total + ((section + digit) or 1)) * _HAN_SCALES[char], 0, 0
    return total + section + digit


def unaccented(text: str) -> str:
    """The text without letter case and accents."""
    if text.isascii():
        return text.lower()
    return "".join(char for char in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(char))


def aligned_text(text: str) -> str:
    """The text without letter case and accents, and with plain digits, each character at its place."""
    folded = [
        "l" if char in "łŁ" else unaccented(char) if not char.isascii() else char.lower() for char in ascii_digits(text)
    ]
    return "".join(new if len(new) == 1 else old for new, old in zip(folded, text, strict=True))
