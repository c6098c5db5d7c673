"""What recall costs: indexing, the index on disk and in memory, the first answer of a new process, and each answer.

Each contestant runs in processes of its own, on the same made-up conversation, with the same questions.
"""

import importlib.util
import os
import random
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import accumulate, count, islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec

from uac import Embedder, Memory, Observation, open_store
from uac.interfaces.cli import Output
from uac.models import chosen_embedder
from uac_bench.measure import machine_description, peak_memory_growth, percentile_95, run_in_process, time_call

if TYPE_CHECKING:
    from uac.log import Vectors

__all__ = ["SIZES", "Cost", "Speed", "endless_talk", "measure_recall_speed", "print_speed", "search_queries"]

SIZES = (1000, 10_000, 100_000)
USER = "ana"
SHOWN = 20  # hits of each answer
BATCH = 5000
ROUNDS, FEW_ROUNDS, MANY_TURNS = 200, 50, 500_000


class Built(msgspec.Struct, frozen=True):
    """What indexing took. `size` are the bytes on disk that the index adds."""

    seconds: float
    size: int
    text: int


class Asked(msgspec.Struct, frozen=True):
    """What questions took in a new process: the time until the first answer, each of the others, and the memory."""

    first: float
    seconds: tuple[float, ...]
    memory: int


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """One contestant on one conversation: seconds, bytes, and turns per second."""

    name: str
    turns: int
    questions: int
    rate: float
    size: int
    text: int
    first: float
    p50: float
    p95: float
    memory: int


class Speed(msgspec.Struct, frozen=True):
    """What was measured, and how."""

    costs: tuple[Cost, ...]
    notes: tuple[str, ...]


def measure_recall_speed(sizes: Sequence[int], *, peers: bool, note: Callable[[str], None]) -> Speed:
    """Every contestant on conversations of each size."""
    contestants = dict(CONTESTANTS)
    notes = [HOW]
    if chosen_embedder() is None:
        del contestants[BRUTE]
        notes.append("No embedder is installed, so vectors are not measured.")
    for name in PEERS if peers else ():
        if BRUTE in contestants and importlib.util.find_spec(name) is not None:
            contestants[name] = PEERS[name]
        else:
            notes.append(f"{name} is not measured: it is not installed (make peers), or no vectors exist.")
    costs: list[Cost] = []
    load = os.getloadavg()[0]
    for turns in sizes:
        # Made here: what a child leaves free after making them would hide memory that it takes.
        asked = msgspec.json.encode(search_queries(turns)).decode()
        with tempfile.TemporaryDirectory(prefix="uac-bench-") as folder:
            for name, (build, ask) in contestants.items():
                note(f"{turns:,} turns: {name} …")
                built = msgspec.json.decode(run_in_process(build, folder, turns), type=Built)
                answered = msgspec.json.decode(run_in_process(ask, folder, asked), type=Asked)
                costs.append(_search_cost(name, turns, built, answered))
    return Speed(tuple(costs), (*notes, f"{machine_description()}, load {load:.1f} to {os.getloadavg()[0]:.1f}"))


def _search_cost(name: str, turns: int, built: Built, asked: Asked) -> Cost:
    return Cost(
        name=name,
        turns=turns,
        questions=len(asked.seconds),
        rate=turns / built.seconds,
        size=built.size,
        text=built.text,
        first=asked.first,
        p50=median(asked.seconds),
        p95=percentile_95(asked.seconds),
        memory=asked.memory,
    )


HOW = (
    "Each line is one contestant in processes of its own. 'first' is from opening the files to the first answer in a"
    " new process, 'memory' by how much opening and asking raise its peak. 'Indexing' is all that recall does, words"
    " for FTS5, embedding for brute force; peers are given vectors that are ready, of turns and of questions."
)


def print_speed(speed: Speed, out: Output) -> None:
    heads = ("turns", "", "indexing", "index", "of the text", "first", "p50", "p95", "memory")
    out.table(heads, map(_cost_cells, speed.costs))
    for note in speed.notes:
        out.line(note)


def _cost_cells(cost: Cost) -> tuple[str, ...]:
    return (
        f"{cost.turns:,} turns",
        cost.name,
        f"{cost.rate:,.0f} turns/s",
        f"{cost.size / 1e6:,.1f} MB",
        f"{cost.size / cost.text:.2f} of the text",
        f"first {cost.first * 1e3:,.0f} ms",
        f"p50 {cost.p50 * 1e3:,.2f} ms",
        f"p95 {cost.p95 * 1e3:,.2f} ms",
        f"{cost.memory / 1e6:,.0f} MB",
    )


# -- the conversation --------------------------------------------------------------------------------------------------


