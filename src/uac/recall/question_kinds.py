"""What kind of question is asked, as far as it changes the search: about the assistant's words, or for an outline."""

import re
from collections.abc import Iterable

from uac.text.lazy_pattern import lazy_pattern

__all__ = ["asks_for_outline", "has_topic", "has_you", "is_about_assistant", "question_weights"]

SCANNED_CHARACTERS = 2000  # of a question
ASIDE_WEIGHT = 0.3  # of a sentence in a long message that asks for nothing
MIN_SENTENCES = 3  # of a message in which asides are looked for

_DID_EN = (
    r"suggest|recommend|advise|propose|say|tell|mention|give|write|make|send|explain|list|offer|warn|promise|answer|"
    r"reply|describe|draft|plan|prepare|calculate|estimate|compare|show|teach|name|think|mean|"
    r"work\s+out|draw\s+up|put\s+together|set\s+(?:up|out)|come\s+up\s+with|point\s+out|walk\s+me\s+through|help\s+me"
)
_DONE_EN = (
    r"suggested|recommended|advised|proposed|said|told|mentioned|gave|given|wrote|written|made|sent|explained|listed|"
    r"offered|warned|promised|answered|replied|described|drafted|planned|prepared|calculated|estimated|compared|"
    r"showed|shown|taught|named|worked\s+(?:\w+\s+)?out|set\s+me|dr(?:ew|awn)\s+up|put\s+together|set\s+(?:up|out)|c[ao]me\s+up\s+with|"
    r"pointed\s+out|walked\s+me\s+through|helped\s+me"
)
_ADVERBS_EN = r"(?:(?:just|already|ever|once|also|then|first|originally|previously|earlier|recently|kindly)\s+){0,2}"
_OF_YOU_EN = (
    r"advice|suggestions?|recommendations?|tips?|answers?|repl(?:y|ies)|proposals?|words|warnings?|explanations?|"
    r"opinion|recipe|plan|list|comments?|feedback|ideas?|schedule|draft|estimate|calculations?|instructions?"
)
_DONE_DE = (
    r"vorgeschlagen|empfohlen|gesagt|geraten|erklärt|genannt|geschrieben|erwähnt|geantwortet|angeboten|aufgelistet|"
    r"gegeben|versprochen|beschrieben|entworfen|gemacht|erstellt|ausgearbeitet|zusammengestellt|geschickt|"
    r"(?:aus|be)gerechnet|berechnet|gezeigt|vorbereitet"
)
_DONE_FR = (
    r"suggéré|conseillé|recommandé|dit|proposé|écrit|expliqué|mentionné|donné|répondu|fait|préparé|rédigé|envoyé|"
    r"montré|établi|calculé"
)
_DONE_ES = (
    r"sugerido|recomendado|dicho|aconsejado|propuesto|explicado|mencionado|dado|escrito|hecho|preparado|enviado|"
    r"mostrado"
)
_DONE_IT = (
    r"suggerito|consigliato|raccomandato|detto|proposto|scritto|spiegato|menzionato|dato|fatto|preparato|mandato|"
    r"mostrato|calcolato"
)
_ASSISTANT = lazy_pattern(
    rf"\b(?:did|have|had)\s+you\s+{_ADVERBS_EN}(?:{_DID_EN}|{_DONE_EN})\b|"
    # "Can you put together …" asks for something new.
    r"(?<!can\s)(?<!could\s)(?<!would\s)(?<!will\s)(?<!should\s)(?<!do\s)"
    rf"\byou(?:['’](?:ve|d)|\s+ha(?:ve|d))?\s+{_ADVERBS_EN}(?:{_DONE_EN})\b|"
    rf"\byour\s+(?:\w+\s+)?(?:{_OF_YOU_EN})\b|"
    r"\b(?:you\s+and\s+(?:i|me)|we)\s+(?:both\s+)?(?:worked\s+out|came\s+up\s+with|drew\s+up|put\s+together|discussed)\b",
    re.IGNORECASE,
)
_OTHER_ASSISTANT = lazy_pattern(
    rf"\b(?:hast|hattest)\s+du\b[^.?!,;]{{0,80}}\b(?:{_DONE_DE})\b|\b(?:{_DONE_DE})\s+(?:hast|hattest)\s+du\b|"
    rf"\bdu\b[^.?!,;]{{0,60}}\b(?:{_DONE_DE})\s+(?:hast|hattest)\b|\bdu\s+(?:hast|hattest)\b[^.?!,;]{{0,60}}\b(?:{_DONE_DE})\b|"
    r"\b(?:sagtest|meintest|schriebst|gabst|empfahlst|rietst|nanntest|erwähntest|erklärtest|schlugst)\s+(?:du|mir)\b|"
    r"\bdu\s+und\s+ich\b|"
    r"\bdeine?[nrms]?\s+(?:rat|ratschl\w+|vorschl\w+|empfehlung\w*|tipps?|antwort\w*|(?:\w+)?plan|liste|ideen?|"
    r"kommentare?|anmerkung\w*|entwurf|erklärung\w*)\b|"
    rf"\b(?:m['’])?(?:as-tu|avez-vous|tu\s+(?:m['’]|l['’])?(?:as|avais)|vous\s+(?:m['’]|l['’])?av(?:ez|iez))\s+(?:déjà\s+)?(?:{_DONE_FR})\b|"
    r"\b(?:ton|ta|tes|votre|vos)\s+(?:conseils?|suggestions?|recommandations?|réponses?|plan|liste|idées?|"
    r"commentaires?|remarques?|programme)\b|\btoi\s+et\s+moi\b|"
    rf"\b(?:has|habías)\s+(?:ya\s+)?(?:{_DONE_ES})\b|\btú\s+y\s+yo\b|"
    r"\b(?:sugeriste|recomendaste|dijiste|aconsejaste|propusiste|explicaste|diste|hiciste|escribiste|preparaste|"
    r"mencionaste|enviaste)\b|\btus?\s+(?:consejos?|sugerencias?|respuestas?|plan|lista|ideas?|comentarios?)\b|"
    rf"\b(?:hai|avevi)\s+(?:già\s+)?(?:{_DONE_IT})\b|\b(?:io\s+e\s+te|tu\s+e\s+io)\b|"
    r"\b(?:tuo|tua|tuoi|tue)\s+(?:consigli\w*|piano|lista|idee|commenti|propost\w+|suggeriment\w+|rispost\w+)\b|"
    r"\b(?:você|tu)\s+(?:me\s+)?(?:sugeriu|recomendou|disse|aconselhou|propôs|sugeriste|deu|fez|escreveu|preparou|"
    r"mencionou|explicou|mostrou)\b|\b(?:teu|seu|tuas?|suas?|teus|seus)\s+(?:conselhos?|plano|lista|ideias|comentários|"
    r"sugest(?:ão|ões))\b|"
    r"\bты\s+(?:мне\s+)?(?:посовет\w+|предлож\w+|рекоменд\w+|сказал\w*|написал\w*|дал[аи]?\b|составил\w*|объяснил\w*|"
    r"подготовил\w*)|\b(?:тво[йи]|тво[её]|ваши?)\s+(?:совет\w*|план|список|идеи|комментари\w+)|\bмы\s+с\s+тобой\b|"
    r"[你您](?:给我|帮我|之前|曾|当时|上次)*的?(?:建议|推荐|说过|说了|告诉|计划|点评)|[你您](?:给我|帮我|为我)(?:写|做|列|制定|准备)(?:的|了|过)|"
    r"あなたの(?:提案|助言|おすすめ|答え|計画|リスト|コメント|アイデア)|あなたが[^。？]{0,20}(?:くれた|言った|書いた|作った)|"
    r"(?:نصحتني|اقترحت|نصيحتك|قلت\s+لي|كتبت\s+لي|أعطيتني|خطتك|أفكارك)",
    re.IGNORECASE,
)

