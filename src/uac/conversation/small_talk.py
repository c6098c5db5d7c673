"""Turns that state nothing: greetings, thanks, sign-offs, remarks, and questions to the assistant.

The first reading decides what a turn means. This only decides whether a turn that gave no fact is read a second time.
"""

import re
from collections.abc import Iterator

from uac.conversation.checks.proper_names import is_german_text
from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import WORD, numbers, unaccented

__all__ = ["is_small_talk", "plain_statements", "states_something_exact"]


def is_small_talk(text: str) -> bool:
    """Whether every sentence is courtesy, or a question without a statement about the speaker."""
    return all(_is_courtesy(sentence) or _is_bare_question(sentence) for sentence in _SENTENCE.findall(text))


def states_something_exact(text: str) -> bool:
    """Whether the words have a number or a name, and are more than small talk."""
    return any(bool(numbers(text[start:end])) or _has_name(text[start:end]) for start, end in _statements(text))


def plain_statements(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences are that have digits or a name, and are more than small talk."""
    for start, end in _statements(text):
        if re.search(r"\d", text[start:end]) or _has_name(text[start:end]):
            yield start, end


def _statements(text: str) -> Iterator[tuple[int, int]]:
    for found in _SENTENCE.finditer(text):
        if not (_is_courtesy(found.group()) or _is_bare_question(found.group())):
            yield found.span()


def _is_courtesy(sentence: str) -> bool:
    words = [unaccented(word) for word in WORD.findall(sentence)]
    if not words and not any(character.isalnum() for character in sentence):
        return True
    if any(character.isdigit() for character in sentence):
        return False
    if _WIDE_COURTESY.fullmatch(sentence):
        return True
    return bool(words) and len(words) <= MAX_COURTESY_WORDS and all(word in _COURTESY for word in words)


def _is_bare_question(sentence: str) -> bool:
    """Whether it is a question in which nobody says anything of themselves besides asking."""
    if not sentence.rstrip().endswith(("?", "？")):
        return False
    return _CLAUSE_BREAK.search(sentence) is None and _OWN.search(sentence) is None


def _has_name(sentence: str) -> bool:
    """Whether a word that does not open the sentence has a capital; German writes all nouns with one."""
    if is_german_text([sentence]):
        return False
    words = WORD.findall(sentence)
    return any(word[0].isupper() and len(word) > 1 for word in words[1:])


MAX_COURTESY_WORDS = 14
_SENTENCE = lazy_pattern(r"[^.!?\n。！？]+[.!?。！？…\s]*|[.!?。！？…\s]+")
_CLAUSE_BREAK = lazy_pattern(r"[,;:–—，；：]|\s-\s|\b(?:because|since|weil|denn|porque|parce)\b", re.IGNORECASE)
_OWN = lazy_pattern(
    r"\b(?:i|i['’]\w+|my|mine|we|our|us|ich|mein\w*|wir|unser\w*|yo|mi|mis|nuestr\w+|je|j['’]\w+|mon|ma|mes|nous|notre|"
    r"io|mio|mia|meu|minha|eu)\b|我|私|僕",
    re.IGNORECASE,
)
_WIDE_COURTESY = lazy_pattern(
    r"[\s，。！？、~～]*(?:(?:你好|您好|谢谢你?|多谢|再见|晚安|早上好|晚上好|好的?|嗯+|哈+|拜拜|没事|不客气|"
    r"こんにちは|こんばんは|おはよう(?:ございます)?|ありがとう(?:ございます)?|おやすみ(?:なさい)?|またね|はい|了解(?:です)?|"
    r"さようなら|じゃあね)[\s，。！？、~～]*)+"
)
_COURTESY = frozenset(
    # English
    "hi hello hey hiya yo morning evening afternoon night good goodnight goodbye bye ciao cheers there again me back"
    " thanks thank thx ty you so much very a lot many for the your help listening that that's thats is was it's its it"
    " this all now talk soon later see ya u ok okay k alright right sure yes yeah yep yup no nope fine great nice cool"
    " lovely perfect awesome amazing brilliant wonderful excellent sounds got understood will do done wow oh ah haha"
    " hahaha lol lmao hmm well anyway please sorry worries problem never mind i'm im i am are how hope hoping day long"
    " today tired take care dear friend catch up to of course exactly indeed true really quite just be let's leave it"
    " at enough and my bless love really helpful kind sweet welcome appreciated appreciate know did not s m re ll ve"
    # German
    " hallo moin servus guten gute tag morgen abend nacht danke vielen dank schon sehr bitte tschuss bis bald spater"
    " dann das war's wars war s alles fur heute ich wieder na wie lauft's lauft geht's geht dir bei ja nein genau klar"
    " stimmt prima super toll gut passt mach's machs furs zuhoren hilfe und es ist mal erst nix"
    # Spanish
    " hola buenas buenos dias tardes noches gracias muchas muchisimas por todo eso es adios hasta luego pronto manana"
    " que tal aqui estoy otra vez vale claro perfecto genial de nada si y escucharme ayuda tu"
    # French, Italian, Portuguese
    " bonjour bonsoir salut merci beaucoup au revoir bientot a demain bonne nuit journee oui non d'accord parfait super"
    " tres bien ca va c'est tout pour l'instant grazie mille ciao buongiorno buonasera buonanotte prego a presto domani"
    " perfetto va bene si tutto ola bom boa dia tarde noite obrigado obrigada ate logo amanha tudo bem certo"
    " sim".split()
)
