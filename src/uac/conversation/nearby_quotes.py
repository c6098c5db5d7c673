"""Completes the quotes of a fact: a date often stands one sentence before, and a name in the question it answers.

A careful reader understands a sentence from its surroundings, and quotes too few words. Instead of asking again, code
looks for the sentences nearby that state what the quotes leave out, and cites them: a fact is still supported by quoted
words only, and an assistant's words still lower its authority. Documents and tool output must be quoted on purpose.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from uac.conversation.checks.wording import content_stems, is_worded_as_agreement
from uac.conversation.windows import WindowTurn
from uac.schema.entries import Citation
from uac.text.lazy_pattern import lazy_pattern
from uac.text.memory_block import own_words
from uac.text.sentences import INNER_STOP

__all__ = ["with_nearby_quotes"]

REACH = 2  # turns before and after the quoted one whose sentences are near
MAX_SENTENCES = 40  # that are tried for one fact
MAX_SENTENCE_CHARACTERS = 300


def with_nearby_quotes(
    text: str,
    cites: Sequence[Citation],
    turns: Mapping[int, WindowTurn],
    problems_of: Callable[[Sequence[Citation]], Sequence[str]],
) -> tuple[Citation, ...]:
    """The citations, and those sentences nearby with which fewer problems remain. If some are added, a person's words
    that have nothing of the fact and are not needed are left out: they were quoted by mistake."""
    given = cites = tuple(cites)
    problems = len(problems_of(cites))
    for tried, sentence in enumerate(_nearby_sentences(text, cites, turns)):
        if not problems or tried == MAX_SENTENCES:
            break
        left = len(problems_of((*cites, sentence)))
        if left < problems:
            cites, problems = (*cites, sentence), left
    if cites == given or problems:
        return cites
    for cite in reversed(cites):
        others = tuple(other for other in cites if other != cite)
        is_of_person = turns[cite.position].observation.role in ("user", "person")
        is_foreign = not content_stems(text) & content_stems(cite.quote) and not is_worded_as_agreement(cite.quote)
        if others and is_of_person and is_foreign and not problems_of(others):
            cites = others
    return cites


def _nearby_sentences(text: str, cites: Sequence[Citation], turns: Mapping[int, WindowTurn]) -> Iterator[Citation]:
    """The sentences of the quoted turns, then of those around them, then others of the user's that share a word."""
    quoted = [cite.position for cite in cites]
    order = sorted(turns)
    at = [order.index(position) for position in quoted]
    mine = content_stems(text)
    missing = mine - content_stems(" ".join(cite.quote for cite in cites))

    def distance(position: int) -> int:
        return min(abs(order.index(position) - place) for place in at)

    spoken = [position for position in order if turns[position].observation.role in ("user", "person", "assistant")]
    by_distance = sorted(
        spoken,
        key=lambda position: (distance(position), turns[position].observation.role == "assistant", position),
    )
    for position in by_distance:
        is_near, is_assistant = distance(position) <= REACH, turns[position].observation.role == "assistant"
        for sentence in _sentences(turns[position]):
            stems = content_stems(sentence)
            # An assistant's sentence is cited only for a word that is missing: a name, a thing.
            may_help = (is_near and missing & stems) if is_assistant else (is_near or mine & stems)
            if may_help:
                yield Citation(position=position, quote=sentence)


def _sentences(turn: WindowTurn) -> Iterator[str]:
    text = turn.observation.text
    for start, end in own_words(text):
        for match in _SENTENCE.finditer(text[max(start, turn.start) : min(end, turn.end)]):
            if sentence := match.group().strip()[:MAX_SENTENCE_CHARACTERS]:
                yield sentence


_SENTENCE = lazy_pattern(rf"(?:[^.!?;\n。！？；]|[.!?;](?!\s|$)|{INNER_STOP})+[.!?;。！？；]*")
