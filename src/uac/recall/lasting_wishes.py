"""Lasting wishes of the user: "always give distances in km", "never book before 9", "when I ask about Edie, no lists".

They apply to questions that share no word with them. They are recognised by their form when a turn is indexed, and get
a word of their own in the index, so that a search finds them all.
"""

import re

from uac.text.lazy_pattern import lazy_pattern

__all__ = ["WISH_TERM", "is_lasting_wish"]

WISH_TERM = "\x1fwish"
"""No word of a text: those have no control characters."""

_START = r"(?:^|[.!?;:,\n(–—¡]\s*|\b(?:and|but|so|ok|okay|also|please|then|und|aber|et|mais|y|pero|e|ma|mas)\s+)"
_DO = (
    r"(?:add|address|answer|ask|assume|avoid|begin|book|bring|call|change|check|choose|cite|convert|count|describe|"
    r"double-check|end|explain|finish|format|give|include|keep|leave|let|list|mention|offer|order|pick|plan|propose|put|"
    r"quote|recommend|remember|remind|reply|round|say|schedule|send|show|skip|speak|spell|start|state|suggest|tell|"
    r"treat|use|warn|wrap|write)"
)
_FORMS: tuple[tuple[str, str], ...] = (
    # an order: "Always use grams", "and never suggest coriander", "don't ever book"
    ("always never", rf"{_START}(?:please\s+)?(?:always|never)\s+(?:\w+ly\s+)?{_DO}\b|\bnever\s+again\b"),
    (
        "don't don’t do_not stop",
        (
            r"\b(?:do\s+not|don['’]t|stop)\s+(?:ever\s+)?(?:call(?:ing)?|us(?:e|ing)|giv(?:e|ing)|suggest(?:ing)?|"
            r"recommend(?:ing)?|mention(?:ing)?|offer(?:ing)?|ask(?:ing)?|send(?:ing)?|plan(?:ning)?|book(?:ing)?|"
            r"schedul(?:e|ing))\s+(?:me\s+(?!ideas)|my|any|us|things?|\w+ing\b)"
        ),
    ),
    # a request with a word for ever
    (
        "always never from_now_on future time whenever default",
        (
            r"\b(?:please|(?:can|could|would|will)\s+you|i(?:['’]d|\s+would)?\s+(?:like|want|need|prefer|ask)\s+you(?:\s+to)?)\b"
            r"[^.!?\n]{0,80}\b(?:always|never|from\s+now\s+on|in\s+(?:the\s+)?future|(?:every|each)\s+time|whenever|by\s+default)\b"
        ),
    ),
    ("please", r"\b(?:always|never|from\s+now\s+on|(?:every|each)\s+time|whenever)\b[^.!?\n]{0,60}\bplease\b"),
    (
        "from_now_on forward until for_everything in_all as_a wherever",
        (
            r"\bfrom\s+now\s+on\b|\bgoing\s+forward\b|\buntil\s+(?:i\s+say|further)\b|\bfor\s+everything\s+we\s+do\b|"
            r"\bin\s+all\s+(?:your|our)\s+\w+|\bas\s+a\s+(?:general\s+)?rule\b|\bwherever\s+possible\b"
        ),
    ),
    # how to write: "Use the 24 hour clock please", "please keep a tally"
    (
        "please",
        (
            rf"{_START}(?:please\s+)?(?:use|write|keep|show|give\s+me|answer|reply)\b[^.!?\n]{{0,50}}\bplease\b|"
            r"\bplease\s+(?:use|write|answer|reply|keep\s+(?:a|the|track|count|your|it|all|my))\b"
        ),
    ),
    # a condition: "when I ask about Edie, no bullet points"
    (
        "when_i whenever time_i if_i when_we if_we",
        (
            r"\b(?:when(?:ever)?|(?:every|each|any)\s*time|if)\s+(?:i|we)\s+(?:ask|mention|say|talk|tell|write|bring|want|send)\b"
            r"[^.!?\n]{0,60},?\s*(?:please|no\b|do\b|don['’]t|just|only|always|never|i\s+(?:just\s+)?(?:want|need|mean)|use|"
            r"give|tell|answer|add|keep|assume)"
        ),
    ),
    # how to speak to the user, and what the user prefers
    (
        "call_me address_me refer_to_me",
        (
            r"\b(?:call|address)\s+me\b(?!\s+(?:back|when|later|tomorrow|at|on|if|tonight|asap|crazy|mad|old))|"
            r"\brefer\s+to\s+me\s+as\b"
        ),
    ),
    (
        "keep",
        r"\bkeep\s+(?:your\s+|the\s+|all\s+)?(?:answers?|replies|messages|explanations|it)\s+(?:short|brief|simple|plain)",
    ),
    ("prefer rather", r"\bi(?:['’]d|\s+would)?\s+(?:much\s+)?(?:prefer\b|rather\s+(?:you|not|that|have)\b)"),
    ("only just", r"\b(?:only|just)\s+(?:ever\s+)?(?:suggest|recommend|offer|book)\b"),
    # German
    (
        "ab_jetzt ab_sofort zukunft künftig grundsätzlich weiteres",
        r"\b(?:ab\s+(?:jetzt|sofort)|in\s+zukunft|künftig|grundsätzlich|bis\s+auf\s+weiteres)\b",
    ),
    (
        "bitte",
        r"\bbitte\b[^.!?\n]{0,60}\b(?:immer|nie(?:mals)?|stets|jedes\s+mal)\b|\b(?:immer|nie(?:mals)?)\b[^.!?\n]{0,60}\bbitte\b",
    ),
    (
        "immer nie stets nicht_mehr kein",
        (
            rf"{_START}(?:gib|nenne?|schreibe?|antworte|rechne|benutze?|verwende?|zeige?|buche?|plane?|schlag|sag|sprich|nimm|mach|"
            r"frag|halte?)\b[^.!?\n]{0,60}\b(?:immer|nie(?:mals)?|stets|nicht\s+mehr|keine?n?)\b"
        ),
    ),
    (
        "wenn_ich sobald_ich",
        r"\b(?:wenn|sobald)\s+ich\b[^.!?\n]{0,60}\b(?:frage?|schreibe?|sage?|erwähne)\b[^.!?\n]{0,20},?\s*(?:bitte|dann|keine?|nur|nie|immer|gib|nimm|sag)",
    ),
    (
        "nenn mich dass_du lieber bevorzuge",
        r"\bnenne?\s+mich\b|\bduz\w*\s+mich\b|\bich\s+(?:möchte|will)[^.!?\n]{0,20}\bdass\s+du\b|\bich\s+(?:bevorzuge|mag\s+lieber|hätte\s+lieber)\b|\bmir\s+ist\s+lieber\b",
    ),
    # French, Spanish, Italian, Portuguese
    (
        "désormais dorénavant maintenant avenir",
        r"\b(?:désormais|dorénavant|à\s+partir\s+de\s+maintenant|à\s+l['’]avenir)\b",
    ),
    (
        "toujours jamais chaque_fois",
        (
            r"\b(?:s['’]il\s+(?:te|vous)\s+pla[iî]t|merci\s+de)\b[^.!?\n]{0,70}\b(?:toujours|jamais|chaque\s+fois)\b|"
            r"\b(?:toujours|jamais)\b[^.!?\n]{0,60}\bs['’]il\s+(?:te|vous)\s+pla[iî]t\b|"
            rf"{_START}(?:ne\s+(?:me\s+)?)?(?:donne|utilise|écri[st]|répond[st]?|propose|réserve|parle|suggère|appelle)z?\b[^.!?\n]{{0,50}}\b(?:toujours|jamais)\b"
        ),
    ),
    (
        "je_te je_vous préf appelle-moi appelez-moi aimerais",
        r"\b(?:quand|chaque\s+fois\s+que|si)\s+je\s+(?:te|vous)\s+(?:demande|parle|dis|écris)\b|\bappelle[z]?-moi\b|\bje\s+préf(?:ère|érerais)\b|\bj['’]aimerais\s+(?:mieux|que\s+tu)\b",
    ),
    (
        "adelante partir_de_ahora cada_vez",
        r"\bde\s+ahora\s+en\s+adelante\b|\ba\s+partir\s+de\s+ahora\b|\bcada\s+vez\s+que\s+(?:te\s+)?(?:pregunte|hable|diga|pida)\b",
    ),
    (
        "siempre nunca sempre mai",
        (
            r"\bpor\s+favor\b[^.!?\n]{0,70}\b(?:siempre|nunca|sempre)\b|\b(?:siempre|nunca|sempre)\b[^.!?\n]{0,60}\bpor\s+favor\b|"
            r"\bper\s+favore\b[^.!?\n]{0,70}\b(?:sempre|mai)\b|\b(?:sempre|mai)\b[^.!?\n]{0,60}\bper\s+favore\b|"
            rf"{_START}(?:siempre|nunca|sempre)\s+(?:me\s+)?(?:d[aeê]s?|us[ae]s?|escrev?i?[bv]?[ae]s?|respond[ae]s?|reserv[ae]s?|propon\w+|sug[ei]r\w+|recom\w+)\b|"
            rf"{_START}(?:non\s+)?(?:dame|usa(?:re)?|escribe|responde|reserva|propón|recomienda|dammi|scriv[ie](?:re)?|rispond[ie](?:re)?|prenota(?:re)?|propo\w+|consiglia(?:re)?|suggeri\w*)\b[^.!?\n]{{0,50}}\b(?:siempre|nunca|sempre|mai)\b"
        ),
    ),
    ("llámame prefiero preferiría", r"\b(?:llámame|prefiero|preferiría)\b"),
    (
        "d'ora d’ora adesso chiamami prefer",
        r"\bd['’]ora\s+in\s+(?:poi|avanti)\b|\bda\s+adesso\s+in\s+poi\b|\b(?:chiamami|preferisco|preferirei)\b",
    ),
    (
        "agora daqui chame chama-me prefir preferia",
        r"\bde\s+agora\s+em\s+diante\b|\ba\s+partir\s+de\s+agora\b|\bdaqui\s+(?:para|pra)\s+(?:a\s+)?frente\b|\bme\s+chame\b|\bchama-me\b|\bprefiro\b|\bpreferia\b",
    ),
    # Russian, Chinese, Japanese, Arabic
    ("отныне впредь с_этого", r"\b(?:отныне|впредь|с\s+этого\s+момента)\b"),
    (
        "всегда никогда",
        r"\bпожалуйста\b[^.!?\n]{0,70}\b(?:всегда|никогда)\b|\b(?:всегда|никогда)\b[^.!?\n]{0,60}\bпожалуйста\b|\b(?:всегда|никогда\s+не)\s+\w+(?:й|йте|ьте|и|ите)\b",
    ),
    ("зови предпочитаю", r"\bзовит?е?\s+меня\b|\bя\s+предпочитаю\b"),
    (
        "以后 从 请 每次 我",
        r"以后(?:都|请|不要|别|一律)|从现在(?:开始|起)|从今以后|请(?:始终|总是|一直|永远|不要再|别再)|每次.{0,15}(?:请|都要|不要)|请?(?:叫|称呼)我|我(?:更)?(?:喜欢|希望)你",
    ),
    (
        "これから 今後 いつも 必ず 常に 毎回 絶対 呼んで",
        r"これからは|今後は|(?:いつも|必ず|常に|毎回|絶対に?).{0,30}(?:ください|下さい|してね|しないで|お願い)|と呼んで",
    ),
    (
        "من_الآن دائم أبد نادني",
        r"من\s+الآن\s+فصاعد|دائم.{0,40}(?:من\s+فضلك)|(?:من\s+فضلك|أرجوك|أعطني|استخدم|اكتب).{0,60}(?:دائم|أبد)|لا\s+ت\w+.{0,40}أبد|نادني",
    ),
)
"""Words of which one is in every match, "_" for a space, and the form. A form is only looked for if it has a word."""
_WISHES = tuple(
    (tuple(word.replace("_", " ") for word in words.split()), lazy_pattern(form, re.IGNORECASE))
    for words, form in _FORMS
)


def is_lasting_wish(text: str) -> bool:
    """Whether the user asks for something that is to hold for later answers, too, or says what they prefer."""
    folded = " ".join(text.casefold().split()) if "\n" in text or "  " in text else text.casefold()
    return any(any(word in folded for word in words) and form.search(text) is not None for words, form in _WISHES)
