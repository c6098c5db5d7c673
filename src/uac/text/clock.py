"""Times of day in a text, in digits and in words of eight languages, with what is certain about them."""

import re
from functools import cache
from typing import NamedTuple

from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import aligned_text

__all__ = ["ClockTime", "clock_times"]


class ClockTime(NamedTuple):
    start: int
    end: int
    sure: frozenset[tuple[int, int]]
    """The hours and minutes that may be meant; both halves of the day if neither is likelier."""
    possible: frozenset[tuple[int, int]]
    """All of them, with the less likely half of the day."""


def clock_times(text: str) -> list[ClockTime]:
    """The times of day of a text, in order, without overlaps."""
    plain = aligned_text(text)
    found: list[ClockTime] = []
    for span in _pattern(_SPAN).finditer(plain):
        found += _span_times(plain, span)
    for family in _FAMILIES:
        for match in _pattern(family).finditer(plain):
            hour, minute = _hour_and_minute(match)
            is_time = hour is not None and 0 <= hour <= 24 and 0 <= minute < 60
            if hour is None or not is_time or any(match.start() < t.end and t.start < match.end() for t in found):
                continue
            found.append(ClockTime(*match.span(), *_halves(plain, match, hour, minute)))
    return sorted(found)


def _span_times(plain: str, span: re.Match[str]) -> list[ClockTime]:
    """Both ends of "9 to 5", "von 9 bis 17 Uhr"."""
    names = ("first0", "last0") if span["first0"] else ("first1", "last1")
    first, last = (_hour(span[name]) for name in names)
    if span["first1"] in _TO_WORDS and "to" in span[0]:
        return []
    if not (
        span["first0"]
        or _SPAN_CUE.search(plain[max(0, span.start() - 24) : span.end() + 6])
        or (first or 0) > (last or 0)
        or span["half"]
    ):
        return []
    if first is None or last is None or first > 24 or last > 24 or not (first or last):
        return []
    places = [span.span(name) for name in names]
    if span["half"] == "p" and first < last <= _NOON_HOUR:
        first, last = first + 12, last + 12
    if last > _NOON_HOUR or first > _NOON_HOUR:
        hours = [frozenset({(first % 24, 0)}), frozenset({(last % 24, 0)})]
    elif last <= first:
        hours = [frozenset({(first % 24, 0)}), frozenset({(last % 12 + 12, 0)})]
    else:
        return [
            ClockTime(*place, *_halves(plain, span, hour, 0)) for place, hour in zip(places, (first, last), strict=True)
        ]
    return [ClockTime(*place, hour, hour) for place, hour in zip(places, hours, strict=True)]


