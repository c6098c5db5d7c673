"""Contestants that need nothing but this package: ours with parts switched off, and schemes of others, rebuilt."""

import re
import sqlite3
from collections.abc import Collection, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from uac import Embedder, Memory, Observation, open_store
from uac.models import chosen_embedder
from uac.recall import CHANNELS, Channel, RecallKind
from uac_bench.harness import OURS
from uac_bench.recall_turns import COMMON
from uac_bench.systems import Contestant, NotInstalled, StoredText

if TYPE_CHECKING:
    from uac.log import Vectors

__all__ = ["bench_embedder", "our_ablations", "our_recall", "rebuilt_contestants"]

CHUNK_WORDS, CHUNK_OVERLAP = 300, 75
BATCH = 5000
TURNS_ONLY: tuple[RecallKind, ...] = ("observation",)


def rebuilt_contestants() -> list[Contestant]:
    """Ours, and those of others that are simple enough to rebuild in full."""
    return [
        our_recall(),
        Contestant("BM25 (SQLite FTS5)", "One row for each text, words without the commonest.", FullText),
        Contestant("BM25, the user's words", "The same without what the assistant said.", partial(FullText, ("user",))),
        Contestant("vectors", "The cosine with each text, all compared.", Vectorised),
        Contestant(
            "the paper's archive",
            "Chunks of 300 words that share 75, by cosine, as its paper describes; its facts and its typed state need a"
            " model and are not in it.",
            ChunkArchive,
        ),
        Contestant("newest first", "Full context that is cut at the budget: the newest texts that fit.", NewestFirst),
    ]


def our_recall() -> Contestant:
    return Contestant(OURS, "Recall over the log, all channels.", OurRecall, "user-as-code", is_ours=True)


def our_ablations() -> list[Contestant]:
    """Ours without each channel of recall."""
    return [
        Contestant(f"without {channel}", f"Recall without {channel}.", partial(OurRecall, (channel,)), is_ours=True)
        for channel in CHANNELS
    ]


def bench_embedder() -> Embedder:
    """The embedder that all contestants get."""
    embedder = chosen_embedder()
    if embedder is None:
        raise NotInstalled("no embedder is configured: set UAC_EMBEDDER")
    return embedder


class OurRecall:
    """Recall, with some channels switched off."""

    def __init__(self, without: Collection[Channel] = ()) -> None:
        self._without = without
        self._store = open_store("memory:")
        self._memory = Memory(self._store.log("user"), packs=())
        self._places: dict[int, int] = {}

    def add(self, texts: Sequence[StoredText]) -> None:
        positions = self._memory.log.append(
            [
                Observation(
                    text=each.text,
                    said=each.said,
                    role="assistant" if each.role == "assistant" else "user",
                    session=each.session,
                )
                for each in texts
            ]
        )
        self._places |= {position: len(self._places) + number for number, position in enumerate(positions)}

    def search(self, question: str, most: int) -> Sequence[int]:
        found = self._memory.recall(question, k=most, kinds=TURNS_ONLY, without=self._without)
        return list(dict.fromkeys(self._places[hit.position] for hit in found.hits))

    def close(self) -> None:
        self._memory.close()
        self._store.close()


class FullText:
    """BM25 of a plain full-text index, of what some roles said."""

    def __init__(self, roles: Collection[str] = ("user", "assistant")) -> None:
        self._roles = roles
        self._count = 0
        self._index = sqlite3.connect(":memory:")
        self._index.execute("CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize='porter unicode61')")

    def add(self, texts: Sequence[StoredText]) -> None:
        places = range(self._count + 1, self._count + len(texts) + 1)
        rows = [(place, each.text) for place, each in zip(places, texts, strict=True) if each.role in self._roles]
        self._index.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", rows)
        self._count += len(texts)

    def search(self, question: str, most: int) -> Sequence[int]:
        words = dict.fromkeys(re.findall(r"[^\W_]+", question.casefold()))
        query = " OR ".join(f'"{word}"' for word in [word for word in words if word not in COMMON] or words)
        best = "SELECT rowid - 1 FROM texts WHERE texts MATCH ? ORDER BY rank, rowid LIMIT ?"
        with closing(self._index.execute(best, (query, most))) as rows:
            return [place for (place,) in rows]

    def close(self) -> None:
        self._index.close()


class Vectorised:
    """The cosine of the question with every text."""

    def __init__(self) -> None:
        self._embedder = bench_embedder()
        self._vectors: list[Vectors] = []

    def add(self, texts: Sequence[StoredText]) -> None:
        for start in range(0, len(texts), BATCH):
            self._vectors.append(self._embedder.embed([each.text for each in texts[start : start + BATCH]]))

    def search(self, question: str, most: int) -> Sequence[int]:
        import numpy as np

        asked = self._embedder.embed([question], query=True)[0]
        similar: Vectors = np.concatenate([vectors @ asked for vectors in self._vectors])
        places: list[int] = (-similar).argsort(kind="stable")[:most].tolist()
        return places

    def close(self) -> None:
        self._vectors.clear()


class ChunkArchive(Vectorised):
    """Chunks of 300 words of a session; a chunk stands for all texts that have words in it."""

    def __init__(self) -> None:
        super().__init__()
        self._starts: list[tuple[int, ...]] = []
        self._count = 0

    def add(self, texts: Sequence[StoredText]) -> None:
        chunks: list[StoredText] = []
        words: list[tuple[str, int]] = []
        for number, each in enumerate(texts):
            words += [(word, self._count + number) for word in each.text.split()]
            is_last = number + 1 == len(texts) or texts[number + 1].session != each.session
            while len(words) >= CHUNK_WORDS or (is_last and words):
                part = words[:CHUNK_WORDS]
                chunks.append(StoredText(" ".join(word for word, _place in part), each.said))
                self._starts.append(tuple(dict.fromkeys(place for _word, place in part)))
                words = words[CHUNK_WORDS - CHUNK_OVERLAP :] if len(words) > CHUNK_WORDS else []
        self._count += len(texts)
        super().add(chunks)

    def search(self, question: str, most: int) -> Sequence[int]:
        best = super().search(question, most)
        return list(dict.fromkeys(place for chunk in best for place in self._starts[chunk]))


class NewestFirst:
    """No search at all: the newest texts."""

    def __init__(self) -> None:
        self._count = 0

    def add(self, texts: Sequence[StoredText]) -> None:
        self._count += len(texts)

    def search(self, question: str, most: int) -> Sequence[int]:
        del question
        return range(self._count - 1, max(self._count - most, 0) - 1, -1)

    def close(self) -> None:
        self._count = 0
