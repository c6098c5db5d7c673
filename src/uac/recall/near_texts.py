"""Texts that say the same in other words."""

from uac.text.search_terms import terms_of

__all__ = ["NearTexts"]

MIN_COMMON = 0.8  # share of common words of two texts that say the same
NEGATIONS = frozenset(
    "not no never n't nor without nicht kein nie pas jamais no nunca non mai não не нет 不 没".split()
)


class NearTexts:
    """Tells whether a text says something that none before it said. One word may be a "not", one number another."""

    def __init__(self) -> None:
        self._known: list[tuple[frozenset[str], frozenset[str]]] = []

    def add(self, text: str) -> bool:
        """Whether the text is new."""
        words = frozenset(terms_of(text))
        exact = frozenset(word for word in words if word in NEGATIONS or any(map(str.isdigit, word)))
        if any(exact == others and _are_near(words, other) for other, others in self._known):
            return False
        self._known.append((words, exact))
        return True


def _are_near(words: frozenset[str], others: frozenset[str]) -> bool:
    return len(words & others) >= MIN_COMMON * len(words | others)