_HOURS = {
    word: at + 1
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
        "una dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "une deux trois quatre cinq six sept huit neuf dix onze douze",
        "una due tre quattro cinque sei sette otto nove dieci undici dodici",
        "uma duas tres quatro cinco seis sete oito nove dez onze doze",
        "een twee drie vier vijf zes zeven acht negen tien elf twaalf",
        "pierwszej drugiej trzeciej czwartej piatej szostej siodmej osmej dziewiatej dziesiatej jedenastej dwunastej",
        "pierwsza druga trzecia czwarta piata szosta siodma osma dziewiata dziesiata jedenasta dwunasta",
    )
    for at, word in enumerate(words.split())
} | {
    word: at + 13
    for words in (
        "treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt _ vingt-deux vingt-trois",
        "tredici quattordici quindici sedici diciassette diciotto diciannove venti ventuno ventidue ventitre",
        "trzynastej czternastej pietnastej szesnastej siedemnastej osiemnastej dziewietnastej dwudziestej",
        "dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn zwanzig einundzwanzig zweiundzwanzig",
        "dertien veertien vijftien zestien zeventien achttien negentien twintig",
        "treze catorze quinze dezesseis dezessete dezoito dezenove vinte",
    )
    for at, word in enumerate(words.split())
    if word != "_"
}
_MINUTES = {
    **{
        word: value
        for word, value in _HOURS.items()
        if value <= 12 and not word.endswith(("ej", "sta", "ta", "cia", "ma", "ga", "sza"))
    },
    **{
        word: value
        for value, words in {
            10: "dziesiec tien",
            5: "piec",
            15: "fifteen quarter quart viertel cuarto quarto kwart kwadrans quinze quindici quince pietnascie",
            20: "twenty zwanzig veinte vingt venti vinte twintig dwadziescia",
            25: "veinticinco funfundzwanzig venticinque vinte_e_cinco vingt-cinq vijfentwintig",
            30: "thirty half treinta trente trenta trinta media demie demi mezza mezzo meia dreissig",
            35: "thirty-five trentacinque trinta_e_cinco treinta_y_cinco trente-cinq",
            40: "forty cuarenta quarante quaranta quarenta",
            45: "forty-five quarantacinque quarenta_e_cinco cuarenta_y_cinco quarante-cinq",
            50: "fifty cincuenta cinquante cinquanta cinquenta",
            55: "fifty-five cinquantacinque cinquenta_e_cinco cincuenta_y_cinco cinquante-cinq",
        }.items()
        for word in (written.replace("_", " ") for written in words.split())
    },
}
_H = "(?:" + "|".join(sorted(_HOURS, key=len, reverse=True)) + r"|\d{1,2})"
_M = "(?:twenty-five|twenty five|" + "|".join(sorted(_MINUTES, key=len, reverse=True)) + r"|\d{1,2})"
_M_WORDS = (
    "(?:" + "|".join(sorted((word for word, value in _MINUTES.items() if value >= 5), key=len, reverse=True)) + ")"
)
_ROUND = (
    "(?:twenty-five|twenty five|"
    + "|".join(
        sorted((word for word, value in _MINUTES.items() if value % 5 == 0 and value <= 30), key=len, reverse=True)
    )
    + ")"
)
_TEENS = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty twenty-one twenty-two twenty-three"
_LATE_HOURS = {word: at + 13 for at, word in enumerate(_TEENS.split())}
_LATE = "(?:" + "|".join(sorted((word.replace("-", "[- ]") for word in _LATE_HOURS), key=len, reverse=True)) + ")"
_NOON = (
    r"noon|midday|mittags|mittag|midi|mediodia|mezzogiorno|meio-dia|meio dia|twaalf uur 's middags|w poludnie|poludnie"
)
_MIDNIGHT = (
    r"midnight|mitternacht|minuit|medianoche|mezzanotte|meia-noite|meia noite|middernacht|polnocy|o polnocy|polnoc"
)
_NOT_COUNTED = (
    r"(?! ?(?:day|week|month|year|tag|woche|dag|hour|minute|min)\w*| (?:jours?|semaines?|mois|ans?|dias?|semanas?"
    r"|meses|mes"
    r"|anos?|giorni|settiman\w+|mesi|anni|weken|maanden|jaar|dni|tygodni\w*|miesiec\w*|lat\w*|godzin\w*|people"
    r"|guests|euros?"
    r"|pounds|quid|dollars|bucks|percent|km|kg|kilo\w*|miles?|nights?|noches|noites|notti|nuits|nachten|nachte"
    r"|personas|pessoas"
    r"|persone|times|of|per|each|apiece|(?:a|per|pro|je|par|por) (?:head|piece|pop|person|kid|child|ticket|kopf"
    r"|nase|stuck|cabeza|tete|testa|cabeca)|horas|stunden|uren|minut\w+|stück|hundred|thousand|million|mil|mille|other|more"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:de )?(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)"
    r"|janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre"
    r"|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre"
    r"|(?:de )?(?:janeiro|fevereiro|marco|maio|junho|julho|setembro|outubro|novembro|dezembro)"
    r"|januar|februar|marz|juni|juli|oktober|dezember|maart|mei|stycznia|lutego|marca|kwietnia|maja|czerwca|lipca"
    r"|sierpnia|wrzesnia|pazdziernika|listopada|grudnia)\b|[-./:,]\d| ?[%€£$]|['’]|\.? ?(?:jan|feb|mar|apr|jun|jul"
    r"|aug|sep|oct|nov|dec)\b)"
)
_FAMILIES = tuple(
    rf"(?<![\w:.,/+$€£-])(?:{form})"
    for form in (
        (
            r"(?P<iso>[01]?\d|2[0-4])(?::|h(?=\d)"
            r"| h (?=\d\d\b))(?P<isomin>[0-5]\d)(?::[0-5]\d)?(?![\d:])(?P<isohalf> ?[ap]\.?m\b\.?)?"
        ),
        r"(?P<iso>[01]?\d|2[0-3])\.(?P<isomin>[0-5]\d)(?= ?(?:[ap]\.?m\b|uhr|uur\b|h\b))(?P<isohalf> ?[ap]\.?m\b\.?)?",
        (
            r"(?P<iso>1[0-2]|0?\d)\.(?P<isomin>[0-5]\d)(?= (?:in the (?:morning|afternoon|evening)|at night|tonight"
            r"|de la "
            r"|du (?:matin|soir)|di (?:mattina|sera)|da (?:manha|tarde|noite)|'s |rano\b|wieczorem|abends|morgens))"
        ),
        rf"(?P<hour>{_LATE}) (?P<min>oh (?:one|two|three|four|five|six|seven|eight|nine)|{_M})\b{_NOT_COUNTED}",
        r"(?P<iso>1[0-2]|0?\d) ?(?P<isohalf>[ap]\.?m\b\.?)",
        r"(?P<iso>1[0-2]|0?[1-9])(?P<isomin>[0-5]\d) ?(?P<isohalf>[ap]\.?m\b\.?)",
        (
            r"(?:at|by|to|until|till|from|around|@) (?P<exact>[01]\d|2[0-3])(?P<exactmin>[0-5]\d)(?= ?h(?:rs|ours)?\b"
            r"|[,;!?.]|$)"
        ),
        (
            r"\b(?:the|der|die|den|le|el|il|o|as|de) (?P<exact>[01]\d|2[0-3])(?P<exactmin>[0-5]\d)(?= (?:to|from|out"
            r"|train|bus|flight|service|nach|zug|depuis|pour|desde|para|per|da|naar|uit|trein)\b)"
        ),
        (
            r"(?:at|@|till?|until) (?P<iso>1[0-2]|[1-9])(?P<isomin>[0-5]\d)(?=[,;!?.]?(?:$|\s)(?!\s?(?:euros?|people|km"
            r"|kg|miles|pounds|dollars|bucks|points|meters|metres|per|a)\b))"
        ),
        (
            r"(?:at|by|um|om|alle|o|around|from|till?|as|a las) (?P<iso>[01]?\d|2[0-3])\.(?P<isomin>[0-5]\d)(?![\d.]"
            r"|\.\d| ?(?:km|kg|€|euro|%))"
        ),
        r"(?P<min>half|quarter) (?P<sign>past|after|to|before) (?P<hour>midnight|noon|midday)\b",
        (
            r"(?P<noonplus>midi|minuit|meio-dia|meia-noite|mezzogiorno|mezzanotte|mediodia|medianoche)"
            rf"(?P<noonsign>(?: (?:et|e|y|moins|menos|meno))?)(?: un| um| le)? (?P<noonmin>{_M_WORDS})\b{_NOT_COUNTED}"
        ),
        (
            rf"(?P<min>{_ROUND}|5|10|15|20|25|[1-9](?= (?:nach|vor|past|over|voor|po)\b)|[12]\d(?= (?:nach|vor|past"
            rf"|over|voor|po)\b))(?: (?:minutes?|minuten|minuta|minut))? (?P<sign>to|before|vor|voor"
            rf"|para las|para la|para as|para a|pras|pra as|pra|past|after|nach|over|po)"
            rf" (?P<ishalf>halb |half )?(?P<hour>{_H})\b{_NOT_COUNTED}"
        ),
        rf"(?P<sign>za) (?P<min>{_M}) (?P<hour>{_H})\b",
        rf"(?P<halb>halb|wpol do|dreiviertel|drei viertel|viertel) (?P<hour>{_H})\b",
        rf"half (?P<half>{_H})\b{_NOT_COUNTED}",
        (
            rf"(?P<hour>{_H})(?: ?h\b| (?:heures?|horas?|ore|uhr|uur))?,? (?P<sign>et|y|e|moins|menos|meno)(?: (?:le|un"
            rf"|um))? (?P<min>{_M})\b{_NOT_COUNTED}"
        ),
        rf"(?P<hour>{_H}) (?:heures?|uhr|uur|h) (?P<min>{_M})\b",
        rf"(?P<noon>{_NOON})\b",
        rf"(?P<midnight>{_MIDNIGHT})\b",
        (
            r"(?P<hour>one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) "
            rf"(?P<min>fifteen|twenty|thirty|forty|forty-five|fifty)\b{_NOT_COUNTED}(?! now)"
        ),
        (
            rf"(?P<clock>{_H}) ?(?:o'clock|uhr|uur|heures?(?= (?:du|ce|pile|precises?)\b|[,.!?]|$)"
            rf"|h\b)(?: (?P<min>[0-5]\d)\b)?"
        ),
        (
            rf"(?P<hour>{_H}) (?=in the (?:morning|afternoon|evening)|at night|tonight|de la (?:manana|tarde|noche)"
            rf"|du (?:matin|mat|soir)"
            r"|de l'apres|di (?:mattina|sera)|del (?:pomeriggio|mattino)|da (?:manha|tarde|noite)|'s (?:ochtends"
            r"|middags|avonds)"
            r"|rano\b|wieczorem|po poludniu|abends|morgens|nachmittags)"
        ),
        r"(?P<hour>one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?= [ap]\.?m\b)",
        rf"(?P<hour>{_H})(?= (?:sharp|on the dot|punkt|en punto|pile|in punto|em ponto|stipt)\b)",
        (
            rf"(?:at|@|by|from|until|till|til|around|about|um|ab|bis|gegen|punkt|a las?|las|sobre las|desde las"
            rf"|hasta las|alle|all'|alle ore"
            rf"|dalle|fino alle|verso le|as|ate as|das|pelas|om|tegen|vanaf|rond|o|okolo|od|do"
            rf"|between) ?(?P<hour>{_H})(?:ish|-ish)?\b{_NOT_COUNTED}"
            r"(?!st\b|nd\b|rd\b|th\b)"
        ),
    )
)
"""From the most to the least certain; a time of one is not read again as another."""

