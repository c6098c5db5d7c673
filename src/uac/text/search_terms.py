"""Words as search compares them: folded, stemmed by the language of their text, in any script.

In a text, each word has one term. In a query, each word has all the terms that it may have in a text, because the texts
may be in other languages than the query seems to be.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise

from uac.schema.word_caches import word_cache
from uac.text.languages import (
    BY_SCRIPT,
    CUTS,
    FUNCTION_WORDS,
    IRREGULAR,
    LETTERS,
    LIGHT,
    PARTICLES,
    SCRIPTS,
    SEEN_IN_ENGLISH,
    stemmer_of,
)
from uac.text.lazy_pattern import lazy_pattern

__all__ = ["group_terms", "language_of", "query_terms", "query_word_terms", "terms_and_language", "terms_of"]

LONGEST = 40  # characters of a word that are compared
MOST_TERMS = 64  # words of one question
SAMPLE = 1000  # words that are enough to detect the language of a text
WORD, HINT, LETTER = 120, 30, 54  # points of a function word, of one that English texts also contain, of a letter
ENOUGH = 60  # points that decide a language; a word that three languages share is not enough
WIDE_LETTERS = 3  # letters that a character of a script without spaces is worth


def terms_of(text: str) -> list[str]:
    """One term for each word, in order; where no spaces are written, one for each two characters.

    Words are stemmed by the language of the whole text. A text that gives no sign of its language ("Hiking trips") is
    stemmed as English if its letters are all ASCII: most such texts are. Words of another script than the text's are
    stemmed by the usual language of their script. A Chinese character is a term, too, so that a query for it matches.
    Korean gives pairs, because words with particles seldom match as a whole, and one-syllable words without particles.
    Emoji give no term.
    """
    return terms_and_language(text)[0]


def terms_and_language(text: str) -> tuple[list[str], str]:
    """What `terms_of` and `language_of` give, in one go."""
    words = _fold_words(text)
    detected = _detect_language(words)
    if text.isascii():
        return list(map(partial(_term_of_word, detected or "en"), words)), detected
    language = detected or _default_language(words)
    terms: list[str] = []
    for word in words:
        if _WIDE.match(word):
            terms += _spaceless_run_terms(word)
        else:
            terms.append(_term_of_word(language, word))
    return terms, detected


def query_terms(text: str, languages: Collection[str]) -> list[tuple[str, ...]]:
    """For each content word of a query, the terms that it may have in texts of these languages, the likeliest first.

    Function words are left out unless there is nothing else. Of more than 64 words the longest are kept, in order.
    """
    return group_terms(query_word_terms(text, languages))


def group_terms(terms: Mapping[str, tuple[str, ...]]) -> list[tuple[str, ...]]:
    """What `query_terms` gives, from the terms of each word: words with the same first term are one."""
    found: dict[str, dict[str, None]] = {}
    for variants in terms.values():
        found.setdefault(variants[0], {}).update(dict.fromkeys(variants))
    return [tuple(variants) for variants in found.values()]


def query_word_terms(text: str, languages: Collection[str]) -> dict[str, tuple[str, ...]]:
    """What `query_terms` gives, for each word as it is written, in lower case."""
    words = _fold_words(text)
    own = _detect_language(words)
    spoken = tuple(dict.fromkeys([own or _default_language(words), *sorted(languages), "en"]))
    distinct = list(dict.fromkeys(words))
    items = dict(_content_words(distinct, own, spoken)) or dict(_all_words(distinct))
    if len(items) > MOST_TERMS:
        longest = set(sorted(items, key=_content_length, reverse=True)[:MOST_TERMS])
        items = {item: known for item, known in items.items() if item in longest}
    return {item: known or _term_variants(item, spoken) for item, known in items.items()}


def language_of(text: str) -> str:
    """The ISO 639-1 code of the language of a text, or "" if it cannot be detected.

    Detected by script, then by function words and letters. Cyrillic text without other signs counts as Russian.
    """
    return _detect_language(_fold_words(text))


# --- words ------------------------------------------------------------------------------------------------------------


def _fold_words(text: str) -> list[str]:
    """Words in lower case with their accents; runs of a script without spaces as a whole; grouped numbers as one."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    # Normalising long runs of marks takes quadratic time; no word has one.
    piled = _PILED.sub(r"\1", text)
    even = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", piled).casefold())
    words = []
    for piece in _ANY_WORD.findall(even.translate(_EVENED)):
        if piece.isascii():
            words.append(piece[:LONGEST])
            continue
        for run in _WIDE.split(piece):
            if run:
                words.append(run if _WIDE.match(run) else run[:LONGEST])
    return words


