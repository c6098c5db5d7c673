"""Compares the words of a quote and a sentence: shared words, lost denials, agreement."""

import re
from decimal import Decimal

from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import numbers, unaccented

__all__ = [
    "AFTER_EXCLAMATIONS",
    "content_stems",
    "has_denial",
    "is_function_word",
    "is_latin",
    "is_worded_as_agreement",
    "is_worded_as_confirmation",
    "is_worded_as_question",
    "lost_denial",
    "shares_no_words",
]


def shares_no_words(text: str, quotes: str) -> bool:
    """Whether the quote shares no content word with the fact, and so cannot state it."""
    if not (is_latin(text) and is_latin(quotes)):
        return False
    mine = content_stems(unaccented(text))
    if not mine or mine & content_stems(unaccented(quotes)):
        return False
    return not _stated_numbers(text) & _stated_numbers(quotes)  # "fifty-five with the call-out": it cost 55


def _stated_numbers(text: str) -> frozenset[Decimal]:
    """The numbers that are more than an article."""
    return frozenset(value for value in numbers(text) if value > 1)


def lost_denial(text: str, quote: str, said: str) -> str:
    """A denial that the sentence lost: before the quote in its clause, or in the quote before words of the sentence.

    It must touch the claim: one of the next two content words of its clause is in the sentence. "Not sure, but" and
    "can't wait" deny nothing.
    """
    clause = _CLAUSE.split(_NO_DENIAL.sub(" ", said[: said.find(quote)]))[-1]
    if _DENIAL.search(text) or _keeps_denial(text, clause + quote):
        return ""
    denied = _DENIAL.search(" ".join(clause.split()[-2:])[-40:])
    if denied and not _touches_claim(quote, text):
        denied = None
    plain = _NO_DENIAL.sub(lambda found: " " * len(found[0]), quote)
    for denial in _DENIAL.finditer(plain):
        if _touches_claim(plain[denial.end() :], text) and not _is_contrast(plain, denial, text):
            denied = denied or denial
    return denied[0] if denied else ""


def has_denial(text: str) -> bool:
    """Whether the words deny something."""
    return _DENIAL.search(_NO_DENIAL.sub(" ", text)) is not None


def _keeps_denial(text: str, quote: str) -> bool:
    """Whether the sentence says in other words what the quote denies: "Porto instead of Lisbon", "moved to 7 May".

    A word that the quote itself denies keeps nothing: "I don't hate it" is not kept by "hates it".
    """
    denied = " ".join(clause for clause in _CLAUSE.split(unaccented(quote)) if _DENIAL.search(clause))
    return any(unaccented(match[0])[:4] not in denied for match in _OPPOSITE.finditer(text))


_OPPOSITE = lazy_pattern(
    r"\b(?:instead|rather than|no longer|moved|mov(?:es|ing)|postponed|rescheduled|cancel(?:l?ed|s)|hates?|dislikes?"
    r"|al+[eé]rg\w+|intoleran\w+"
    r"|avoids?|keeps? \w+(?: \w+)? free|stopped|quit|gave up|given up|declined|refused|skipp?(?:ed|s)|missed|delayed"
    r"|later than|a day after|failed|only (?:on|at|in|part|some)|out of the|of the \d+"
    r"|statt|anstatt|verschoben|abgesagt|ausgefallen|mag keine?n?|en vez de|en lugar de|aplaz\w+|cancel\w+"
    r"|después de lo|au lieu de|reporté\w*|annulé\w*|invece di|rimandat\w+|annullat\w+|em vez de|adiad\w+"
    r"|in plaats van|verzet|zamiast)\b",
    re.IGNORECASE,
)