_SPAN = (
    rf"(?<![\w:.,/+$€£-])(?<!half )(?<!halb )(?<!past )(?<!nach )(?<!vor )(?<!quarter to )"
    rf"(?:(?:between|zwischen|entre|tra|tussen|miedzy) (?:las |le "
    rf"|as )?(?P<first0>{_H})(?: ?(?:uhr|h|uur))? (?:and|und|y|et|e|en|a)"
    rf" (?:las |le |as )?(?P<last0>{_H})"
    rf"|(?:from |von |de |van |dalle |das |od |desde las |de las )?(?P<first1>{_H})(?: ?(?:uhr|h|uur|heures|horas"
    rf"|(?P<half>[ap])m))?"
    rf" ?(?:to|till?|until|-|–|bis|a las|a|tot|alle|as|do) ?(?P<last1>{_H}))(?: ?(?:uhr|h|uur|heures"
    rf"|horas))?\b{_NOT_COUNTED}(?![\d:]|\.\d)"
)
_TO_WORDS = frozenset("five ten twenty 5 10 20 25".split())
_SPAN_CUE = lazy_pattern(r"\b(?:from|von|dalle|das|od|between|zwischen|hours|open|shift|work|arbeite|uhr|h|uur|tot)\b")
_NIGHT = lazy_pattern(
    r"\b(?:nachts|at night|madrugada|w nocy|'s nachts|di notte|de la nuit|in the night|in der nacht)\b"
)
_MORNING = lazy_pattern(
    r"\b(?:morning|morgens|fruh|vormittags?|heute morgen|de la manana|por la manana|du matin|du mat|ce matin"
    r"|di mattina|del mattino|stamattina|mattina"
    r"|da manha|de manha|ochtends|vanochtend|ochtend|rano|breakfast|fruhstuck|desayuno|colazione|ontbijt|sunrise"
    r"|dawn|alarm|wake|"
    r"woke|get up|got up|aufstehen|wecker|weck|me levanto|despiert\w+|reveil\w*|mi alzo|sveglia\w*|mi sveglio|acord\w+"
    r"|wekker|budzik\w*|madrugada)\b"
)
_EVENING = lazy_pattern(
    r"\b(?:afternoon|evening|tonight|night|pm|nachmittags?|nachmittag|abends?|heute abend|de la tarde|de la noche"
    r"|esta tarde|esta noche|por la tarde|por la noche|tarde|noche"
    r"|apres-midi|aprem|du soir|ce soir|soir|pomeriggio|di sera|stasera|sera|da tarde|da noite|a noite|a tarde"
    r"|middags?|vanmiddag|\w+middag|avonds?|vanavond|\w+avond|avond"
    r"|po poludniu|popoludniu|wieczorem|wieczor|dinner|supper|drinks|gig|concert|cinema|pub|doors|party|film|movie"
    r"|curry|konzert|kino"
    r"|cena|cenamos|cine|concierto|diner|dinons|apero|cine|concerto|teatro|jantar|jantamos|bioscoop|borrel|koncert"
    r"|kolacja|kolacje|on stage|the final|abendessen|afterwork|ceniamo)\b"
)
_LATE_OR_EARLY = lazy_pattern(
    r"\b(?:bed|bedtime|asleep|sleep|slept|nap|baby|airport|flight|club|bars?|pub|party|disco|shift|early|late|latest"
    r"|still up|woken|awake|schlaf\w*|bett|flughafen|flug|schicht|spätschicht|nachtschicht|fruhschicht|kneipe|feier\w*"
    r"|cama|acuest\w+|dorm\w+|vuelo|aeropuerto|turno|discoteca|fiesta|temprano|couch\w*|dor[st]|vol|aeroport|boite"
    r"|fete|letto|dormo|volo|aeroporto|discoteca|festa|presto|tardi|deit\w+|voo|cedo|slaap\w*|vlucht|vroeg|feest"
    r"|klade|spac|spi[eę]|lot|lotnisko|impreza|zmiana|pozno)\b"
)
"""What happens in the small hours or late in the evening as well as by day."""
_LATEST_MORNING, _NOON_HOUR = 11, 12