_GROUPED = r"\d{1,3}(?:(?:,\d{3}){1,9}(?!,?[^\W_])|(?:\.\d{3}){1,9}(?!\.?[^\W_])|(?:'\d{3}){1,9}(?!'?[^\W_]))"
_ASCII_WORD = lazy_pattern(rf"({_GROUPED}|[^\W_]{{1,{LONGEST}}})[^\W_]*", re.ASCII)
# Letters of these scripts are combined with signs that are not letters: vowels, tones, joiners of consonants.
_SIGNED = (
    r"\u0730-\u074a\u07a6-\u07b0\u0900-\u0963\u0966-\u0dff\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0eff\u0f18-\u0fbc"
    r"\u1000-\u1049\u1050-\u109f\u1780-\u17d3\u3099\u309a"
)
_ANY_WORD = lazy_pattern(rf"{_GROUPED}|[\w{_SIGNED}]+")
_HANGUL = r"\u1100-\u11ff\uac00-\ud7af"
_SPACELESS = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
_WIDE = lazy_pattern(rf"([{_HANGUL}]+|[{_SPACELESS}]+)")
_MARK = r"(?:[^\w\s]|[\uff9e\uff9f])"
_PILED = lazy_pattern(rf"(?<![^\w\s])({_MARK}{{32}}){_MARK}+")

_ZEROS = "٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐"
_DROPPED = [
    *range(0x0300, 0x0370),  # accents that have no letter of their own
    *range(0x0483, 0x048A),
    *range(0x0591, 0x05BE),  # Hebrew points
    *(0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7),
    *range(0x0610, 0x061B),
    *range(0x064B, 0x0660),  # Arabic vowels
    *range(0x06D6, 0x06DD),
    *(0x0640, 0x0670, 0x00AD, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF),
]
_EVENED: dict[int, str | None] = {
    **dict.fromkeys(_DROPPED),
    **{ord(zero) + digit: str(digit) for zero in _ZEROS for digit in range(10)},
    **{ord(alef): "ا" for alef in "أإآٱ"},
    ord("_"): " ",
    ord("٬"): ",",
    ord("’"): "'",
}


# --- the language of a text -------------------------------------------------------------------------------------------


def _detect_language(words: Sequence[str]) -> str:
    sample = words[:SAMPLE]
    if all(map(str.isascii, sample)):
        return _vote_language(sample, "latin", "")
    weights: Counter[str] = Counter()
    for word in sample:
        if _WIDE.match(word):
            for character in word[:SAMPLE]:
                weights[_script_of(character)] += WIDE_LETTERS
        elif not word[0].isdigit():
            weights[_script_of(word[0])] += len(word)
    kana = weights.pop("kana", 0)
    if kana:
        weights["han"] += kana
    script, weight = max(weights.items(), key=lambda item: item[1], default=("", 0))
    if script not in BY_SCRIPT or weight * 5 < weights.total() * 3:
        return ""
    if script == "han":
        return "ja" if kana * 10 > weight else "zh"
    first = BY_SCRIPT[script][0]
    return _vote_language(sample, script, "".join(sample)) or ("" if script == "latin" else first)


def _vote_language(words: Iterable[str], script: str, letters: str) -> str:
    points: dict[str, int] = {}
    votes = _function_word_votes()
    for word in words:
        if word in votes:
            for language, count in votes[word]:
                points[language] = points.get(language, 0) + count
    for letter in LETTERS.keys() & set(letters):
        languages = LETTERS[letter].split()
        for language in languages:
            points[language] = points.get(language, 0) + LETTER // len(languages)
    if max(points.values(), default=0) < ENOUGH:
        return ""
    best = max(BY_SCRIPT[script], key=lambda language: points.get(language, 0))
    return best if points.get(best, 0) >= ENOUGH else ""