_OUTLINE = lazy_pattern(
    r"\b(?:in\s+(?:what|which)\s+order|(?:right|correct|chronological)\s+order|chronological\w*|sequence\s+of|timeline|"
    r"one\s+(?:thing\s+)?after\s+(?:the\s+other|another)|from\s+(?:start\s+to\s+finish|beginning\s+to\s+end)|"
    r"the\s+(?:whole\s+)?story\s+of|sum(?:ming)?\s+up|summari[sz]e|summary|recap|overview|run[-\s]?(?:down|through)\s+of|"
    r"(?:short|brief|full|whole)\s+history\s+of|step\s+by\s+step|one\s+by\s+one|in\s+(?:sequence|the\s+order)|"
    r"put\b.{1,80}\bin\s+order|every\s+(?:single|one\s+of)|all\s+(?:of\s+)?(?:the|my|our)\s+\w+\s+(?:that\s+)?(?:i|we)|"
    r"how\s+(?:many\s+times|often)\b(?=.*\b(?:i|we|did|have)\b)|"
    r"what\s+have\s+(?:we|i)\s+(?:talked|discussed|spoken|told)|everything\s+(?:about|we|i\s+(?:told|said|mentioned))|"
    r"how\s+(?:has|have|did)\b.*\b(?:evolved?|changed?|developed?|progress(?:ed)?|gone)|come\s+about|(?:walk|take|talk|run)\s+me\s+through|"
    r"(?:(?:can|could|would|will)\s+you\s+(?:please\s+)?|^\s*(?:please\s+)?)list|lists?\s+of|list\s+(?:all|every\w*)|"
    r"in\s+welcher\s+reihenfolge|fass\w*\s.*\bzusammen|zusammenfass\w*|wie\s+oft|worüber\s+haben\s+wir|"
    r"dans\s+quel\s+ordre|résum\w+|combien\s+de\s+fois|de\s+quoi\s+avons-nous|"
    r"en\s+qué\s+orden|resum\w+|cuántas\s+veces|de\s+qué\s+hemos|"
    r"in\s+(?:che|quale)\s+ordine|riassum\w+|quante\s+volte|em\s+que\s+ordem|quantas\s+vezes|"
    r"в\s+каком\s+порядке|сколько\s+раз|подытож\w*|резюм\w+)\b|"
    r"什么顺序|哪些顺序|总结|概括|多少次|几次|どんな順|順番|まとめて|何回|(?:بأي\s+ترتيب|لخص|كم\s+مرة)",
    re.IGNORECASE,
)

