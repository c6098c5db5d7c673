"""Where the sentences of a text are: a full stop inside a number, an abbreviation or a day ends none."""

from collections.abc import Iterator

from uac.text.lazy_pattern import lazy_pattern

__all__ = ["INNER_STOP", "sentence_spans"]

INNER_STOP = (
    r"\.(?:(?=[^\W_A-Z])"  # 27.5, example.com
    r"|(?=[^\S\n])(?:(?<=\b[^\W\d_]\.)"  # z. B., J. Smith
    r"|(?<=\b(?i:dr|mr|ms|st|hr|fr|sr|jr|vs|ca|nr)\.)"
    r"|(?<=\b(?i:mrs|sra|dra|bzw|sig)\.)"
    r"|(?<=\b(?i:prof|inkl|evtl|dott)\.)"
    r"|(?<=\b[Nn]o\.)(?=\s\d)"
    r"|(?:(?<=\b\d\.)|(?<=\b\d\d\.))"  # am 27. um halb vier, 15. Januar
    r"(?=\s+(?:[^\W\d_A-ZÄÖÜ]|Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez))))"
)
"""A pattern for a full stop that ends no sentence. One that may do both counts as part of the word: a sentence that is
too long says nothing false, and one that is cut may."""


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence starts and stops, with its punctuation and without the white space behind it."""
    for found in _SENTENCE.finditer(text):
        yield found.start(), found.start() + len(found[0].rstrip())


_SENTENCE = lazy_pattern(rf"(?:[^.!?。！？؟\n]+|{INNER_STOP})+[.!?。！？؟\n]*[\"'”’)\]]*\s*")