@cache
def _function_word_votes() -> dict[str, tuple[tuple[str, int], ...]]:
    speakers: dict[str, list[str]] = {}
    for language, words in FUNCTION_WORDS.items():
        for word in words:
            speakers.setdefault(word, []).append(language)
    found: dict[str, tuple[tuple[str, int], ...]] = {}
    same: dict[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]] = {}  # thousands of words have few votes
    for word, languages in speakers.items():
        votes = tuple((language, _function_word_points(word, language) // len(languages)) for language in languages)
        found[word] = same.setdefault(votes, votes)
    return found


def _function_word_points(word: str, language: str) -> int:
    return HINT if word in SEEN_IN_ENGLISH and language != "en" else WORD


def _default_language(words: Iterable[str]) -> str:
    return "en" if all(map(str.isascii, words)) else ""


def _script_of(word: str) -> str:
    return SCRIPTS[bisect_right(_STARTS, ord(word[0])) - 1][1]


_STARTS = [start for start, _script_name in SCRIPTS]


# --- one word ---------------------------------------------------------------------------------------------------------


@word_cache(1 << 13)  # at most 3 MB, and most words of a text are among the last so many
def _term_of_word(language: str, word: str) -> str:
    if not word.isalpha() and word.isascii():
        return _SEPARATORS.sub("", word)
    script = _script_of(word)
    spoken = BY_SCRIPT.get(script, ())
    if language not in spoken:
        # Latin words in a text of unknown language may be of any language; elsewhere they are mostly English.
        language = "" if not spoken or (script == "latin" and not (language and word.isascii())) else spoken[0]
    return _fold_letters(_stem_word(language, word), script)[:LONGEST] or word


_SEPARATORS = lazy_pattern("[,.']")


def _stem_word(language: str, word: str) -> str:
    match language:
        case "en":
            word = IRREGULAR.get(word, word)
        case "ar":
            # "and the": the stemmer removes "the" only.
            word = word[1:] if len(word) > 5 and word.startswith(("وال", "فال")) else word
        case "he":
            return _hebrew_stem(word)
        case _:
            pass
    stemmer = stemmer_of(language)
    return (stemmer.stemWord(word) if stemmer else "") or word


def _hebrew_stem(word: str) -> str:
    """The word without its article and plural ending; there is no stemmer for Hebrew."""
    for prefix in ("וה", "שה", "ה"):
        if word.startswith(prefix) and len(word) - len(prefix) >= 3:
            word = word.removeprefix(prefix)
            break
    return word[:-2] if word.endswith(("ים", "ות")) and len(word) >= 5 else word


def _fold_letters(word: str, script: str) -> str:
    """The word without accents that people leave out, and with interchangeable letters merged."""
    if word.isascii():
        return word
    word = word.translate(_MERGED)
    if script not in {"latin", "greek"}:
        return word
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))


_MERGED = str.maketrans(
    {
        **dict(zip("øđłħıðŧŋ", "odlhidtn", strict=True)),
        **dict(zip("æœþ", ("ae", "oe", "th"), strict=True)),
        **dict(zip("ёςँ", "еσं", strict=True)),
        **dict(zip("ةىیکہۀ", "هييكهه", strict=True)),
        **dict(zip("ךםןףץ", "כמנפצ", strict=True)),
    }
)


def _term_variants(word: str, languages: Iterable[str]) -> tuple[str, ...]:
    if not word.isalpha() and word.isascii():
        return (_term_of_word("", word),)
    script = _script_of(word)
    plain = _fold_letters(word, script)[:LONGEST] or word
    terms = [_term_of_word(language, form) for language in languages for form in (word, plain)]
    return tuple(dict.fromkeys([*terms, plain]))


# --- scripts without spaces -------------------------------------------------------------------------------------------


def _spaceless_run_terms(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    terms = list(map("".join, pairwise(run)))
    if _script_of(run) == "hangul":
        stem = _korean_stem(run)
        return [*terms, stem] if len(stem) == 1 else terms
    return terms + _ALONE.findall(run)


_SILENT = "".join(sorted(LIGHT.union(word for word in CUTS["zh"] if len(word) == 1)))
_ALONE = lazy_pattern(rf"(?![{_SILENT}])[\u3005-\u3007\u3400-\u9fff\U00020000-\U0003ffff]")


def _korean_stem(word: str) -> str:
    for particle in PARTICLES:
        if word.endswith(particle) and len(word) > len(particle):
            return word.removesuffix(particle)
    return word


def _content_words(words: Iterable[str], own: str, spoken: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Words that are not function words, each with its terms if they need no stemming."""
    stops = frozenset[str]().union(*(FUNCTION_WORDS.get(language, ()) for language in ([own] if own else spoken)))
    for word in words:
        if word.isascii() or not _WIDE.match(word):
            if word not in stops:
                yield word, ()
        elif _script_of(word) == "hangul":
            stem = _korean_stem(word)
            yield from _character_pairs(
                stem if len(stem) > 1 else word[:2], also=stem if len(stem) < len(word[:2]) else ""
            )
        else:
            for run in _word_cuts("ja" if own == "ja" else _CUT_BY.get(_script_of(word), "zh")).split(word):
                if len(run) > 1 or _ALONE.match(run):
                    yield from _character_pairs(run)


def _all_words(words: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for word in words:
        if not word.isascii() and _WIDE.match(word):
            yield from _character_pairs(word)
        else:
            yield word, ()


def _character_pairs(run: str, also: str = "") -> Iterator[tuple[str, tuple[str, ...]]]:
    for pair in map("".join, pairwise(run)) if len(run) > 1 else [run]:
        yield pair, (pair, also) if also else (pair,)


def _content_length(item: str) -> int:
    return len(item) * WIDE_LETTERS if len(item) < 3 and _WIDE.match(item) else len(item)


_CUT_BY = {"thai": "th", "kana": "ja"}


@cache
def _word_cuts(language: str) -> re.Pattern[str]:
    return re.compile("|".join(sorted(map(re.escape, CUTS[language]), key=len, reverse=True)))
