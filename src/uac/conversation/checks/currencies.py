"""Currencies in a text, as people write them."""

import re

from uac.text.lazy_pattern import lazy_pattern

__all__ = ["currencies_in", "is_currency"]


def currencies_in(text: str) -> set[str]:
    if _ANY.search(text) is None:
        return set()
    return {
        code
        for code, words in _CURRENCIES.items()
        if any(not _DENIED.search(text[max(0, found.start() - 16) : found.start()]) for found in words.finditer(text))
    }


_DENIED = lazy_pattern(r"\b(?:no|not|nicht|keine?|pas|non|não|niet|geen|nie)(?: (?:in|en|des|em|w))? $", re.IGNORECASE)


def is_currency(name: str) -> bool:
    """Whether it is a currency's code; whether the words state that currency is checked apart from names."""
    return name in _CURRENCIES


_CURRENCIES = {
    code: lazy_pattern(words)
    for code, words in {
        "$": r"(?<![A-Z])\$(?! ?US)",
        "USD": (
            r"\bUSD\b|US ?\$|(?<![A-Z])\$|(?<!Canadian )(?<!Australian )\b[Dd][oó]l+are?s?\b(?! (?:canad|austral))"
            r"|\bbucks?\b|\bdolar(?:y|ów|a)\b"
        ),
        "EUR": r"\bEUR\b|€|\b[Ee]uros?\b|欧元|ユーロ",
        "GBP": r"\bGBP\b|£|\bquid\b|\bpounds? sterling\b|\bpounds?\b|\b[Ss]terlin[ae]\b|\b[Ll]ibras esterlinas\b"
        "|\bfunt(?:y|ów|a)\b",
        "JPY": r"\bJPY\b|\by[ei]n(?:es|i|ów)?\b|日元|円",
        "CNY": r"\bCNY\b|\bRMB\b|\byuan\b|人民币|元|块",
        "CHF": r"\bCHF\b|\b[Ff]rancs?\b|\b[Ff]ranken\b|\b[Ff]ranc(?:hi|os)\b|\b[Ff]rank(?:i|ów|a)\b",
        "PLN": r"\bPLN\b|\bz[łl]\b|\bz[łl]ot(?:y|e|ych|ówek|ówki)\b",
        "BRL": r"\bBRL\b|R\$|\breais\b|\breal\b(?= brasileir)",
        "MXN": r"\bMXN\b|\bpesos mexicanos\b|MX\$|\bMexican pesos\b",
        "ARS": r"\bARS\b|\bpesos argentinos\b",
        "COP": r"\bCOP\b|\bpesos colombianos\b",
        "CLP": r"\bCLP\b|\bpesos chilenos\b",
        "CAD": r"\bCAD\b|C\$|CA\$|\bCanadian dollars?\b|\b[Dd][oó]l+are?s? canad\w+|\bkanadische\w? Dollar\b",
        "AUD": r"\bAUD\b|A\$|AU\$|\bAustralian dollars?\b|\b[Dd][oó]l+are?s? austral\w+|\baustralische\w? Dollar\b",
        "NZD": r"\bNZD\b|NZ\$",
        "SEK": r"\bSEK\b|\bSwedish (?:kronor|crowns)\b|\bkronor\b",
        "NOK": r"\bNOK\b|\bNorwegian (?:kroner|crowns)\b",
        "DKK": r"\bDKK\b|\bDanish (?:kroner|crowns)\b",
        "CZK": r"\bCZK\b|\bKč\b|\bkorun\b|\bCzech (?:koruna|crowns)\b",
        "HUF": r"\bHUF\b|\b[Ff]orints?\b",
        "TRY": r"\bTRY\b|₺|\b(?:Turkish )?lira\b",
        "THB": r"\bTHB\b|\bbaht\b",
        "KRW": r"\bKRW\b|₩|\bwon\b(?= ?(?:notes|per|each))",
        "INR": r"\bINR\b|₹|\brupees?\b",
    }.items()
}
"""How people write currencies. A bare $ may be that of many countries, and pounds may be weight."""

_ANY = lazy_pattern("|".join(f"(?:{words.pattern})" for words in _CURRENCIES.values()))
