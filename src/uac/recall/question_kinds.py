"""What kind of question is asked, as far as it changes the search: about the assistant's words, or for an outline."""

import re

from uac.text.lazy_pattern import lazy_pattern

__all__ = ["asks_for_outline", "is_about_assistant", "question_weights"]

SCANNED_CHARACTERS = 2000  # of a question
ASIDE_WEIGHT = 0.3  # of a sentence in a long message that asks for nothing
MIN_SENTENCES = 3  # of a message in which asides are looked for

_SAID_EN = (
    r"suggest(?:ed)?|recommend(?:ed)?|advised?|propos(?:e|ed)|sa(?:y|id)|t(?:ell|old)|mention(?:ed)?|gave|give|"
    r"wr(?:ite|ote)|explain(?:ed)?|list(?:ed)?|offer(?:ed)?|warn(?:ed)?|promised?|answer(?:ed)?|repl(?:y|ied)|"
    r"describ(?:e|ed)|draft(?:ed)?"
)
_SAID_DE = (
    r"vorgeschlagen|empfohlen|gesagt|geraten|erklärt|genannt|geschrieben|erwähnt|geantwortet|angeboten|aufgelistet|"
    r"gegeben|versprochen|beschrieben|entworfen"
)
_SAID_FR = r"suggéré|conseillé|recommandé|dit|proposé|écrit|expliqué|mentionné|donné|répondu"
_SAID_ES = r"sugerido|recomendado|dicho|aconsejado|propuesto|explicado|mencionado|dado|escrito"
_SAID_IT = r"suggerito|consigliato|raccomandato|detto|proposto|scritto|spiegato|menzionato|dato"
_ASSISTANT = lazy_pattern(
    rf"\b(?:did|had|have|has|when|what|which|as|that|thing|things)\s+you\s+(?:just\s+|already\s+|ever\s+|once\s+)?(?:{_SAID_EN})\b|"
    r"\byour\s+(?:\w+\s+)?(?:advice|suggestions?|recommendations?|tips?|answers?|repl(?:y|ies)|proposals?|words|warnings?|"
    r"explanations?|opinion|recipe|plan|list)\b|"
    rf"\b(?:hast|hattest)\s+du\b[^.?!,;]{{0,80}}\b(?:{_SAID_DE})\b|\b(?:{_SAID_DE})\s+(?:hast|hattest)\s+du\b|"
    rf"\bdu\b[^.?!,;]{{0,60}}\b(?:{_SAID_DE})\s+(?:hast|hattest)\b|"
    r"\b(?:dein|deine|deinen|deiner|deinem)\s+(?:rat|ratschl\w+|vorschl\w+|empfehlung\w*|tipps?|antwort\w*)\b|"
    rf"\b(?:m['’])?(?:as-tu|avez-vous|tu\s+(?:m['’]|l['’])?as|vous\s+(?:m['’]|l['’])?avez)\s+(?:déjà\s+)?(?:{_SAID_FR})\b|"
    r"\b(?:ton|tes|votre|vos)\s+(?:conseils?|suggestions?|recommandations?|réponses?)\b|"
    rf"\b(?:has|habías)\s+(?:ya\s+)?(?:{_SAID_ES})\b|"
    r"\b(?:sugeriste|recomendaste|dijiste|aconsejaste|propusiste|explicaste)\b|\btus?\s+(?:consejos?|sugerencias?|respuestas?)\b|"
    rf"\bhai\s+(?:già\s+)?(?:{_SAID_IT})\b|"
    r"\b(?:tuo|tuoi)\s+consigli\w*|"
    r"\b(?:você|tu)\s+(?:sugeriu|recomendou|disse|aconselhou|propôs|sugeriste)|\b(?:teu|seu)\s+conselho\b|"
    r"\bты\s+(?:мне\s+)?(?:посовет\w+|предлож\w+|рекоменд\w+|сказал\w*|написал\w*)|\b(?:твой|твои|ваш)\s+совет\w*|"
    r"[你您](?:给我|之前|曾|当时|上次)*的?(?:建议|推荐|说过|说了|告诉)|あなたの(?:提案|助言|おすすめ|答え)|(?:نصحتني|اقترحت|نصيحتك)",
    re.IGNORECASE,
)

_OUTLINE = lazy_pattern(
    r"\b(?:in\s+(?:what|which)\s+order|(?:right|correct|chronological)\s+order|chronological\w*|sequence\s+of|timeline|"
    r"summari[sz]e|summary|recap|overview\s+of\s+(?:what|everything|all|our|my)|"
    r"how\s+(?:many\s+times|often)\b(?=.*\b(?:i|we|did|have)\b)|"
    r"what\s+have\s+(?:we|i)\s+(?:talked|discussed|spoken|told)|everything\s+(?:about|we|i\s+(?:told|said|mentioned))|"
    r"how\s+(?:has|have|did)\b.*\b(?:evolved?|changed?|developed?|progress(?:ed)?|gone)|walk\s+me\s+through|"
    r"(?:(?:can|could|would|will)\s+you\s+(?:please\s+)?|^\s*(?:please\s+)?)list|lists?\s+of|list\s+(?:all|every\w*)|"
    r"in\s+welcher\s+reihenfolge|fass\w*\s.*\bzusammen|zusammenfass\w*|wie\s+oft|worüber\s+haben\s+wir|"
    r"dans\s+quel\s+ordre|résum\w+|combien\s+de\s+fois|de\s+quoi\s+avons-nous|"
    r"en\s+qué\s+orden|resum\w+|cuántas\s+veces|de\s+qué\s+hemos|"
    r"in\s+(?:che|quale)\s+ordine|riassum\w+|quante\s+volte|em\s+que\s+ordem|quantas\s+vezes|"
    r"в\s+каком\s+порядке|сколько\s+раз|подытож\w*|резюм\w+)\b|"
    r"什么顺序|哪些顺序|总结|概括|多少次|几次|どんな順|順番|まとめて|何回|(?:بأي\s+ترتيب|لخص|كم\s+مرة)",
    re.IGNORECASE,
)

_SENTENCE = re.compile(r"[^.!?。！？؟]+[.!?。！？؟]*\s*")
_ASKS = re.compile(r"[?？؟]")


def is_about_assistant(question: str) -> bool:
    """Whether the question is about what the assistant said or did. "Can you list …" only addresses it."""
    return _ASSISTANT.search(question[:SCANNED_CHARACTERS]) is not None


def asks_for_outline(question: str) -> bool:
    """Whether the answer needs every mention, in order, rather than the best one."""
    return _OUTLINE.search(question[:SCANNED_CHARACTERS]) is not None


def question_weights(question: str) -> list[tuple[str, float]]:
    """The sentences of a question with their weights: in a long message, greetings and asides count for less.

    A message of which no sentence, or every sentence, asks something is one sentence.
    """
    sentences = _SENTENCE.findall(question)
    asking = [bool(_ASKS.search(sentence)) for sentence in sentences]
    if len(sentences) < MIN_SENTENCES or all(asking) or not any(asking):
        return [(question, 1.0)]
    return [(sentence, 1.0 if asks else ASIDE_WEIGHT) for sentence, asks in zip(sentences, asking, strict=True)]
