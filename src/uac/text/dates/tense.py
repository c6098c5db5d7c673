"""What the words around a date say: whether it is past or to come, denied, or only one of two that were mixed up."""

import re
from functools import cache
from typing import Literal, NamedTuple

from uac.schema.word_caches import word_cache
from uac.text.dates.vocabulary import LANGUAGES
from uac.text.languages import FUNCTION_WORDS
from uac.text.lazy_pattern import lazy_pattern

__all__ = [
    "Tense",
    "has_known_language",
    "is_denied_before",
    "is_move",
    "is_old_value",
    "is_ruled_out",
    "likely_languages",
    "spoken_language",
    "tense_near",
]

Tense = Literal["past", "future", ""]


def tense_near(text: str, start: int, end: int) -> tuple[Tense, bool]:
    """Whether the clause around the span, else its sentence, speaks of the past or of things to come; "" if unclear.

    Also whether that is certain: the clause itself says so.
    """
    language = spoken_language(text)
    past, future, present = _cue_patterns(language)
    text, start, end = (
        text[max(0, start - _WINDOW) : end + _WINDOW],
        min(start, _WINDOW),
        min(start, _WINDOW) + end - start,
    )
    for is_clause, stop in ((True, _clause_ends(language)), (False, _SENTENCE)):
        first = max((found.end() for found in stop.finditer(text, 0, start)), default=0)
        last = next((found.start() for found in stop.finditer(text, end)), len(text))
        before, after = text[first:start], text[end:last]
        if _CALLED_OFF.search(before + " " + after):
            return "", False
        if _is_moved_to(language, before, text[start:end], after) or (
            _COMING_PASSIVE.search(before) and language in ("de", "nl")
        ):
            return "future", is_clause
        if _ARRANGED.search(before + text[start:end] + after):
            return "future", False
        if _DUTIES[language].search(before) and not _SUPPOSED.search(after):
            return "future", is_clause
        gone, planned = _past_gap(past, before, after), _gap(future, before, after)
        if gone is not None and planned is not None:
            return ("past" if gone < planned else "future"), abs(gone - planned) > _CLEARLY_NEARER and is_clause
        if gone is not None:
            return "past", is_clause
        if planned is not None or _gap(present, before, after) is not None:
            return "future", is_clause
    return "", False


_CLEARLY_NEARER, _WINDOW = 12, 240


def _past_gap(past: re.Pattern[str], before: str, after: str) -> int | None:
    """The distance of the nearest word of the past; none if both parts of a perfect are around: "hab … bestanden"."""
    joined = before + " " + after
    if any(found.start() < len(before) < found.end() for found in past.finditer(joined)):
        return 0
    return _gap(past, before, after)


def _is_moved_to(language: str, before: str, phrase: str, after: str) -> bool:
    """Whether something was moved to the date: it is still to come."""
    head = phrase.split(" ", maxsplit=1)[0]
    if _FROM.search(head) and is_move(before + " " + after):  # "moved from Monday to Wednesday"
        return True
    start = before + head + " "
    return bool(_CHANGED.search(before + " " + after) and _MOVED_TO[language].search(start))


_MOVED_TO = {
    language: lazy_pattern(rf"\b(?:{words})(?: (?:the|den|das|el|le|il|la|o|de|dia))? (?:\w+ )?$", re.IGNORECASE)
    for language, words in {
        "en": "to|till|until|for",
        "de": "auf",
        "es": "al?|para",
        "fr": "au|à|pour",
        "it": "al?|per",
        "pt": "para|pra|ao?",
        "nl": "naar|op",
        "pl": "na",
    }.items()
}
_COMING_PASSIVE = lazy_pattern(r"\b(?:wird|werden|werde|wordt|worden)\b", re.IGNORECASE)
_ARRANGED = lazy_pattern(
    r"\b(?:settled on|agreed(?: on)?|decided on|went with|offered|suggested|proposed|(?:put in|applied) for|requested"
    r"|arranged|geeinigt|vereinbart|ausgemacht|beantragt|eingereicht|vorgeschlagen|angeboten|festgelegt|abgemacht"
    r"|verabredet|quedado|acordado|fijado|solicitado|propuesto|concertado|fixé|convenu|proposé|calé|fissato|concordato"
    r"|proposto|prenotato|marc(?:ámos|amos|ou|aram)|combin(?:ámos|amos|ado|ou)|agend\w+|afgesproken|geprikt|voorgesteld"
    r"|aangevraagd|vastgelegd|umówi\w+|ustali\w+|zaproponowa\w+|zarezerwowa\w+)\b",
    re.IGNORECASE,
)
"""What was arranged may be for a day to come."""