def _touches_claim(after: str, text: str) -> bool:
    """Whether one of the next two content words of the clause is in the sentence. The 28.5 of "not 28.5" is none of
    "on the 28th, 29.5 km"; "no longer, now by the sea" denies nothing of the sea."""
    clause = _CLAUSE.split(after)[0][:80]
    if _NO_MORE.match(clause):
        clause = _NOW.split(clause)[0]
    if not is_latin(clause):
        return bool(content_stems(clause[:12]) & content_stems(text))
    found = (word[0] for word in _WORD.finditer(clause))
    words = [word for word in found if content_stems(word) and word.casefold() not in _ADVERBS][:2]
    decimals = {word for word in words if _DECIMAL.fullmatch(word)}
    plain = " ".join(word for word in words if word not in decimals)
    return bool(content_stems(plain) & content_stems(text)) or not numbers(" ".join(decimals)).isdisjoint(
        value for value in numbers(text) if value % 1
    )


def _is_contrast(quote: str, denial: re.Match[str], text: str) -> bool:
    """Whether the denial begins a clause that only sets off what was said: "thin crust, no longer thick crust". Then
    the rest of the quote has all words that the sentence shares with that clause."""
    if not _BEFORE_CONTRAST.search(quote[: denial.start()]):
        return False
    clause = _CLAUSE.split(quote[denial.end() :])[0]
    rest = f"{quote[: denial.start()]} {quote[denial.end() + len(clause) :]}"
    denied, mine = content_stems(clause), content_stems(text)
    return is_latin(quote) and bool(denied - mine) and denied & mine <= content_stems(rest)


_BEFORE_CONTRAST = lazy_pattern(r"\w\W*[,–—]\s*$")
_NO_MORE = lazy_pattern(r"\s*(?:mehr|any ?more|longer|más|plus|più|mais|meer|już)\b", re.IGNORECASE)
_NOW = lazy_pattern(r"\b(?:now|nun|jetzt|ahora|maintenant|adesso|ora|agora|nu|teraz)\b", re.IGNORECASE)
_WORD = lazy_pattern(r"\d+[.,]\d+|[\w'’]+")
_DECIMAL = lazy_pattern(r"\d+[.,]\d+")


_ADVERBS = frozenset(
    "really actually even quite ever yet still always much any more wirklich mehr ya plus più mais".split()
)
_NO_DENIAL = lazy_pattern(
    r"\b(?:can(?:['’]t|not) (?:wait|believe|stop|complain)|don['’]t (?:forget|worry|miss|be late|mind|tell|you"
    r"|ask|laugh|judge)|not (?:sure|certain|bad|far|to mention"
    r"|only|just|long|least|surprisingly|quite sure)|no (?:idea|doubt|later than|problem|worries|matter|wonder|joke"
    r"|longer than|less than|more than"
    r"|way|big deal|kidding|rush|need to)|nothing (?:but|fancy|serious|special)|why (?:not|don['’]t)|if not|or not"
    r"|isn['’]t it|aren['’]t (?:you|we|they)"
    r"|(?:could|couldn['’]t)n?['’]?t? (?:be happier|agree more|help)|never mind|nevertheless|nonetheless"
    r"|none the less|not until|no no"
    r"|nicht (?:nur|schlecht|vergessen|weit|sicher)|nicht wahr|keine (?:ahnung|sorge|frage)"
    r"|kein (?:problem|thema|witz|scherz)|(?:frag|lach|oder)(?: \w{1,6})? nicht|sans blague|sin broma"
    r"|no (?:olvides|te olvides|está mal|solo|sólo|más|preguntes|te rías|lo creas)"
    r"|n['’]oublie pas|pas (?:mal|seulement|de souci)|non (?:solo|dimenticare|male)|não (?:só|esqueças?|faz mal)"
    r"|niet (?:alleen|vergeten)|nie (?:tylko|zapomnij))\b",
    re.IGNORECASE,
)
_CLAUSE = lazy_pattern(
    r"(?<!\d)[.,:]|[.,:](?!\d)|[!?;\n。，！？；：、]|\s[-–—]\s"
    r"|\b(?:and|but|because|so|that|if|when|und|aber|weil|dass|sondern|y|pero|porque|sino|et|mais|parce que|ma"
    r"|perché|mas|maar|want|ale|bo)\b",
    re.IGNORECASE,
)
_DENIAL = lazy_pattern(
    r"\b(?:not(?! only)|no(?! doubt| problem| worries| matter| wonder)|never|nobody|none|nothing|neither|nor|without|"
    r"cannot|\w{1,9}n['’]t|nicht(?! nur)|kein\w{0,2}|nie|niemals|ohne|nunca|jamais|sin|sans|n[aã]o)\b"
    r"|没(?!事|关系)|不(?!过|错|仅|但|好意思)|無|ません|ない",
    re.IGNORECASE,
)


