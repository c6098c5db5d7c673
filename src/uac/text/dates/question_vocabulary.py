"""The vocabulary of time in questions: forms around dates and events, and translations of further languages.

`uac.text.dates` reads eight languages and common holidays; `plainly` translates others into English for it.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from uac.text.dates.vocabulary import NOT_A_YEAR_BEFORE
from uac.text.lazy_pattern import lazy_pattern

__all__ = [
    "AFTER_A_NAME",
    "ARTICLES",
    "BEFORE_A_NAME",
    "CLAUSE_END",
    "COUNTED",
    "EVENT",
    "GOES_ON",
    "LOOSE_END",
    "MAIN_CLAUSE",
    "MANNER",
    "MONTH_NAMES",
    "NO_EVENT",
    "NTHS",
    "OTHER_MANNER",
    "RELATED",
    "RELATED_AFTER",
    "TO_NOTHING",
    "UNITS",
    "WIDE_EVENT",
    "YEAR",
    "Plain",
    "plainly",
]


def plainly(text: str) -> "Plain":
    """Translates words and holidays that the date vocabulary lacks into English."""
    signs = text.translate(_SIGNS)
    pieces: list[tuple[int, int, int, int]] = []
    plain: list[str] = []
    done = length = 0
    others = _OTHER_IN_ASCII if signs.isascii() else _OTHER_IN_LATIN if max(signs) < _AFTER_LATIN else _OTHER
    for found in others.finditer(signs):
        said = _english_for(found)
        length += found.start() - done
        plain += [signs[done : found.start()], said]
        pieces.append((length, length + len(said), found.start(), found.end()))
        length, done = length + len(said), found.end()
    plain.append(signs[done:])
    return Plain(text, "".join(plain), tuple(pieces))


class Plain(NamedTuple):
    """A text in words of the date vocabulary, and which piece of it translates which piece of the original."""

    text: str
    plain: str
    pieces: tuple[tuple[int, int, int, int], ...]

    def original(self, start: int, end: int) -> str:
        return self.text[
            self._position_in_original(start, is_end=False) : self._position_in_original(end, is_end=True)
        ].strip()

    def _position_in_original(self, at: int, *, is_end: bool) -> int:
        moved = 0
        for start, end, text_start, text_end in self.pieces:
            if at >= end:
                moved = text_end - end
            elif at > start or (at == start and not is_end):
                return text_end if is_end else text_start
        return at + moved


def _english_for(found: re.Match[str]) -> str:
    if decade := found["after"] or found["before"]:
        return f"the {decade}s"
    if wide := found["wide"] or found["alone"]:
        year = found["year"] or {"去": "last year", "昨": "last year", "今": "this year"}.get(found["which"] or "", "")
        word = next(said for word, said in _WIDE_WORDS.items() if wide.startswith(word))
        return f"{word} of {year}" if year else f"in {word}"
    if found["comma"]:
        return ", "
    if found["of_year"]:
        return ""
    if found["romance"]:
        return "in " + _ROMANCE_SEASONS.get(found["romance"].casefold(), "")
    # The pattern takes a Turkish dotless i for an i, but it is not one.
    return _WORDS.get(found["word"].casefold(), found["word"])


_SIGNS = str.maketrans("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹’", "01234567890123456789'")


def _word_table(lines: str) -> dict[str, str]:
    """The English word for each word; a line is 'English: word, word'."""
    rows = [line.partition(":") for line in lines.strip().splitlines()]
    return {word.strip(): english for english, _, words in rows for word in words.split(",")}


_MONTHS = frozenset("January February March April May June July August September October November December".split())
_ROMANCE_SEASONS = _word_table("""
spring: primavera, printemps
summer: verano, été, estate, verão
autumn: otoño, automne, autunno, outono
winter: invierno, hiver, inverno
""")
_WIDE_SEASONS = _word_table("""
spring: 春
summer: 夏
autumn: 秋
winter: 冬
""")
_WIDE_HOLIDAYS = _word_table("""
Christmas: 圣诞, 聖誕, クリスマス
New Year's Day: 元旦, 元日
New Year's Eve: 大晦日
Valentine's Day: 情人, バレンタイン
Halloween: 万圣, 萬聖, ハロウィ
""")
_WIDE_WORDS = {**_WIDE_SEASONS, **_WIDE_HOLIDAYS}
_WORDS = _word_table("""
Rio: rio de janeiro
during the: over the, throughout the
in the past year: in the last year, over the last year, within the last year
in the past month: in the last month, over the last month, within the last month
in the past week: in the last week, over the last week, within the last week
in the last week of: in the last week of, in the last week in
in the last week before: in the last week before
in the last month of: in the last month of
in the last year of: in the last year of
first weekend of: first weekend in, erste wochenende im, ersten wochenende im
first weekend of: premier week-end de, primer fin de semana de
last weekend of: last weekend in, letzte wochenende im, letzten wochenende im
last weekend of: dernier week-end de, último fin de semana de
first week of: first week in, ersten woche im, première semaine de, primera semana de
last week of: last week in, letzten woche im, dernière semaine de, última semana de
New Year's Day: new year, new year's, new years, neujahr, nouvel an, jour de l'an, año nuevo, capodanno, ano novo
New Year's Day: новый год, нового года, رأس السنة
New Year's Eve: new year's eve, new years eve, saint-sylvestre, réveillon
New Year's Day: new year's day, new years day
Valentine's Day: valentine's day, valentines day, valentine's, valentines, valentinstag, saint-valentin, san valentín
Valentine's Day: san valentino
Christmas: natal
January: января, январе, январь, يناير, كانون الثاني
February: февраля, феврале, февраль, فبراير, شباط
March: марта, марте, март, мартом, مارس, آذار
April: апреля, апреле, апрель, апрелем, أبريل, إبريل, نيسان
May: мая, мае, май, маем, مايو, أيار
June: июня, июне, июнь, июнем, يونيو, حزيران
July: июля, июле, июль, июлем, يوليو, تموز
August: августа, августе, август, августом, أغسطس, آب
September: сентября, сентябре, сентябрь, سبتمبر, أيلول
October: октября, октябре, октябрь, أكتوبر, تشرين الأول
November: ноября, ноябре, ноябрь, نوفمبر, تشرين الثاني
December: декабря, декабре, декабрь, ديسمبر, كانون الأول
in spring: весной, في الربيع
in summer: летом, في الصيف
in autumn: осенью, في الخريف
in winter: зимой, في الشتاء
last spring: прошлой весной, الربيع الماضي
last summer: прошлым летом, الصيف الماضي
last autumn: прошлой осенью, الخريف الماضي
last winter: прошлой зимой, الشتاء الماضي
spring: ربيع
summer of: صيف عام, صيف سنة
summer: صيف
winter: شتاء
last year: в прошлом году, العام الماضي, السنة الماضية
of last year: прошлого года
last month: в прошлом месяце, الشهر الماضي
last week: на прошлой неделе, الأسبوع الماضي
yesterday: вчера, أمس
today: сегодня, اليوم
the year: عام, سنة
two weeks ago: قبل أسبوعين
a week ago: неделю назад, قبل أسبوع
two months ago: قبل شهرين
a month ago: месяц назад, قبل شهر
two years ago: قبل سنتين, قبل عامين
a year ago: год назад, قبل سنة, قبل عام
ago: назад
days: дня, дней
weeks: недели, недель
months: месяца, месяцев
years: года, лет
two: два, две
three: три
in: в, во, في
before: до, قبل
after: после, بعد
since: с, منذ
between: между, بين
and: и
""")
# "and" is written as a part of the next word.
_WORDS |= {"و" + word: f"and {said}" for word, said in _WORDS.items() if said in _MONTHS and word >= "\u0600"}


def _other_words(words: Iterable[str]) -> re.Pattern[str]:
    """What is translated: these words, and forms of decades, years, seasons and holidays."""
    return lazy_pattern(
        # decades: "los años 90", "den 90ern", "90年代"
        r"(?<!\w)(?:(?:les|los|gli|nos|os)\s)?(?:años|années|anni|anos)\s['’]?(?P<after>(?:\d\d)?\d0)(?!\w)"
        r"|(?<!\w)(?:(?:den|die|der)\s)?(?P<before>(?:\d\d)?\d0)(?:ern?(?:\sjahren?)?(?!\w)|-[хе](?!\w)|年代)"
        # "May 1,2023" is no number
        r"|(?P<comma>(?<=\d),(?=(?:19|20)\d\d(?!\d)))"
        # "2023 года" is the year, "два года" are two years
        r"|(?P<of_year>(?<=[12]\d{3})\s(?:года|году|год|г\.))"
        # seasons and holidays after their year
        rf"|(?:(?P<year>[12]\d{{3}})年|(?P<which>[去昨今])年)[的の]?(?P<wide>(?:{'|'.join(_WIDE_WORDS)})[天季节節]?(?:デー|ーン|ン)?)"
        rf"|(?P<alone>[春夏秋冬][天季]|(?:{'|'.join(_WIDE_HOLIDAYS)})[节節]?)"
        rf"|(?<!\w)(?:en(?:\sel|\sla)?|au|à\sl['’]|in|nel|n[ao])\s(?P<romance>{'|'.join(_ROMANCE_SEASONS)})(?!\w)"
        r"(?!\s(?:d|passad|pasad|pass[ée]|proch|pr[oó]xim|prossim|scors|que|\d))"
        rf"|(?<!\w)(?P<word>{'|'.join(sorted(map(re.escape, words), key=len, reverse=True))})(?!\w)",
        re.IGNORECASE,
    )


_AFTER_LATIN = "\u0250"
_OTHER, _OTHER_IN_ASCII = _other_words(_WORDS), _other_words(filter(str.isascii, _WORDS))
_OTHER_IN_LATIN = _other_words(word for word in _WORDS if max(word) < _AFTER_LATIN)

# --- around dates -----------------------------------------------------------------------------------------------------

UNITS: dict[str, tuple[int | None, int]] = {
    "weekend": (5, 2),
    "week": (None, 7),
    **{day: (at, 1) for at, day in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())},
}
"""The weekday on which it starts, if it has one, and how many days it has."""

NTHS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "last": -1}
COUNTED = lazy_pattern(
    rf"(?<!\w)(?:the\s)?(?:(?P<nth>{'|'.join(NTHS)})\s)?(?P<unit>{'|'.join(UNITS)})\s"
    r"(?P<side>of|before|after)\s(?:the\s)?",
    re.IGNORECASE | re.ASCII,
)

YEAR = lazy_pattern(
    r"(?<![\w$€£¥#.,:/-])(?:19|20)[0-9]{2}(?![\w%€$£¥]|[.,:/-]\d"
    rf"|\s(?:{'|'.join(word for word in sorted(NOT_A_YEAR_BEFORE) if word.isalpha())})\b)",
    re.IGNORECASE,
)
_ARTICLE = (
    "the|a|an|my|our|your|his|her|their|that|this|"
    "de[rmns]|das|die|ein|eine[rmn]?|(?:mein|unser|sein|ihr)(?:e[rmns]?)?|"
    "le|la|les|un|une|mon|ma|mes|notre|son|sa|el|los|las|una|mi|mis|su|sus|nuestr[oa]|"
    "il|lo|gli|mia|mio|um|uma|minha|meu|nossa|nosso"
)
RELATED = lazy_pattern(
    r"(?<!\w)(?:"
    r"(?P<before>before|prior\sto|earlier\sthan|vor|avant|antes\sd[aeo]l?|prima\sd[ei]l?(?:la)?)"
    r"|(?P<after>after|later\sthan|nach|apr[eè]s|despu[eé]s\sdel?|dopo|depois\sd[aeo])"
    r"|(?P<since>since|seit|ab|depuis|desde|[aà]\spartir\sd[eu])"
    r"|(?P<until>until|till|bis|jusqu['’](?:à|en)|hasta|fino\sa|at[eé])"
    r"|(?P<around>around|circa|over|etwa|ungef[aä]hr|rund\sum|um|vers|autour\sd[eu]|hacia|alrededor\sdel?|verso)"
    rf")\s(?:(?:{_ARTICLE})\s|l['’])?$",
    re.IGNORECASE,
)
RELATED_AFTER = lazy_pattern(
    r"\s?(?:の|的)?(?:(?P<before>之前|以前|より前|前)|(?P<after>之后|之後|以后|以後|より後)"
    r"|(?P<since>以来|以來|以降|から|起)|(?P<until>まで|为止|為止)|(?P<around>左右|ごろ|頃|前后|前後))"
)

# --- around events ----------------------------------------------------------------------------------------------------

CLAUSE_END = lazy_pattern(r"[?!.,;:…\n،؟؛。，？！；]")
MAIN_CLAUSE = lazy_pattern(r"\s(?=(?:did|do|does|what|who|where|which|how|when|why)\b)", re.IGNORECASE)
ARTICLES = lazy_pattern(rf"\s*(?:(?:{_ARTICLE})\s+|l['’])*", re.IGNORECASE)
LOOSE_END = lazy_pattern(
    r"(?:\s+(?:and|or|but|in|on|at|of|from|und|oder|im|am|et|ou|en|y|o|e|de|del|в"
    # what is left of the main clause in German: "vor der Hochzeit gemacht"
    r"|(?:ab|an|auf|aus|ein|mit|um|vor|weg)?ge[a-zäöüß]{3,}(?:t|en)))*\s*$"
)
GOES_ON = lazy_pattern(
    r"\s*(?:$|[^\w\s]|(?:in|at|on|with|and|or|did|do|does|was|were|is|are|has|had|have)\b|[之以前后後])"
)
NO_EVENT = lazy_pattern(
    r"(?:|\W+|\d.*|(?:(?:that|this|then|now|all|it|long|when|while|what|which|who|dem|das|dass|"
    r"que|quand|cuando|eso|esto|ello|cela|ça|day|days|night|week|time|date|ever)\b\W*)+)",
    re.IGNORECASE,
)
MANNER = lazy_pattern(  # "while keeping it cheap" says how, not when
    r"(?:(?:still|also|not|always)\s)*(?:fitt|keep|stay|maintain|respect|consider|avoid|be|mak|ensur|balanc|stick|sav|"
    r"minimi[sz]|maximi[sz]|account|accommodat|meet|reduc|remain|tak|us|hav|giv|allow|preserv|honou?r|leav|cover|improv|includ|ignor|prevent|protect|limit|cutt|respond|"
    r"address|follow|hold|hitt|look)ing\b",
    re.IGNORECASE,
)
OTHER_MANNER = lazy_pattern(  # the same after "während" and "mientras"
    r"(?:ich|du|wir|man)\b.*\b(?:achte[nst]*|einh[aä]lt\w*|einhalten?|ber[uü]cksichtig\w*|einteil\w*|spare?n?|vermeide\w*|respektier\w*|bleibe\w*)$"
    r"|(?:respet|evit|ahorr|mant(?:en|ien)|ajust|consider|cuid|cumpl|respect|gard|évit|économis)\w*\b",
    re.IGNORECASE,
)
TO_NOTHING = lazy_pattern(r"\b(?:anything|everything|something|irgendetwas|quoi que ce soit)$", re.IGNORECASE)
MONTH_NAMES = lazy_pattern(r"may|april|june|jan|mai|august|march", re.IGNORECASE)
"""Months that are also names of people, or of something else."""
BEFORE_A_NAME = lazy_pattern(
    r"\b(?:does|did|has|with|met|meet|tells?|told|ask(?:ed)?|who\sis|who's|hat|mit|wer\sist|(?:sagt|meint|denkt|findet)e?|f[uü]r(?=\sjan))\s$"
    r"|(?<!\w)(?!(?:jan|feb|mar|mär|apr|ma[yi]|jun|jul|aug|sep|o[ck]t|nov|de[cz])\w{0,6}\s)(?-i:[A-Z])\w+\s(?:and|und)\s$"
    r"|(?<!\w)(?-i:Mark|Marco|Marc|Maria|Marie|Julia|Julian)\s(?:and|und)\s$",
    re.IGNORECASE,
)
AFTER_A_NAME = lazy_pattern(
    r"(?<=\bthe\smarch)\s(?:on|for|of)\b|(?<=march)\smadness\b"
    r"|\s(?:said|says?|thinks?|told|likes?|lives?|wants?|works?|called|sagt|sagte|hat|mag|wohnt|meint)\b"
    r"|['’]s\s(?:office|house|flat|birthday|phone|number|address|husband|wife|mother|father|sister|brother|kids?|party|name|job|dog|cat|car)\b",
    re.IGNORECASE,
)
_OF_GERMAN = r"(?=\s+(?:de[rmns]|die|das|(?:mein|dein|sein|ihr|unser|ein)(?:e[rmns]?)?)\s)"
_OF_FRENCH = r"(?=\s+(?:(?:le|la|les|un|une|mon|ma|mes|notre|nos|son|sa|ses)\s|l['’]))"
EVENT = lazy_pattern(
    r"(?<!\w)(?:"
    rf"(?P<before>before|prior\sto|bevor|vor{_OF_GERMAN}|avant(?:\sque|\squ['’])?|antes\sd(?:e\sque|[aeo]l?)|prima\sd(?:i|el|ella)"
    r"|до\sтого\sкак|перед|до|قبل(?:\sأن)?)"
    rf"|(?P<after>after|nachdem|nach{_OF_GERMAN}|apr[eè]s(?:\sque|\squ['’])?|despu[eé]s\sd(?:e\sque|el?)|dopo|depois\sd(?:e\sque|[aeo])"
    r"|после(?:\sтого\sкак)?|بعد(?:\sأن|\sما)?)"
    rf"|(?P<during>during|while|w[aä]hrend|pendant(?:\sque|\squ['’])?|durant|lors\sd[eu]|durante|mientras"
    r"|во\sвремя|خلال|أثناء)"
    rf"|(?P<since>(?:ever\s)?since|seitdem|seit(?={_OF_GERMAN}|\s(?:ich|wir|er|sie|es)\s)|depuis(?:\sque|\squ['’]|{_OF_FRENCH})"
    r"|desde(?:\sque)?|da\squando|с\sтех\sпор\sкак|منذ(?:\sأن)?)"
    r"|(?P<until>until|till|bis(?:\szu[rm])?|jusqu['’](?:à|au|aux|à\sce\sque)|hasta(?:\sque)?|fino\sa(?:lla|l)?|at[eé]|пока\sне|حتى)"
    r")(?=\s|(?<=['’]))",
    re.IGNORECASE,
)
_WIDE = r"\u3005\u3040-\u30ff\u3400-\u9fff"
WIDE_EVENT = lazy_pattern(
    rf"(?:在|自从|自從|从|從)?(?P<words>[{_WIDE}]{{2,20}}?)(?:的|の|する|した|た)?"
    r"(?:(?P<before>之前|以前|前に|前は)|(?P<after>之后|之後|以后|以後|後に|後は)"
    r"|(?P<during>期间|期間|的时候|的時候|の間|中に)|(?P<since>以来|以來|てから)|(?P<until>为止|為止|まで))"
)