_DUTIES = {
    language: lazy_pattern(rf"\b(?:{words})\b", re.IGNORECASE)
    for language, words in {
        "en": r"must(?! have\b)|(?:has|have|need|needs|got) to(?! have\b)",
        "de": "muss|musst|müssen|müsst|soll|sollst|sollen|sollt",
        "es": "hay que|(?:tengo|tienes|tiene|tenemos|tienen) que|deb(?:o|es|e|emos|en)(?! haber| de haber)",
        "fr": "dois|doit|devons|devez|doivent|faut",
        "it": "dev[oei]|dobbiamo|dovete|devono|bisogna",
        "pt": "(?:tenho|tens|tem|temos|têm) (?:que|de)|preciso|precisa|precisamos|dev[oe]|devemos|devem",
        "nl": "moet|moeten",
        "pl": "muszę|musisz|musi|musimy|muszą|trzeba|należy",
    }.items()
}
"""What somebody must do is still to come, whatever participle follows: "muss am Sonntag abgegeben sein"."""
_SUPPOSED = lazy_pattern(
    r"\b(?:(?:gewesen|gekommen|gegangen|gefahren|passiert|geblieben|gestorben) sein|haben|avoir|essere stat[oaie]"
    r"|essere arrivat[oaie]|aver|haber|ter|hebben|zijn geweest)\b",
    re.IGNORECASE,
)
"""What must have been is a guess about the past: "muss am Sonntag gewesen sein"."""


def spoken_language(text: str) -> str:
    """Which of the languages that have tenses here a short text is most likely in; English if nothing tells."""
    points = _language_points(text)
    return max(points, key=lambda language: points[language])


def has_known_language(text: str) -> bool:
    """Whether any word of the text tells its language."""
    return max(_language_points(text).values()) > 0


def likely_languages(text: str) -> frozenset[str]:
    """The languages that a text may be in: those with about as many words in it as the likeliest; all if few tell."""
    points = _language_points(text)
    most = max(points.values())
    return frozenset(language for language in points if points[language] * 2 >= most or most < _ENOUGH)


_ENOUGH = 2.0


_WORDS = lazy_pattern(r"[^\W\d_]+")


@word_cache(8)
def _language_points(text: str) -> dict[str, float]:
    points = dict.fromkeys(_TENSES, 0.0)
    folded, speakers = text.casefold(), _speakers()
    for word in _WORDS.findall(folded):
        if languages := speakers.get(word):
            for language in languages:
                points[language] += 1 / len(languages)
    if folded.isascii():
        return points
    for letter in sorted(set(folded) & _LETTERS.keys()):  # floats are added up
        for language in _LETTERS[letter].split():
            points[language] += 1 / len(_LETTERS[letter].split())
    return points


@cache
def _speakers() -> dict[str, tuple[str, ...]]:
    """Which languages have a word: function words, weekdays, months and units."""
    found: dict[str, list[str]] = {}
    for language in _TENSES:
        dated = re.findall(r"^(?:weekday|month|unit|near|span) = (.*(?:\n    .*)*)", LANGUAGES[language], re.MULTILINE)
        words = re.findall(r"[^\W\d_]+", " ".join(dated).casefold())
        common = FUNCTION_WORDS[language]
        for word in dict.fromkeys([*sorted(common), *_MORE_WORDS.get(language, "").split(), *words]):
            found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}


