"""How much of the evidence for questions about chats is in a context of a given size, by type of question.

A turn counts as found when at least half of its characters are shown. A passage costs its line, "role: text", and the
first one of a session the line with its date. What does not fit is passed over.
"""

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

import msgspec

from uac import Hit, Memory, Observation, open_store
from uac.recall import CHANNELS, Channel, Filter, QuestionOptions, RecallKind, SearchSettings
from uac.text import count_tokens
from uac_bench.chats.chat import Chat, ChatQuestion, ChatTurn
from uac_bench.measure import embed_passages
from uac_bench.recall_turns import COMMON
from uac_bench.scorers import evidence_share

__all__ = [
    "ABLATIONS",
    "CHANNEL_ABLATIONS",
    "CHAT_SCHEMES",
    "ONE",
    "SEARCH_IDEAS",
    "SEVERAL",
    "ChatOutcome",
    "ChatPiece",
    "asked_after",
    "chat_evidence_share",
    "fill_chat_context",
    "measure_chat",
    "word_spans",
]

PASSAGE_WORDS = 80  # of a passage of the plain index
TURNS_ONLY: tuple[RecallKind, ...] = ("observation",)
FTS5 = "FTS5 over user passages"


class ChatPiece(NamedTuple):
    """A part of a turn that may be shown."""

    place: int
    start: int
    stop: int


class ChatOutcome(msgspec.Struct, frozen=True):
    """How one question fared."""

    chat: str
    scheme: str
    type: str
    budget: int
    share: float
    tokens: int


class ChatShown(NamedTuple):
    """How many characters of each turn are shown, and what the context costs."""

    characters: Mapping[int, int]
    tokens: int


def measure_chat(chat: Chat, budgets: Sequence[int], schemes: Sequence[str] = ()) -> list[ChatOutcome]:
    """All questions, each asked when its turns had been said; the chat grows in between."""
    chosen = {name: (CHAT_SCHEMES | ABLATIONS | CHANNEL_ABLATIONS)[name] for name in schemes or CHAT_SCHEMES}
    found: list[ChatOutcome] = []
    asked = sorted((each for each in chat.questions if each.evidence), key=lambda question: asked_after(question, chat))
    with closing(open_store("memory:")) as store, closing(sqlite3.connect(":memory:")) as plain:
        memory = ChatMemory(chat, Memory(store.log("user"), packs=()), plain)
        for question in asked:
            memory.append_until(asked_after(question, chat))
            for name, scheme in chosen.items():
                for budget in budgets:
                    shown = scheme(memory, question, budget)
                    share = chat_evidence_share(chat, question, shown.characters)
                    found.append(ChatOutcome(chat.name, name, question.type, budget, share, shown.tokens))
    return found


class ChatMemory:
    """A chat as far as it was said: as a memory, and as a plain full-text index."""

    def __init__(self, chat: Chat, memory: Memory, plain: sqlite3.Connection) -> None:
        self.chat, self.memory, self.plain = chat, memory, plain
        self.places: dict[int, int] = {}
        plain.execute("CREATE TABLE pieces (place, start, stop)")
        plain.execute("CREATE VIRTUAL TABLE words USING fts5 (text, tokenize='porter unicode61')")

    def append_until(self, count: int) -> None:
        done = len(self.places)
        turns = self.chat.turns[done:count]
        if not turns:
            return
        positions = self.memory.log.append(
            [Observation(text=turn.text, said=turn.said, role=turn.role, session=turn.session) for turn in turns]
        )
        embed_passages(self.memory)
        self.places |= {position: done + number for number, position in enumerate(positions)}
        for number, turn in enumerate(turns):
            for start, stop in word_spans(turn.text) if turn.role == "user" else ():
                self.plain.execute("INSERT INTO pieces VALUES (?, ?, ?)", (done + number, start, stop))
                self.plain.execute("INSERT INTO words VALUES (?)", (turn.text[start:stop],))

    def piece(self, hit: Hit) -> ChatPiece:
        return ChatPiece(self.places[hit.position], hit.start, hit.stop)


def _recall_one(memory: ChatMemory, question: ChatQuestion, budget: int) -> ChatShown:
    return _recalled(memory, question, budget, ())


def _recall_several(memory: ChatMemory, question: ChatQuestion, budget: int) -> ChatShown:
    return _recalled(memory, question, budget, question.queries)


def _recalled(memory: ChatMemory, question: ChatQuestion, budget: int, queries: Sequence[str]) -> ChatShown:
    hits = memory.memory.recall(
        question.text, tokens=budget, kinds=TURNS_ONLY, queries=queries, within=question.session
    ).hits
    return _shown(memory, hits, budget)


def _shown(memory: ChatMemory, hits: Sequence[Hit], budget: int) -> ChatShown:
    best = sorted(hits, key=lambda hit: -hit.score)
    return fill_chat_context(memory.chat, map(memory.piece, best), budget)