def endless_talk(seed: int = 1) -> Iterator[Observation]:
    """Turns without end, the same for the same seed: words by Zipf's law, with names and dates among them."""
    chance = random.Random(seed)
    words = [*COMMON, *_made_up(chance, 30_000 - len(COMMON))]
    shares = [*accumulate(1 / (rank + 2.7) for rank in range(len(words)))]
    start = datetime(2015, 1, 1, 8, tzinfo=UTC)
    for number in count():
        said = start + timedelta(hours=number // 20 * 2, seconds=number % 20)
        spoken = chance.choices(words, cum_weights=shares, k=chance.randint(4, 32))
        if number % 3 == 0:
            spoken.insert(chance.randrange(len(spoken)), chance.choice(NAMES))
        if number % 10 == 0:
            spoken += ["on", f"{said:%d %B %Y}"]
        yield Observation(
            text=f"{' '.join(spoken).capitalize()}.",
            said=said,
            role="assistant" if number % 2 else "user",
            session=f"session {number // 20}",
        )


def search_queries(turns: int) -> list[str]:
    """Questions with rare words of a turn, a name, and sometimes a month; fewer on a very long conversation."""
    chance = random.Random(turns)
    texts = [turn.text for turn in islice(endless_talk(), 0, min(turns, 20_000), 7)]
    found: list[str] = []
    for number in range(FEW_ROUNDS if turns >= MANY_TURNS else ROUNDS):
        rare = [word for word in chance.choice(texts).rstrip(".").lower().split() if word not in COMMON]
        picked = " ".join(chance.sample(rare, min(4, len(rare))))
        when = "in March 2015" if number % 5 == 0 else ""
        found.append(f"What did {chance.choice(NAMES)} say about {picked} {when}".strip() + "?")
    return found


def _made_up(chance: random.Random, number: int) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < number:
        syllables = [chance.choice("bcdfghklmnprstvz") + chance.choice("aeiou") for _ in range(chance.randint(2, 4))]
        found["".join(syllables) + chance.choice(["", "n", "r", "s"])] = None
    return list(found)


COMMON = tuple(
    """the i to and a you it that of in my is was for we with on have so but they be at this do me like just are not
    what had one can time if get all how there about really when went good would some out think up go know people work
    then been who more their which could day very him now see new because make did first year want two our way down
    back other home need even also week after only use take come here most look long last little again made friend
    family house tell thing place love great feel night started""".split()
)
NAMES = ("Ana", "Jürgen", "Léa", "Okafor", "Priya", "Tom", "Mei", "Sofia", "Ibrahim", "Grandma")


# -- the contestants, each run apart -----------------------------------------------------------------------------------


def build_recall(folder: str, turns: str) -> Built:
    with closing(open_store(Path(folder) / "ours.db")) as store:
        memory = Memory(store.log(USER), packs=())
        said = islice(endless_talk(), int(turns))
        text = 0
        while batch := list(islice(said, BATCH)):
            memory.log.append(batch)
            text += sum(len(turn.text.encode()) for turn in batch)
        memory.project()
    before = _bytes_of(folder, "ours")
    with closing(open_store(Path(folder) / "ours.db")) as store:
        memory = Memory(store.log(USER), packs=())
        memory.project()
        seconds = time_call(lambda: _embed_all(memory))
    return Built(seconds, max(_bytes_of(folder, "ours") - before, 0), text)


def _embed_all(memory: Memory) -> None:
    """Embeds every passage; a single search waits only for a limited number of vectors."""
    index = memory.recall_index()
    left = None
    while (now := index.embed(BATCH)) != left and now:
        left = now


def ask_recall(folder: str, asked: str) -> Asked:
    def opened() -> Callable[[str], object]:
        memory = Memory(open_store(Path(folder) / "ours.db", create=False).log(USER), packs=())
        return lambda query: memory.recall(query, k=SHOWN)

    return _time_questions(opened, asked)


def build_fts5(folder: str, turns: str) -> Built:
    texts = _turn_texts(turns)
    with closing(sqlite3.connect(Path(folder) / "fts5.db")) as bare:
        bare.execute("CREATE VIRTUAL TABLE turns USING fts5 (text, content='', tokenize='unicode61')")
        rows = list(enumerate(texts, 1))

        def insert() -> None:
            with bare:
                bare.executemany("INSERT INTO turns (rowid, text) VALUES (?, ?)", rows)

        seconds = time_call(insert)
    return Built(seconds, _bytes_of(folder, "fts5"), _text_length(texts))


def ask_fts5(folder: str, asked: str) -> Asked:
    def opened() -> Callable[[str], object]:
        bare = sqlite3.connect(Path(folder) / "fts5.db")
        best = f"SELECT rowid, bm25(turns) FROM turns WHERE turns MATCH ? ORDER BY rank LIMIT {SHOWN}"
        return lambda query: bare.execute(best, (_fts5_query(query),)).fetchall()

    return _time_questions(opened, asked)


def _fts5_query(query: str) -> str:
    """Any of the words that tell something, as a search form would ask for them."""
    words = [word for word in query.lower().rstrip("?").split() if word not in COMMON and word != "say"]
    return " OR ".join(f'"{word}"' for word in words)


def build_brute(folder: str, turns: str) -> Built:
    """Also leaves the vectors behind for the peers."""
    import numpy as np

    texts, embedder = _turn_texts(turns), _bench_embedder()
    vectors: list[Vectors] = []
    seconds = time_call(
        lambda: vectors.extend(embedder.embed(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH))
    )
    np.save(Path(folder) / "brute.npy", np.concatenate(vectors))
    np.save(Path(folder) / "asked.npy", embedder.embed(search_queries(int(turns)), query=True))
    return Built(seconds, _bytes_of(folder, "brute"), _text_length(texts))


def ask_brute(folder: str, asked: str) -> Asked:
    import numpy as np

    def opened() -> Callable[[str], object]:
        embedder = _bench_embedder()
        vectors: Vectors = np.load(Path(folder) / "brute.npy")

        def best(query: str) -> list[int]:
            similar = vectors @ embedder.embed([query], query=True)[0]
            chosen = np.argpartition(-similar, min(SHOWN, len(similar) - 1))[:SHOWN]
            return [int(place) for place in chosen[np.argsort(-similar[chosen])]]

        return best

    return _time_questions(opened, asked)


def build_chroma(folder: str, turns: str) -> Built:
    texts, vectors = _turn_texts(turns), _load_vectors(folder)
    collection = _chroma_collection(folder)

    def add() -> None:
        for at in range(0, len(texts), BATCH):
            end = min(at + BATCH, len(texts))
            collection.add(
                ids=[str(place) for place in range(at, end)], embeddings=vectors[at:end], documents=texts[at:end]
            )

    seconds = time_call(add)
    return Built(seconds, _bytes_of(folder, "chroma"), _text_length(texts))


def ask_chroma(folder: str, asked: str) -> Asked:
    ready = _question_vectors(folder, asked)

    def opened() -> Callable[[str], object]:
        collection = _chroma_collection(folder)
        return lambda query: collection.query(query_embeddings=[ready[query]], n_results=SHOWN)

    return _time_questions(opened, asked)


def _chroma_collection(folder: str) -> Any:
    sys.addaudithook(_refuse_network)
    import chromadb  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed

    settings = chromadb.Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(Path(folder) / "chroma"), settings=settings)
    return client.get_or_create_collection("turns", embedding_function=None, metadata={"hnsw:space": "cosine"})