_LETTERS = {
    "ß": "de",
    "ä": "de",
    "ö": "de",
    "ü": "de",
    "ñ": "es",
    "¿": "es",
    "ã": "pt",
    "õ": "pt",
    "ç": "pt fr",
    "ê": "pt fr",
    "è": "fr it",
    "ù": "fr it",
    "ì": "it",
    "ò": "it",
    "ł": "pl",
    "ę": "pl",
    "ą": "pl",
    "ż": "pl",
    "ź": "pl",
    "ś": "pl",
    "ć": "pl",
    "ń": "pl",
    "à": "fr it pt",
    "í": "es pt",
    "ó": "es pl pt",
    "á": "es pt",
    "ú": "es pt",
    "û": "fr",
    "î": "fr",
}
_MORE_WORDS = {
    "en": "my is it we i the and to for on at off up gonna got",
    "de": "ich wir am um ab hab kommt heute beim zum vom und der die das mit nicht",
    "es": "el los las del con para por y un una es mi en al lo que nos se",
    "fr": "le les des je on du au la et un une pour c j l d qu chez avec est a",
    "it": "il lo gli che di per con e un una del al alle ho si mi la",
    "pt": "o os as do da no na um uma com para e que em tô até às ao dia",
    "nl": "de het een ik we op om en van met is naar voor bij te",
    "pl": "w we na z do i się nie że o u po za",
}


def _gap(cue: re.Pattern[str], before: str, after: str) -> int | None:
    """The distance of the nearest cue in characters; None if there is none."""
    ends = [len(before) - found.end() for found in cue.finditer(before)]
    return min([*ends, *(found.start() for found in cue.finditer(after))], default=None)


_CALLED_OFF = lazy_pattern(
    r"\b(?:fell through|cancell?ed|called off|postponed|dropped|scrapped|vacated|relisted"
    r"|abgesagt|fällt aus|ausgefallen"
    r"|cancelad[oa]|annulée?"
    r"|annullat[oa]"
    r"|saltat[oa]|afgezegd|odwołan\w+|desmarcad[oa]|cancelou|cancelaram|caiu)\b",
    re.IGNORECASE,
)
"""What was called off may have been planned for a day to come."""

_SHORTENED = "".join(rf"(?<!\b{word})" for word in r"Dr Mr Mrs Ms St Prof Sr Sra Hr Fr ca approx Nr a\.m p\.m".split())
"""Not after a shortened word: "Dr. Hallberg", "1 p.m. works"."""
_SENTENCE = lazy_pattern(rf"{_SHORTENED}[.!?;\n](?=\s|$)|[。！？；]")


@cache
def _clause_ends(language: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\d)[,:]|[,:](?!\d)|[;()\n]|{_SHORTENED}[.!?](?=\s|$)|\s[-–—]\s|[。，！？；：]|\b(?:{_CONJUNCTIONS[language]})\b",
        re.IGNORECASE,
    )


_CONJUNCTIONS = {
    "en": "and|but|because|so",
    "de": "und|aber|weil|denn",
    "es": "y|pero|porque",
    "fr": "et|mais|parce que",
    "it": "e|ma|perché",
    "pt": "e|mas|porque",
    "nl": "en|maar|want",
    "pl": "i|a|ale|bo",
}


def is_denied_before(text: str, start: int, end: int) -> bool:
    """Whether the words directly before the span deny it ("not the 6th", "isn't the 24th"), or call it a mistake."""
    before, after = text[max(0, start - 60) : start], text[end : end + 40]
    return bool(_DENIES.search(before) or _MISTAKEN.search(before) or _MISTAKEN_AFTER.match(after))


def is_ruled_out(text: str, start: int, end: int) -> bool:
    """Whether the clause says that the span is not possible: "don't book the 5th", "am 20. kann ich nicht"."""
    before = _PARTS.split(text[max(0, start - 80) : start])[-1]
    after = _PARTS.split(text[end : end + 60])[0]
    clause = f"{before} {after}"
    return bool(_RULES_OUT.search(clause)) and not _REMINDS.search(clause)