@cache
def _pattern(words: str) -> re.Pattern[str]:
    """Compiled when first needed: most commands read no time, and would start a tenth of a second later."""
    return re.compile(words)


def _hour_and_minute(match: re.Match[str]) -> tuple[int | None, int]:
    match {name: value for name, value in match.groupdict().items() if value is not None}:
        case {"iso": hour, **rest}:
            return _english_half(int(hour), rest.get("isohalf")), int(rest.get("isomin", "0"))
        case {"exact": hour, "exactmin": minute}:
            return int(hour), int(minute)
        case {"noon": _}:
            return 12, 0
        case {"midnight": _}:
            return 0, 0
        case {"noonplus": noon, "noonsign": sign, "noonmin": minute}:
            is_night = noon.startswith(("minuit", "meia", "mezzan", "median"))
            whole = (24 if is_night else 12) * 60 + _MINUTES.get(minute, 30) * (-1 if sign.strip() in _BACK else 1)
            return whole // 60 % 24, whole % 60
        case {"sign": sign, "hour": hour, "min": minute, **rest}:
            return _counted(hour, minute, back=sign in _BACK, is_half="ishalf" in rest)
        case {"halb": halb, "hour": hour}:
            return (_hour(hour) or 12) - 1, 15 if halb == "viertel" else 45 if "viertel" in halb else 30
        case {"half": hour}:
            is_english = hour in _ENGLISH_HOURS or hour.isdecimal()
            return (_hour(hour) or 12) - (0 if is_english else 1), 30
        case {"clock": hour, **rest}:
            return _hour(hour), int(rest.get("min", "0"))
        case {"hour": hour, **rest}:
            minute = rest.get("min", "0").removeprefix("oh ")
            return _hour(hour), int(minute) if minute.isdecimal() else _MINUTES.get(minute, 0)
    return None, 0


