"""The schemes that `uac-bench recall` compares with. All rank by the cosine of the same vectors, and pay alike.

*chunks*: 300 words of a session, 75 of them shared with the next chunk; as published, the best ten and the best twenty
facts are shown. *turns ± 3*: the best thirty turns, each with three turns before and after it in its session.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from uac import Embedder
from uac.text import count_tokens
from uac_bench.locomo import Conversation, Piece, Shown, fill_locomo_context, turn_piece

if TYPE_CHECKING:
    from uac.log import Vectors

__all__ = ["PUBLISHED", "Scheme", "conversation_chunks", "dense_schemes"]

Scheme = Callable[[str, int], Shown]
"""The context for a question within a token budget."""

PUBLISHED = "as published"
"""The end of the names of schemes that take no budget: they show as much as their authors do."""

WORDS, OVERLAP = 300, 75
TOP_CHUNKS, TOP_FACTS = 10, 20
TOP_TURNS, AROUND = 30, 3


def dense_schemes(conversation: Conversation, embedder: Embedder) -> dict[str, Scheme]:
    """The schemes by name, over one conversation.

    Chunks of a session follow its date; a turn counts if most of its words are in the chunk. A fact costs its own
    words and counts for the turns it was taken from, though it does not hold their words: generous to that scheme.
    """
    turns = conversation.turns
    headers = conversation.header_tokens()
    pieces = [turn_piece(place, turn) for place, turn in enumerate(turns)]
    near = _neighbouring_turns(conversation)
    chunks = conversation_chunks(conversation)
    facts = [Piece(note.turns, 0, count_tokens(note.text)) for note in conversation.notes]
    by_turn = _cosine_ranking(embedder, [turn.context_line for turn in turns])
    by_chunk = _cosine_ranking(embedder, [text for text, _piece in chunks])
    by_fact = _cosine_ranking(embedder, [note.text for note in conversation.notes])

    def best_chunks(question: str, most: int | None = None) -> list[Piece]:
        return [chunks[place][1] for place in by_chunk(question)[:most]]

    def best_facts(question: str) -> list[Piece]:
        return [facts[place] for place in by_fact(question)[:TOP_FACTS]]

    @cache  # each question is asked once for each budget
    def around(question: str, most: int | None = None) -> list[Piece]:
        found = dict.fromkeys(other for place in by_turn(question)[:most] for other in near[place])
        return [pieces[place] for place in found]

    def filled(ranked: Callable[[str], Iterable[Piece]]) -> Scheme:
        return lambda question, tokens: fill_locomo_context(ranked(question), headers, tokens)

    def unbounded(ranked: Callable[[str], Iterable[Piece]]) -> Scheme:
        return lambda question, _tokens: fill_locomo_context(ranked(question), headers, None)

    found: dict[str, Scheme] = {
        "chunks": filled(best_chunks),
        f"10 chunks, {PUBLISHED}": unbounded(lambda question: best_chunks(question, TOP_CHUNKS)),
    }
    if facts:
        found["chunks and 20 facts"] = filled(lambda question: [*best_facts(question), *best_chunks(question)])
        found[f"10 chunks and 20 facts, {PUBLISHED}"] = unbounded(
            lambda question: [*best_facts(question), *best_chunks(question, TOP_CHUNKS)]
        )
    found["30 turns ± 3"] = filled(lambda question: around(question, TOP_TURNS))
    found["turns ± 3"] = filled(around)
    found["turns"] = filled(lambda question: [pieces[place] for place in by_turn(question)])
    return found


def conversation_chunks(conversation: Conversation) -> list[tuple[str, Piece]]:
    """The chunks with their dates, as they are embedded, and as they are paid for."""
    found: list[tuple[str, Piece]] = []
    for session, header in conversation.headers.items():
        spoken = [
            (word, place)
            for place, turn in enumerate(conversation.turns)
            if turn.session == session
            for word in turn.context_line.split()
        ]
        for start in range(0, max(len(spoken) - OVERLAP, 1), WORDS - OVERLAP):
            part = spoken[start : start + WORDS]
            if part:
                text = " ".join(word for word, _place in part)
                piece = Piece(_turns_in_chunk(part, conversation), session, count_tokens(text))
                found.append((f"{header}\n{text}", piece))
    return found


def _turns_in_chunk(part: Sequence[tuple[str, int]], conversation: Conversation) -> tuple[int, ...]:
    """The turns that have at least half of their words here."""
    places = [place for _word, place in part]
    return tuple(
        place
        for place in sorted(set(places))
        if 2 * places.count(place) >= len(conversation.turns[place].context_line.split())
    )


def _neighbouring_turns(conversation: Conversation) -> list[list[int]]:
    """For each turn, itself and the turns around it in its session, the nearest first."""
    turns = conversation.turns
    steps = [0, *(step for far in range(1, AROUND + 1) for step in (-far, far))]
    return [
        [
            place + step
            for step in steps
            if 0 <= place + step < len(turns) and turns[place + step].session == turn.session
        ]
        for place, turn in enumerate(turns)
    ]


def _cosine_ranking(embedder: Embedder, texts: Sequence[str]) -> Callable[[str], Sequence[int]]:
    """The places of the texts by their cosine with a question; equal ones in their order."""
    vectors = embedder.embed(texts)

    @cache
    def ranked(question: str) -> Sequence[int]:
        similar: Vectors = vectors @ embedder.embed([question], query=True)[0]
        places: list[int] = (-similar).argsort(kind="stable").tolist()
        return places

    return ranked