_PARTS = lazy_pattern(r"[,;:!?()]|\.(?=\s|$)")
_RULES_OUT = lazy_pattern(
    r"\b(?:don['’]?t (?!know)|do not|can['’]?t|cannot|won['’]?t|never|unavailable|(?:anything|any day"
    r"|everything) but|except"
    r"|apart from|other than|keinen fall|(?:kann|können|geht|passt)\b.{0,20}\b(?:nicht|ned|net|nich)"
    r"|außer|no puedo|no podemos"
    r"|no me viene"
    r"|menos el|excepto|salvo|sauf|(?:peux|peut|pouvons) pas|non poss\w+|tranne|não posso|não dá|não podemos|sem ser"
    r"|exceto|(?:kan|kunnen)\b.{0,20}\bniet|behalve|nie mog\w+|oprócz|poza)\b",
    re.IGNORECASE,
)
_REMINDS = lazy_pattern(
    r"\b(?:forget|wait|vergessen|olvid\w+|oubli\w+|dimentic\w+|scord\w+|esque\w+|vergeten|zapomn\w+|why don['’]t)\b",
    re.IGNORECASE,
)


def is_old_value(text: str, start: int, end: int) -> bool:
    """Whether the words say that the span no longer holds: "not 18:30", "instead of £15", "moved from 3 May to"."""
    before, after = text[max(0, start - 60) : start].rstrip("£$€"), text[end : end + 12]
    if _DENIES.search(before) or _NEITHER.search(before):
        return True
    return bool(_FROM.search(before) and _TO.match(after) and _CHANGED.search(text))


def is_move(text: str) -> bool:
    """Whether the text says that something was moved: then "from Monday to Thursday" is no range."""
    return _MOVED.search(text) is not None


_MOVED = lazy_pattern(
    r"\b(?:moved|moving|switch\w*|shifted|pushed|postponed|reschedul\w+|brought forward|verschob\w+|verleg\w+"
    r"|vorgezogen"
    r"|aplaz\w+|(?:ha|han) (?:pasad|cambiad|movid)o|cambia\w*|pasa(?:mos|n)?|décal\w+|dépla\w+|repouss\w+|report\w+"
    r"|avanc\w+"
    r"|pass(?:e|at[oa]|ou|aram|a)|spost\w+|anticip\w+|rimand\w+|mud(?:ou|aram|ada|ado|ou-se)|adiad[oa]|adiou|verzet|verschoven"
    r"|verplaatst|gaat van|przesun\w+|przełoż\w+|przenie\w+|wechsel\w+)\b",
    re.IGNORECASE,
)
_NEITHER = lazy_pattern(
    r"(?:\b(?:neither|nor|weder|noch|ni|né|nem|ani)|[,;] ?(?:no|non|não))"
    r"(?: (?:on|at|in|the|am|um|el|las?|le|o))*\s*$",
    re.IGNORECASE,
)
_FROM = lazy_pattern(r"\b(?:from|von|vom|de|del|du|da|dal|van|z|ze|od)\s*$", re.IGNORECASE)
_TO = lazy_pattern(r"\W{0,2}\w{0,6}\s*\b(?:to|auf|zum|a|al|à|au|ao|naar|na|do)\b", re.IGNORECASE)
_CHANGED = lazy_pattern(
    r"\b(?:runter|rauf|hoch|steigt|sinkt|gaa[tn]|stijgt|daalt|scende|sale|baisse|monte|rośnie|spada|mov(?:ed?|es|ing)|rais\w+|lower\w*|chang\w+|increas\w+|reduc\w+|cut|went|goes|gone|push\w+|postpon\w+"
    r"|reschedul\w+|switch\w+|br(?:ing|ought)|verschob\w+|verleg\w+|vorgezogen|erhöh\w+|gesenkt|geändert|pas[aóo]\w*|sub\w+|baj\w+|cambi\w+"
    r"|dépla\w+|repouss\w+|augment\w+|spost\w+|anticip\w+|rimand\w+|aument\w+|mud\w+|adi(?:ad|ar|ou)\w*|pass(?:ou|aram|é|e|a|ata)|verplaatst|verzet"
    r"|verschoven|verhoogd|przesun\w+|przełoż\w+)\b",
    re.IGNORECASE,
)


