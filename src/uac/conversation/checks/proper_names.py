"""Proper names in a sentence or value that neither the quoted text nor known names contain.

Not recognised: names in scripts without capitals, Latin names if the quoted text is in another script, and lower-case
words.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from uac.conversation.checks.currencies import is_currency
from uac.conversation.checks.german_nouns import is_german_noun
from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import WORD, unaccented

__all__ = ["is_german_text", "unknown_names"]


def unknown_names(
    sentence: str,
    quoted: Sequence[str],
    around: Sequence[str],
    dated: frozenset[int] = frozenset(),
    *,
    is_value: bool = False,
) -> list[str]:
    """The names in a sentence, or a value, that are neither in the quotes nor around them."""
    texts = [*quoted, *around]
    if _has_no_name_capitals(quoted) or (not _name_letters(quoted) and _has_no_name_capitals(texts)):
        return []
    known = _known_name_words(texts)
    is_german = is_german_text([sentence, *texts])
    is_name = is_value and not is_german and _looks_like_proper_name(sentence)
    capitals = "".join(word[0] for word in WORD.findall(sentence[:1000]) if word[0].isupper())
    return [
        match.group()
        for match, is_start in _proper_name_candidates(sentence, is_german=is_german)
        if dated.isdisjoint(range(*match.span()))
        and not _is_known_name(match.group(), known)
        and not (is_value and unaccented(match.group()) in _NAME_NOUNS)
        and not (is_german and is_german_noun(match.group()))
        and not (is_start and not is_name and _may_be_no_proper_name(match, sentence))
        and not _is_name_initialism(match.group(), known)
        and not is_currency(match.group())
        and not _is_abbreviated_name(match.group(), capitals, known)
    ]


class _KnownNameWords(NamedTuple):
    """The words that a name may come from, in the forms in which it may have changed."""

    words: frozenset[str]
    stems: frozenset[str]
    initials: str
    abbreviations: frozenset[str]


def _known_name_words(texts: Sequence[str]) -> _KnownNameWords:
    words = [unaccented(word) for text in texts for word in WORD.findall(text)]
    return _KnownNameWords(
        frozenset(words),
        frozenset(word[:4] for word in words if len(word) >= 4),
        "".join(word[0] for word in words[:10_000]),
        frozenset(short for text in texts for short in re.findall(r"\b[A-Z]{2,5}\b", text[:10_000])),
    )


def _is_known_name(name: str, known: _KnownNameWords) -> bool:
    """Whether the word, its stem or a related word (Spanish, Spain) is known, or it is not a name."""
    folded = unaccented(name)
    is_inflected = len(folded) >= 4 and folded[:4] in known.stems
    is_related = any(folded in pair and not known.words.isdisjoint(pair) for pair in _RELATED)
    return folded in known.words or is_inflected or folded in _COMMON_WORDS or is_related


def _may_be_no_proper_name(match: re.Match[str], sentence: str) -> bool:
    """Whether a word that opens a sentence may be capitalised only for that."""
    return bool(_COMMON_ENDING.search(unaccented(match.group()))) or not _AFTER_A_NAME.match(sentence, match.end())


def _is_name_initialism(name: str, known: _KnownNameWords) -> bool:
    """Whether an abbreviation is made of the initials of known words: 'SF' from 'San Francisco'."""
    return name.isupper() and len(name) <= 5 and unaccented(name) in known.initials


def _is_abbreviated_name(name: str, capitals: str, known: _KnownNameWords) -> bool:
    """Whether a known abbreviation has the name's initial together with its neighbour's: 'San Francisco' from 'SF'."""
    return any(short in capitals and name[0] in short for short in known.abbreviations)


def _has_no_name_capitals(texts: Sequence[str]) -> bool:
    """Whether a third of the letters are of scripts without capitals."""
    letters = _name_letters(texts)
    return 3 * len(re.findall(_UNCASED_SCRIPT, letters)) > len(letters)


def _name_letters(texts: Sequence[str]) -> str:
    return "".join(WORD.findall(" ".join(texts)[:10_000]))


def is_german_text(texts: Sequence[str]) -> bool:
    """Whether the texts have German function words: German writes all nouns with a capital, not only names."""
    words = unaccented(" ".join(texts)[:5000]).split()
    return len({word for word in words if word in _DETERMINERS or word in _GERMAN}) >= 3


def _looks_like_proper_name(value: str) -> bool:
    """Whether a value is written like a name: Mallory, Mallory Bank, Bank of Mallory."""
    words = WORD.findall(value)
    return 0 < len(words) <= 5 and all(word[0].isupper() or word in _NAME_PARTICLES for word in words)


def _proper_name_candidates(sentence: str, *, is_german: bool) -> Iterator[tuple[re.Match[str], bool]]:
    """Capitalised words that may be names, and whether they open a sentence and so may be any word."""
    before, end = "", 0
    for match in WORD.finditer(sentence):
        name, gap = match.group(), sentence[end : match.start()]
        # The dot of 'Dr. Smith' does not end a sentence.
        is_title = gap.startswith(".") and 1 <= len(before) <= 4 and before[0].isupper() and before.lower() != "user"
        is_start = not before or (bool(_SENTENCE_OPENING.search(gap)) and not is_title)
        is_glued = gap == "" and match.start() > 0 and len(name) <= 2
        if name[0].isupper() and len(name) > 1 and not is_glued and not (gap[-1:] in {"'", "’"} and len(name) < 3):
            folded = unaccented(before)
            is_counted = any(char.isdigit() for char in gap) or (before.islower() and _ADJECTIVE.search(folded))
            is_of = before[:1].isupper() and before.endswith("s")  # Katrins Ehemann
            if not (is_german and (is_counted or is_of or folded in _DETERMINERS)):
                yield match, is_start
        before, end = name, match.end()


_NAME_NOUNS = frozenset(
    "bank clinic hospital hotel school university college street road avenue square airport station airlines airways"
    " restaurant cafe bar pharmacy shop store market company inc ltd llc gmbh ag insurance account club gym".split()
)
"""Words next to a name that say what kind of thing it names."""
_NAME_PARTICLES = frozenset("of the and de da di del la le van von der den s".split())
_SENTENCE_OPENING = lazy_pattern(r"""[.!?:;•*\n"“„«‹‘(\[]|(?:^|\s)['-]\s?$""")
_UNCASED_SCRIPT = r"[\u0370-\u1dff\u1f00-\u1fff\u3040-\ud7ff\uf900-\ufdff]"  # compiled on first use: it takes long
_COMMON_ENDING = lazy_pattern(r"(?:ing|tion|ment|ness|ity|ship|ance|ence|ally|ies|able|ful|ous)$")
_ADJECTIVE = lazy_pattern(r"[a-z]{3}(?:e[nmrs]?|ig|lich|isch)$")
_AFTER_A_NAME = lazy_pattern(
    r"['’]s\b|,? and [A-Z]| [A-Z][a-z]| (?:is|was|has|had|will|would|can|and|who|went|got|told|said|met|gave|made|took"
    r"|bought|came|left|ran|saw|sold|paid|won|lost|ist|hat|war|wohnt|arbeitet|es|est|a|é|è|ha|tiene|vive|trabaja|habite"
    r"|tem|abita|lavora|\w+ed|\w{2,}[^\W\dsu]s"
    r"(?! (?:are|were|come|came|have|had|will|go|went|do|did|start|begin|end)\b))\b"
)
_RELATED = [
    {*pair.split()}
    for pair in (
        "spanish spain,french france,dutch netherlands,british uk,british britain,english england,american usa,swiss"
        " switzerland,danish denmark,polish poland,irish ireland,germany deutschland,german deutsch,munich munchen"
    ).split(",")
]
_GERMAN = frozenset(
    "ich ist hat habe und oder aber um uhr nicht mit auf fur von bei seit wird wurde noch auch wohnt mag arbeitet"
    " nutzer nutzerin".split()
)
_DETERMINERS = frozenset(
    "der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner sein seine seinen seinem"
    " seiner ihr ihre ihren ihrem ihrer kein keine keinen keinem keiner zum zur im am vom beim ins ans als pro viel"
    " viele gern gerne und oder ohne jeden jede jedes diese dieser dieses diesen".split()
)
_COMMON_WORDS = frozenset(  # words that open sentences, and words that are capitalised without being names
    "the a an this that these those there here somebody someone anybody anyone everybody everyone it its he she they we"
    " you i my your his her their our user users nutzer"
    " nutzerin benutzer usuario usuaria utilisateur utilisatrice utente utilizador utilizadora assistant speaker on in"
    " at by for from to with without of off over under about after before during since until when while where why how"
    " what which who if as and or but so because although though both each every all some any many most more few"
    " several no not none never always often sometimes usually currently recently now today tomorrow yesterday tonight"
    " later soon then once twice also still yet just only even again maybe perhaps please thanks yes ok okay has have"
    " had is are was were be do does did will would can could should may might must one two three four five six seven"
    " eight nine ten first second third last next another other someone people everyone nobody nothing something mr"
    " mrs ms dr prof st mom mum dad mother father god tv am pm id pdf utc gmt phd url el la los las le les un une una"
    " il lo gli os um uma ella elle lui je ich er sie es wir der die das ein eine mein meine seit im en de du des au"
    " monday tuesday wednesday thursday friday saturday sunday january february march april june july august september"
    " october november december montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar marz mai"
    " juni juli oktober dezember lunes martes miercoles jueves viernes sabado domingo enero febrero marzo abril mayo"
    " junio julio agosto septiembre octubre noviembre diciembre lundi mardi mercredi jeudi vendredi samedi dimanche"
    " janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre lunedi martedi mercoledi"
    " giovedi venerdi domenica gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre segunda terca"
    " quarta quinta sexta janeiro fevereiro marco maio junho julho setembro outubro novembro dezembro feira christmas"
    " easter lunch dinner breakfast meeting meetings appointment rent flight train hotel work school dog cat car house"
    " home family friend friends wife husband son daughter brother sister partner parents children kids job doctor"
    " price cost payment budget trip birthday wedding medication herr herrn frau familie"
    " von vom zu zum zur bei beim mit nach aus auf fur gegen ohne durch uber unter vor hinter neben zwischen bis ab"
    " dann dort hier heute morgen gestern jetzt nun noch nochmal nochmals auch nur schon aber oder und denn wenn"
    " weil dass ob als wie wer wo wann warum welche welcher welches sind ist war waren hat haben hatte wird werden"
    " wurde kann soll muss ihr ihnen ihm ihn mich mir dir uns euch alle alles jeder jede jedes keiner niemand"
    " jemand nichts etwas diese dieser dieses sein seine kein keine wegen wahrend trotz laut statt anstatt ausser"
    " zuerst zuletzt danach davor dabei damit dafur deshalb ausserdem leider vielleicht immer nie oft manchmal"
    " wieder erst erneut insgesamt ungefahr etwa neu neue neuer neues".split()
)