_BACK = frozenset(
    {
        "to",
        "before",
        "vor",
        "voor",
        "para as",
        "para a",
        "para las",
        "para la",
        "pras",
        "pra as",
        "pra",
        "za",
        "moins",
        "menos",
        "meno",
    }
)
_WHOLE_DAY = {"midnight": 24, "noon": 12, "midday": 12}
_ENGLISH_HOURS = frozenset("one two three four five six seven eight nine ten eleven twelve".split())


def _hour(word: str) -> int | None:
    if word in _WHOLE_DAY:
        return _WHOLE_DAY[word]
    return int(word) if word.isdecimal() else _HOURS.get(word, _LATE_HOURS.get(word.replace(" ", "-")))


def _counted(word: str, minutes: str, *, back: bool, is_half: bool) -> tuple[int | None, int]:
    """Minutes before or after an hour, or before or after half an hour before it."""
    hour = _hour(word)
    number = int(minutes) if minutes.isdecimal() else _MINUTES.get(minutes, _MINUTES.get(minutes.replace(" ", "-"), 25))
    if hour is None:
        return None, 0
    whole = hour * 60 - (30 if is_half else 0) + (-number if back else number)
    return whole // 60, whole % 60


def _english_half(hour: int, half: str | None) -> int:
    if half is None or hour > 12:
        return hour
    return hour % 12 + (12 if half.strip()[0] == "p" else 0)