_DENIES = lazy_pattern(
    r"(?:\b(?:not|isn['’]t|wasn['’]t|ain['’]t|aren['’]t|rather than|instead of|nicht|statt|anstatt|kein|no es|no era"
    r"|no fue|y no|en vez de|en lugar de|pas|plutôt que|au lieu (?:de|du)|non è|non era|non|invece (?:di|del)|e não"
    r"|não é|não era|não foi|em vez de|niet|in plaats van|nie|zamiast)"
    r"(?: (?:for|at|on|in|by|the|am|um|der|den|dem|im|el|en|a|las?|le|du|au|à|il|alle?|l['’]|às|ao|o|no|na|op|om|de"
    r"|w|we"
    r"|o|od|do|tym))*\s*)$",
    re.IGNORECASE,
)
_MISTAKEN = lazy_pattern(
    r"\b(?:thought (?:it|that|the|this)?[\w ]{0,30}?(?:was|is)|(?:they|i|he|she|you|we) said|told (?:you|me|them)"
    r"|used to be|moved from"
    r"|should have been|dachte,? (?:es|das)[\w ]{0,20}|hieß es|pensaba que[\w ]{0,20}|je croyais que[\w ]{0,20}"
    r"|pensavo[\w ]{0,20}|achava que[\w ]{0,20}|myślałem[\w ,]{0,20}|ik dacht[\w ]{0,20})"
    r"(?: (?:on|at|for|the|it was|it's|in))*\s*$",
    re.IGNORECASE,
)
_MISTAKEN_AFTER = lazy_pattern(
    r"\s+(?:no|non|nicht|nein|pas|não|niet|nie|nope|geht nicht|não dá|no puedo)\s*(?:[,;.!]|$)"
    r"|\s*(?:was (?:the other|wrong|a typo)|is wrong|at first|originally|sondern\b|i mean\b|, sondern|, no wait)",
    re.IGNORECASE,
)


class _Cues(NamedTuple):
    past: str
    future: str
    present: str


@cache
def _cue_patterns(language: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in _TENSES[language])