def _context_one(memory: ChatMemory, question: ChatQuestion, budget: int) -> ChatShown:
    """The context as an agent gets it, with its own count of tokens for everything in it."""
    context = memory.memory.context(question.text, tokens=budget, within=question.session)
    characters: dict[int, int] = {}
    for part in context.parts:
        if part.kind == "turn":
            place = memory.places[int(part.source.removeprefix("entry "))]
            shown = _QUOTED.search(_ANNOTATION.sub("", part.text))  # without the dates that were not said
            characters[place] = characters.get(place, 0) + (len(json.loads(shown[0])) if shown else 0)
    return ChatShown(characters, context.tokens)


_ANNOTATION = re.compile(r" \[= [^\]]*\]")
_QUOTED = re.compile(r'".*"')


def _plain_fts5(memory: ChatMemory, question: ChatQuestion, budget: int) -> ChatShown:
    words = dict.fromkeys(re.findall(r"[^\W_]+", question.text.casefold()))
    query = " OR ".join(f'"{word}"' for word in [word for word in words if word not in COMMON] or words)
    best = (
        "SELECT place, start, stop FROM words JOIN pieces ON pieces.rowid = words.rowid"
        " WHERE words MATCH ? ORDER BY rank, place"
    )
    return fill_chat_context(memory.chat, (ChatPiece(*row) for row in memory.plain.execute(best, (query,))), budget)


Scheme = Callable[[ChatMemory, ChatQuestion, int], ChatShown]
ONE, SEVERAL, CONTEXT = "recall", "recall, several queries", "context"
CHAT_SCHEMES: dict[str, Scheme] = {
    ONE: _recall_one,
    SEVERAL: _recall_several,
    CONTEXT: _context_one,
    FTS5: _plain_fts5,
}


SEARCH_IDEAS: Mapping[str, SearchSettings] = {
    '"you" is not the assistant': SearchSettings(addressed=False),
    "outline": SearchSettings(outlines=False),
    "weaker matches are shortened": SearchSettings(short_tail=False),
    "vectors that know this memory": SearchSettings(memory_vectors=False),
    "the running conversation": SearchSettings(thread=False),
    "asides count little": SearchSettings(asides=False),
    "what the best turns are about": SearchSettings(best_turns=False),
    "the assistant's answers": SearchSettings(answers=False),
    "times of what is unrelated fade": SearchSettings(fading_times=False),
}
"""What a search does without each idea."""


def _recall_without(settings: SearchSettings) -> Scheme:
    def recall(memory: ChatMemory, question: ChatQuestion, budget: int) -> ChatShown:
        found = memory.memory.recall_index().find(
            question.text,
            Filter(kinds=TURNS_ONLY),
            tokens=budget,
            options=QuestionOptions(within=question.session),
            settings=settings,
        )
        return _shown(memory, found.hits, budget)

    return recall


ABLATIONS: dict[str, Scheme] = {f"without {idea}": _recall_without(each) for idea, each in SEARCH_IDEAS.items()}


def _recall_without_channel(channel: Channel) -> Scheme:
    def recall(memory: ChatMemory, question: ChatQuestion, budget: int) -> ChatShown:
        found = memory.memory.recall(
            question.text, tokens=budget, kinds=TURNS_ONLY, within=question.session, without=(channel,)
        )
        return _shown(memory, found.hits, budget)

    return recall


CHANNEL_ABLATIONS: dict[str, Scheme] = {
    f"without channel {channel}": _recall_without_channel(channel) for channel in CHANNELS
}


def fill_chat_context(chat: Chat, pieces: Iterable[ChatPiece], budget: int) -> ChatShown:
    """The context that the pieces make, best first, within the budget."""
    dated: set[str] = set()
    shown: dict[int, int] = {}
    spent = 0
    for place, start, stop in pieces:
        turn = chat.turns[place]
        price = count_tokens(f"{turn.role}: {turn.text[start:stop]}")
        price += 0 if turn.session in dated else count_tokens(_chat_heading(turn))
        if spent + price <= budget:
            shown[place] = shown.get(place, 0) + stop - start
            dated.add(turn.session)
            spent += price
    return ChatShown(shown, spent)


def chat_evidence_share(chat: Chat, question: ChatQuestion, characters: Mapping[int, int]) -> float:
    return evidence_share(question.evidence, lambda place: 2 * characters.get(place, 0) >= len(chat.turns[place].text))


def asked_after(question: ChatQuestion, chat: Chat) -> int:
    return len(chat.turns) if question.asked_after is None else question.asked_after


def _chat_heading(turn: ChatTurn) -> str:
    return f"[{turn.said.date().isoformat()}]"


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of a turn, cut at spaces."""
    words = text.split(" ")
    start = 0
    for number in range(0, len(words), PASSAGE_WORDS):
        stop = min(start + len(" ".join(words[number : number + PASSAGE_WORDS])), len(text))
        if stop > start:
            yield start, stop
        start = stop + 1
