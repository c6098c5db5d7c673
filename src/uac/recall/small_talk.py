"""Facts that tell nothing about anybody: "encouraged Sam", "Ana thanked her for the kind words"."""

from collections.abc import Collection
from functools import cache

from uac.text.search_terms import query_terms, terms_of

__all__ = ["is_small_talk"]

_SOCIAL = """
    encourage encouraged encouragement support supportive supported thank thanked thanks thankful grateful gratitude
    congratulate congratulated congratulations praise praised compliment complimented appreciate appreciated
    appreciation greet greeted greeting greetings welcome welcomed wish wished wishes hope hoped hopes luck agree agreed
    admire admired admires proud glad happy pleased excited excitement impressed curious interested interest inspired
    inspiring motivated motivation cheer cheered reassure reassured sympathy sympathise sympathize express expressed
    expresses expressing say said says tell told ask asked asks acknowledge acknowledged respond responded reply replied
    comment commented chat chatted talk talked conversation kind kindness word words great awesome amazing nice
    good well best better feel feels feeling feelings smile smiled laugh laughed look looking forward keep going
    ermutigt ermutigte dankt dankte dankbar gratuliert gratulierte lobt lobte freut freute wünscht wünschte hofft hoffte
    stolz froh glücklich sagt sagte fragt fragte grüßt grüßte unterstützt unterstützte stimmt zu
    encourage encouragé remercie remercié félicité félicite souhaite souhaité espère content heureux fier dit demande
    anima animó agradece agradeció felicita felicitó desea deseó espera orgulloso contento feliz dice dijo pregunta
    incoraggia incoraggiato ringrazia ringraziato congratula spera felice contento dice detto chiede
    encoraja encorajou agradece agradeceu parabeniza espera feliz orgulhoso diz disse pergunta
"""


def is_small_talk(text: str, question: str, names: Collection[str]) -> bool:
    """Whether all content words are names of people who speak here, or words of courtesy that nobody asks about."""
    in_question = {term for group in query_terms(question, ()) for term in group}
    known = (_social_terms() - in_question) | {term for name in names for term in terms_of(name)}
    return all(not known.isdisjoint(group) for group in query_terms(text, ()))


@cache
def _social_terms() -> frozenset[str]:
    return frozenset(term for word in _SOCIAL.split() for group in query_terms(word, ()) for term in group)