_TENSES = {
    "en": _Cues(
        r"(?:must|may|might|could) have(?! to\b)|(?<!\bget )(?<!\bgets )"
        r"(?<!\bbe )(?<!\bbeing )(?<!\bgetting )(?<!\bare )(?<!\bis )(?:was|were|quit|wasn['’]t"
        r"|weren['’]t|had|hadn['’]t|did|didn['’]t|went|met|(?<!ve )(?<!\bhas )got|came|saw|paid|bought|left|took|gave"
        r"|found|made|ran|drove|flew|ate|slept|began|broke|lost|won|sold|sent|spent|built|caught|felt|fell|forgot|held|kept"
        r"|knew|led"
        r"|rang|rode|sang|sat|spoke|stood|swam|taught|threw|woke|wore|wrote|hurt|became|brought|chose|drank|drew"
        r"|grew|hung"
        r"|heard|since|back in|ago|been|blew|bit|bled|burnt|dealt|dug|dreamt|fed|fought|froze|hid|knelt|leapt"
        r"|learnt|lent|lit|overslept"
        r"|rose|shook|shone|shot|shrank|sank|slid|spilt|spoilt|stole|stuck|struck|swore|swept|tore|understood|wept"
        r"|bent|bred|clung"
        r"|crept|flung|fled|ground|laid|lay|meant to|misread|paid|shaved|spun|sprang|stung|swung|trod|wound"
        r"|withdrew|used to|moved(?! (?:to|from))|closed(?= on)"
        r"|(?!(?:need|bed|red|wed|shed|feed|speed|seed|hundred|kid|med|booked|scheduled|planned|expected|reserved"
        r"|invited"
        r"|supposed|shared|pencilled|penciled|confirmed|moved|shifted|pushed|rescheduled|tired|excited|bored"
        r"|worried|married"
        r"|engaged|retired|allowed|closed|naked|used|based|named|called|required|sacred|switched|interested|needed)\b)"
        r"[a-z]{2,}ed)|just gone",
        r"will|won['’]t|shall|going to|gonna|wanna|tickets?|remind|please|need to|needs to|have to|has to"
        r"|must(?! have\b)|can you|could you|let['’]s"
        r"|due|booked|scheduled|planned|reserved|deadline|expires?|by|until|till|next|upcoming|coming"
        r"|from(?=\W*$|\W+(?:the )?\d)|starts?"
        r"|ends?"
        r"|begins?|free|[a-z]+['’]ll|supposed|invited|hoping|want to|off to"
        r"|(?:moved|shifted|pushed|put|brought)(?: back| forward)? to|rescheduled (?:to|for)",
        r"is|isn['’]t|are|aren['’]t|am|opens?|closes?|works for|gets?|arrives?|leaves?|flies|fly|comes?|turns?"
        r"|plays?|meets?"
        r"|may|might|should|can|can['’]t|cant|do|does|has|have|don['’]t|expected|ready|see you"
        r"|(?<!quit )(?<!stopped )(?<!started )(?<!began )(?<!finished )[a-z]+ing|[a-z]+['’](?:m|re|s)|sees?|go(?:es)?"
        r"|runs?|falls?|lands?|pays|departs?|boards?",
    ),
    "de": _Cues(
        r"lief|fuhr|fuhren|flog|traf|trafen|sah|sahen|aß|trank|schlief|las|schrieb|sprach|nahm|half|starb|verlor"
        r"|gewann|bekam|rief|hieß"
        r"|stand|saß|lag|fiel|zog|zogen|brach|schloss|begann|dachte|brachte|wusste|kannte|durfte|machte|kaufte"
        r"|feierte|besuchte"
        r"|(?:hab|habe|hat|haben|hast|bin|ist|sind)\b[^,.;!?]*\b(?:zurück|ab|an|auf|aus|ein|mit|nach|vor|zu|weg)?(?:be|ver|er|ent|zer|über|unter|miss)\w{3,}(?:t|en)"
        r"|war|waren|warst|hatte|hatten|wurde|wurden|ging|gingen|kam|kamen|gab|seit|sagte|fand|musste|konnte|wollte"
        r"|blieb|vor"
        r"|(?!(?:genau|genug|gerade|gestern|gehen|geben|gegen|geht|gehts|gibt|gibts|gern|gehört|geburtstag|gebucht"
        r"|geplant"
        r"|gerne|gestrichen|gesamt|gesucht|getränke|gewitter)\b)"
        r"(?:ab|an|auf|aus|ein|mit|nach|vor|zu|zurück|weg|um|her|hin|los|runter|raus|rein|fest)?ge[a-zäöüß]{2,}(?:t|en)"
        r"|\w+iert|zerlegt|verloren|vergessen|verpasst|bekommen|besucht|erzählt|verkauft|bezahlt|zerstört|entdeckt"
        r"|verlegt"
        r"|erledigt|passiert|unterschrieben|überwiesen|verschickt|bestellt|beendet|begonnen",
        r"wird|werde|werden|werd|will|wollen|muss|müssen|soll|sollen|nächste\w?|kommende\w?|fällig|bis|ab|gebucht"
        r"|geplant|los",
        r"kommt|kommen|komme|ist|sind|hab|habe|haben|hat|fahre|fahren|fahr|fliege|fliegen|geht|gehen|gehts|steht"
        r"|steigt|fängt"
        r"|fang|beginnt|startet|treffen|koche|kriegen|findet|nehm|nehme|mache|machen|läuft|endet|feiern|backen"
        r"|ziehe|ziehen"
        r"|räumen|plane|kann|darf|gibts|gibt|bin",
    ),
    "es": _Cues(
        r"fue|fui|fuimos|fueron|hice|hizo|hicimos|tuve|tuvo|tuvimos|estuve|estuvo|estuvimos|vino|vinieron|vine|dije"
        r"|dijo|dieron"
        r"|anduve|supe|quise|pude|pudo|traje|trajo|murió|(?!(?:aquí|allí|ahí|así|casi|sí)\b)\w{2,}í|di|dio|puse"
        r"|puso|hubo|era|eran|había|estaba|estaban|volvimos|pasado|pasada|vi|he|ha|hemos|han|desde|corrí|salí"
        r"|saltamos|vencía|nací|\w{2,}(?:aron|ieron|aste|iste)|(?!(?:qué|porqué|café|bebé|josé)\b)\w{2,}[éó]|\w{3,}aba[ns]?|\w{2,}(?:ví|mí|dí|ní|rí|lí"
        r"|tí|cí)",
        r"voy|vamos|va|van|tengo que|hay que|vence|hasta|próxim[oa]|\w{2,}(?:ré|rás|rá|remos|rán)|antes",
        r"tengo|tenemos|tiene|hay|es|son|sale|salgo|salimos|vuelvo|volvemos|viene|vienen|vengo|llego|llega|llegan"
        r"|empieza|empiezo"
        r"|termina|acaba|quedamos|quiero|puedes|marchan|marcho|cumplo|comemos|cenamos|toca|piramos|estoy|estamos"
        r"|vuela|vuelo|vuelan|volamos|parto|viajo|viajamos"
        r"|nos vemos|celebramos|operan|partimos",
    ),
    "fr": _Cues(
        r"(?:ai|as|a|avons|avez|ont|suis|est|sommes|êtes|sont)(?: pas| déjà| tous| enfin| toujours| bien| tout"
        r"| jamais| encore| juste)? (?!(?:le|la|du|mardi|midi|samedi"
        r"|lundi|jeudi|vendredi|plus|dans|sous|tous|gris|pris)\b)\w+(?:é|ée|és|ées|i|is|it|u|us|ue|ert|ort|rt)|été"
        r"|était|étions|étaient|avait|avaient|depuis|derni(?:er|ère)|(?!(?:re|dé|par)?fait\b)\w{3,}(?:ait|aient)",
        r"va|vais|vas|allons|vont|doit|dois|faut|jusqu|prochaine?|\w{2,}(?:rai|ras|rons|rez|ront)|sera|aura|ira"
        r"|viendra|avant|pour",
        r"passe|pars|part|partons|rentre|rentrons|reviens|revient|arrive|commence|joue|fait|faisons|fais|rdv"
        r"|c['’]est|dîne|fête"
        r"|vient|viens|viennent|arrivent|repars|repart|repartons|dure|finit|bosse|monte|invite|refait|ai|est|sont|suis|ouvre|mange|mangeons|déménage|emménage|tombe",
    ),
    "it": _Cues(
        r"(?:ho|hai|ha|abbiamo|avete|hanno|sono|sei|è|siamo|siete)(?: già| anche| poi| finalmente| appena| sempre"
        r"| mai| tutti)? "
        r"\w+(?:ato|ata|ati|ate|uto|uta|uti|ute|ito|ita|iti|ite|so|sa|si|sto|sta|tto|tta|tti|rso|rto|nto|nta)"
        r"|era|eravamo|erano|fu|aveva|scors[oa]|fa|scadeva"
        r"|(?!(?:arriva|attiva|estiva|festiva|sportiva|definitiva)\b)\w{3,}(?:avo|ava|avano|evo|eva|evano|ivo|iva|ivano)",
        r"sarà|devo|dobbiamo|deve|scade|prossim[oa]|fino|entro|\w{3,}(?:rò|rà|remo|ranno)",
        r"vado|andiamo|va|vanno|parto|partiamo|torno|torniamo|arriva|arrivano|comincia|inizia|finisce|resta|c['’]è"
        r"|è|viene"
        r"|vengono|ceniamo|si va|scendo|facciamo|ho|abbiamo|compie|faccio|sono|siamo|esce|apre|chiude",
    ),
    "pt": _Cues(
        r"foi|fui|fomos|foram|fiz|fez|fizemos|tive|teve|tivemos|estive|estava|estavam|era|eram|vim|veio|vieram"
        r"|disse|deu|demos"
        r"|pus|houve|quis|trouxe|soube|pude|vi|vimos|passad[oa]|desde|há|faz|\w{2,}(?:ei|ou|aram|eram|iram|ámos)"
        r"|vencia|\w{3,}avam?|(?!meu\b|seu\b|eu\b)\w{2,}eu"
        r"|\w{2,}iu",
        r"vou|vai|vamos|vão|até|que vem|próxim[oa]|preciso|vence|tenho que|tenho de|\w{3,}(?:rá|remos|rão)|serei",
        r"tenho|temos|tem|é|são|saio|saímos|volto|voltamos|chega|chegam|começa|termina|acaba|quero|faço|fazemos"
        r"|fico|vens|vem|vêm|parto|estou"
        r"|tô|marcad[oa]|partimos|viajo|viajamos|descemos|está",
    ),
    "nl": _Cues(
        r"liep|reed|vloog|zag|zagen|dronk|sliep|schreef|sprak|nam|hielp|stierf|verloor|belde|maakte|kocht|bracht"
        r"|dacht|wist|viel"
        r"|(?:heb|hebben|heeft|ben|is|zijn)\b[^,.;!?]*\b(?:be|ver|er|ont|over|onder)\w{3,}(?:d|t|en)"
        r"|was|waren|had|hadden|ging|gingen|kwam|kwamen|zei|vond|moest|kon|kreeg|sinds|afgelopen|vorige?|geleden"
        r"|werd|werden"
        r"|(?!(?:geen|gezellig|geld|gewoon|genoeg|gelijk|gesprek|geboekt|gepland|gehakt|gemeente|gesloten|geopend)\b)"
        r"(?:aan|af|op|uit|in|mee|over|terug|weg|om|door|bij|voor)?ge[a-z]{2,}(?:d|t|en)"
        r"|betaald|verhuisd|verloren|vertrokken|ontmoet|verkocht|begonnen|overleden|overgestapt",
        r"zal|gaat|gaan|ga|moet|moeten|wordt|worden|wil|willen|tot|vanaf|volgende?|aanstaande|komende|geboekt"
        r"|gepland|uiterlijk",
        r"komt|komen|kom|is|zijn|begint|start|eindigt|vertrekken|vertrek|heb|hebben|heeft|staan|zit|slapen|rijden"
        r"|vlieg|vliegen"
        r"|ben|hou|houden|vieren|speelt|spelen",
    ),
    "pl": _Cues(
        r"był|była|było|byli|były|temu|zeszł\w+|ubiegł\w+|\w{2,}(?:łem|łam|liśmy|łyśmy|łeś|łaś)"
        r"|\w{2,}(?:ał|ił|ył|uł|ął|adł|ódł|iedł|ózł|ała|iła|yła|ęła|adła|ało|iło|yło|ęło|adło|ali|ili|yli|ęli|ały"
        r"|iły|yły|adli|edli|kli|gli|śli|ęto|ano|iono)",
        r"będę|będzie|będą|będziemy|muszę|musimy|trzeba|do|przyszł\w+|termin|oddam|planuję|najbliższ\w+",
        r"mam|mamy|ma|jest|są|idę|idziemy|jadę|jedziemy|lecimy|lecę|lecą|zaczyna|zaczynam|kończy|robimy|przyjeżdża"
        r"|przychodzi"
        r"|bierzemy|wracamy|wyjeżdżamy|spotykamy|wylatujemy|gramy|startuje",
    ),
}
"""For each language, words and endings of the past, of plans, and of the present, which with a date is a plan."""