def is_worded_as_agreement(quote: str) -> bool:
    """Whether the words only agree or deny, so that their meaning is in the question."""
    return _AGREEMENT.fullmatch(quote) is not None


AFTER_EXCLAMATIONS = (
    r"\W*(?:(?:oh|ah|god|gosh|my|goodness|well|damn|hell|shit|crap|jesus|wow|um|hm+|ach|gott|mein|oje|ay|uy|dios|mío"
    r"|mon|dieu|dio|meu|deus)\b\W*){0,4}"
)
"""The start of a pattern for words that may follow exclamations: "Oh god, yes"."""

_AGREEMENT = lazy_pattern(
    AFTER_EXCLAMATIONS
    + r"(?:(?:yes|yep|yeah|yup|right|correct|exactly|sure|ok(?:ay)?|true|indeed|no|nope|ja|doch|genau|stimmt|nein"
    r"|s[ií]|"
    r"claro|oui|exact|non|certo|sim|é)\b|对|是|没错|好|はい|そう|うん).{0,60}",
    re.IGNORECASE | re.DOTALL,
)


def is_worded_as_confirmation(quote: str) -> bool:
    """Whether the words confirm a statement. 'Okay' may only mean that it was heard."""
    return is_worded_as_agreement(quote) and _ACKNOWLEDGES.match(quote) is None


_ACKNOWLEDGES = lazy_pattern(AFTER_EXCLAMATIONS + r"(?:(?:ok(?:ay)?|sure|no|nope|nein|non|claro)\b|好)", re.IGNORECASE)


def is_worded_as_question(quote: str, said: str) -> bool:
    """Whether the quote is part of a question: the first sentence end in or after it is a question mark."""
    place = said.find(quote)
    after = said[place + len(quote) :] if place >= 0 else ""
    return "?" in quote or "？" in quote or ((found := _SENTENCE_END.search(after)) is not None and found[0] in "?？")


_SENTENCE_END = lazy_pattern(r"[.!?\n。！？]")


def content_stems(text: str) -> set[str]:
    """The stems of content words, cut to five letters; in scripts without spaces, pairs of characters."""
    found = [word for word in re.findall(r"\w+", text.casefold()) if word not in _FUNCTION_WORDS]
    pairs = {run[at : at + 2] for run in _WIDE.findall(text) for at in range(len(run) - 1)}
    return pairs | {word[:5] for word in found if len(word) > 2 or word.isdigit() or not word.isascii()}


def is_latin(text: str) -> bool:
    """Whether all letters are Latin, so that words can be compared."""
    return not any(char.isalpha() and ord(char) > _LAST_LATIN for char in text)


def is_function_word(word: str) -> bool:
    """Whether a lower-case word carries no meaning of its own."""
    return word in _FUNCTION_WORDS


_LAST_LATIN = 0x24F
_WIDE = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff]{2,}")
_FUNCTION_WORDS = frozenset(
    "the user has had have and for with was were his her hers their them they she him its that this these those are not"
    " from into about who whom whose which what when where why how does did will would can could should been being also"
    " but you your yours our ours mine all any some very just now der die das und ist hat ein eine mit".split()
)