def build_lance(folder: str, turns: str) -> Built:
    texts, vectors = _turn_texts(turns), _load_vectors(folder)
    sys.addaudithook(_refuse_network)
    import lancedb  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed
    import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]  # comes with it

    def add() -> None:
        flat = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(vectors.reshape(-1)), vectors.shape[1])
        rows = pyarrow.table({"vector": flat, "text": texts})
        lancedb.connect(str(Path(folder) / "lance")).create_table("turns", data=rows)

    seconds = time_call(add)
    return Built(seconds, _bytes_of(folder, "lance"), _text_length(texts))


def ask_lance(folder: str, asked: str) -> Asked:
    ready = _question_vectors(folder, asked)
    sys.addaudithook(_refuse_network)
    import lancedb  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed

    def opened() -> Callable[[str], object]:
        table = lancedb.connect(str(Path(folder) / "lance")).open_table("turns")
        return lambda query: table.search(ready[query]).limit(SHOWN).to_arrow()

    return _time_questions(opened, asked)


BRUTE = "vectors, brute force"
Runs = tuple[Callable[[str, str], Built], Callable[[str, str], Asked]]
CONTESTANTS: dict[str, Runs] = {
    "recall": (build_recall, ask_recall),
    "bare FTS5": (build_fts5, ask_fts5),
    BRUTE: (build_brute, ask_brute),
}
PEERS: dict[str, Runs] = {
    "chromadb": (build_chroma, ask_chroma),
    "lancedb": (build_lance, ask_lance),
}


def _time_questions(opened: Callable[[], Callable[[str], object]], asked: str) -> Asked:
    """Opens, asks once, then asks everything; how long that took, and the memory of it all."""
    questions = msgspec.json.decode(asked, type=list[str])
    times: list[float] = []

    def run() -> None:
        start = perf_counter()
        answer = opened()
        answer(questions[0])
        times.append(perf_counter() - start)
        times.extend(time_call(partial(answer, question)) for question in questions)

    memory = peak_memory_growth(run)
    return Asked(times[0], tuple(times[1:]), memory)


def _turn_texts(turns: str) -> list[str]:
    return [turn.text for turn in islice(endless_talk(), int(turns))]


def _text_length(texts: Sequence[str]) -> int:
    return sum(len(text.encode()) for text in texts)


def _load_vectors(folder: str) -> "Vectors":
    import numpy as np

    found: Vectors = np.load(Path(folder) / "brute.npy")
    return found


def _question_vectors(folder: str, asked: str) -> "dict[str, Vectors]":
    """The questions with their vectors."""
    import numpy as np

    return dict(zip(msgspec.json.decode(asked, type=list[str]), np.load(Path(folder) / "asked.npy"), strict=True))


def _bench_embedder() -> Embedder:
    embedder = chosen_embedder()
    assert embedder is not None
    return embedder


def _bytes_of(folder: str, name: str) -> int:
    """What lies on disk under that name, also in files beside it and in the folder of that name."""
    found = [path for path in Path(folder).rglob("*") if path.relative_to(folder).parts[0].startswith(name)]
    return sum(path.stat().st_size for path in found if path.is_file())


def _refuse_network(event: str, _arguments: object) -> None:
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise OSError("the benchmark stays off the network")
