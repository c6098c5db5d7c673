"""Currencies in a text, as people write them."""

import re
from collections.abc import Sequence

__all__ = ["currencies_in", "is_stated_currency"]


def currencies_in(text: str) -> set[str]:
    return {code for code, words in _CURRENCIES.items() if words.search(text)}


def is_stated_currency(name: str, texts: Sequence[str]) -> bool:
    return name in _CURRENCIES and _CURRENCIES[name].search(" ".join(texts)) is not None


_CURRENCIES = {
    code: re.compile(words)
    for code, words in {
        "$": r"(?<![A-Z])\$(?! ?US)",
        "USD": r"\bUSD\b|US ?\$|\$|\b[Dd][oó]l+are?s?\b|\bbucks?\b",
        "EUR": r"\bEUR\b|€|\b[Ee]uros?\b|欧元|ユーロ",
        "GBP": r"\bGBP\b|£|\bquid\b|\bpounds? sterling\b|\bpounds?\b",
        "JPY": r"\bJPY\b|\byen\b|日元|円",
        "CNY": r"\bCNY\b|\bRMB\b|\byuan\b|人民币",
        "CHF": r"\bCHF\b|\b[Ff]rancs?\b|\bFranken\b",
        "INR": r"\bINR\b|₹|\brupees?\b",
    }.items()
}
"""How people write currencies. A bare $ may be that of many countries, and pounds may be weight."""