_NO_TOPIC = frozenset(
    "about all again chat chats conversation conversations discuss discussed discussion discussions ever everything far"
    " give hello hi hey history list lists mention mentioned now overview please quick quickly recap said say short"
    " show so spoken sum summaries summarise summarised summarize summarized summary talk talked talking talks tell"
    " thing things till timeline together told topic topics until up us write"
    " alles bisher bislang bitte fass fasse fassen gerede geredet gespräch gespräche gesprochen kurz liste themen"
    " unsere unserer unterhalten unterhaltung unterhaltungen worüber zusammen zusammenfassen zusammenfassung überblick"
    " avons conversations discussions discuté ensemble jusqu nos parlé présent résume résumer résumé sujets tout"
    " ahora conversaciones hablado hasta hemos nuestras resume resumen resumir resúmeme temas todo"
    " conversazioni finora parlato riassumi riassunto tutto agora conversas falamos resumo tudo".split()
)
"""Words of a question for an outline that do not say of what."""

_SENTENCE = lazy_pattern(r"[^.!?。！？؟]+[.!?。！？؟]*\s*")
# Of every match, one of these is a part. The patterns themselves take long to compile.
_ENGLISH_WORDS = lazy_pattern(r"\b(?:you|your|we)\b", re.IGNORECASE)
_OTHER_WORDS = lazy_pattern(
    r"[^\x00-\u024f]|\b(?:du|deine?|(?:sag|mein|schrieb|gab|empfahl|riet|nann|erwähn|erklär|schlug)t?e?st|tu|vous|ton|ta|"
    r"tes|votre|vos|toi|has|habías|tú|tus|\w+ste|hai|avevi|tu[oae]i?|io|você|[ts]eus?|[ts]uas?|deine[nrms])\b",
    re.IGNORECASE,
)
_YOU = lazy_pattern(r"\byou(?:rs?)?\b", re.IGNORECASE)
_ASKS = lazy_pattern(r"[?？؟]")
_NAME = lazy_pattern(r"(?<=[a-z,;:] )[A-Z]\w+")


def is_about_assistant(question: str) -> bool:
    """Whether the question is about what the assistant said or did. "Can you list …" only addresses it."""
    scanned = question[:SCANNED_CHARACTERS]
    if _ENGLISH_WORDS.search(scanned) and _ASSISTANT.search(scanned):
        return True
    return _OTHER_WORDS.search(scanned) is not None and _OTHER_ASSISTANT.search(scanned) is not None


def has_you(question: str) -> bool:
    """Whether an English question addresses somebody."""
    return _YOU.search(question) is not None


def asks_for_outline(question: str) -> bool:
    """Whether the answer needs every mention, in order, rather than the best one."""
    return _OUTLINE.search(question[:SCANNED_CHARACTERS]) is not None


def has_topic(words: Iterable[str]) -> bool:
    """Whether the content words of a question for an outline say of what: "What have we talked about?" does not."""
    return not _NO_TOPIC.issuperset(words)


def question_weights(question: str) -> list[tuple[str, float]]:
    """The sentences of a question with their weights: in a long message, greetings and asides count for less.

    A name in an aside counts in full, as it may say who "she" is. A message of which no sentence, or every sentence,
    asks something is one sentence.
    """
    sentences = _SENTENCE.findall(question)
    asking = [bool(_ASKS.search(sentence)) for sentence in sentences]
    if len(sentences) < MIN_SENTENCES or all(asking) or not any(asking):
        return [(question, 1.0)]
    weighted = [(sentence, 1.0 if asks else ASIDE_WEIGHT) for sentence, asks in zip(sentences, asking, strict=True)]
    asides = " ".join(sentence for sentence, weight in weighted if weight < 1)
    return [*weighted, *((f" {name}", 1.0) for name in dict.fromkeys(_NAME.findall(asides)))]