def _halves(
    plain: str, match: re.Match[str], hour: int, minute: int
) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
    """The time in the half of the day that the words around it say, else in the likelier one."""
    part, written = match.groupdict(), match.group()
    exact = frozenset({(hour % 24, minute)})
    is_written = (
        bool(part.get("isohalf")) or part.get("exact") or re.match(r"0\d", written) or re.match(r"\d+ ?h ?\d", written)
    )
    if hour > _NOON_HOUR or hour == 0 or is_written or any(part.get(name) for name in ("noon", "midnight", "noonplus")):
        return exact, exact
    morning, evening = (hour % 12, minute), (hour % 12 + 12, minute)
    if hour == _NOON_HOUR:
        return frozenset({(12, minute)}), frozenset({(12, minute)})
    if written_half := re.match(r" ?([ap])\.?m\b(?! ?\d)", plain[match.end() :]):
        chosen = frozenset({morning if written_half[1] == "a" else evening})
        return chosen, chosen
    if _NIGHT.search(plain[max(0, match.start() - 30) : match.end() + 30]):
        late = frozenset({evening if hour >= 8 else morning})
        return late, late
    said = _said_half(plain, match)
    if said == "morning":
        return frozenset({morning}), frozenset({morning})
    if said == "evening":
        return frozenset({evening}), frozenset({evening})
    both = frozenset({morning, evening})
    if hour in (10, 11) and not _LATE_OR_EARLY.search(plain):
        return frozenset({morning}), frozenset({morning}) if part.get("halb") or part.get("half") else both
    if part.get("sign") in _BACK and hour == 5:  # "quarter to six"
        return frozenset(), both
    if _LATE_OR_EARLY.search(plain):
        return frozenset(), both
    if 1 <= hour <= 5:
        return frozenset({evening}), frozenset({evening})
    if part.get("clock") and "uhr" in written:
        return frozenset({morning}), both
    return frozenset(), both


def _said_half(plain: str, match: re.Match[str]) -> str:
    """Which half of the day the nearest such words in the sentence name."""
    near = re.split(r"[,;.!?]", plain[max(0, match.start() - 80) : match.start()])[-1]
    for before in (near, plain[max(0, match.start() - 80) : match.start()]):
        if half := _nearest_half(before, plain[match.end() - 1 : match.end() + 60]):
            return half
    return ""


def _nearest_half(before: str, after: str) -> str:
    gaps: dict[str, int] = {}
    for name, cue in (("morning", _MORNING), ("evening", _EVENING)):
        ends = [len(before) - found.end() for found in cue.finditer(before)]
        starts = [found.start() for found in cue.finditer(after)]
        if ends or starts:
            gaps[name] = min([*ends, *starts])
    return min(gaps, key=lambda name: gaps[name]) if gaps else ""
