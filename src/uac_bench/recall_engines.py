"""The engines whose speed `uac-bench recall` compares: how each builds its index and answers, each run apart."""

import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import msgspec

from uac import Embedder, Log, Memory, open_store
from uac.models import chosen_embedder
from uac_bench.measure import embed_passages, peak_memory_growth, processor_time, refuse_network, time_call
from uac_bench.recall_turns import COMMON, endless_recall_turns, recall_questions

if TYPE_CHECKING:
    from uac.log import Vectors

__all__ = [
    "BRUTE",
    "CONTESTANTS",
    "MORE_QUESTIONS",
    "RECALL",
    "STEP",
    "STORE_SETTING",
    "VECTOR_PEERS",
    "WORD_PEERS",
    "EngineAnswers",
    "EngineIndex",
    "EngineSteps",
    "erase_recall",
    "recall_memory",
    "step_recall",
]

STORE_SETTING = "RECALL_BENCH_STORE"
"""In the environment of a process: the address of the store that recall uses instead of a file in the folder."""
SHOWN = 20  # hits of each answer
TOKENS = 4000  # of a context
BATCH = 5000
STEP = 500  # turns indexed at a time
SINGLES = 20


class EngineIndex(msgspec.Struct, frozen=True):
    """What indexing took, in seconds of this process's processor time. `size` are the bytes that the index adds to
    files in the folder."""

    seconds: float
    size: int
    text: int


class EngineSteps(msgspec.Struct, frozen=True):
    """What it took to index a conversation in steps of STEP turns, and then single turns: processor seconds."""

    steps: float
    singles: tuple[float, ...]


class EngineAnswers(msgspec.Struct, frozen=True):
    """What questions took in a new process: the time until the first answer, each of the others, and the memory.

    `processor` are the seconds of this process alone, for each question; on a busy machine they say more.
    """

    first: float
    first_processor: float
    seconds: tuple[float, ...]
    processor: tuple[float, ...]
    memory: int


def build_recall(folder: str, turns: str) -> EngineIndex:
    with closing(open_store(_recall_store(folder))) as store:
        memory = Memory(store.log(_recall_user(folder)), packs=())
        said = islice(endless_recall_turns(), int(turns))
        text = 0
        while batch := list(islice(said, BATCH)):
            memory.log.append(batch)
            text += sum(len(turn.text.encode()) for turn in batch)
        memory.project()
    before = _engine_index_size(folder, "ours")
    with closing(open_store(_recall_store(folder))) as store:
        memory = Memory(store.log(_recall_user(folder)), packs=())
        memory.project()
        seconds = processor_time(lambda: embed_passages(memory))
    return EngineIndex(seconds, max(_engine_index_size(folder, "ours") - before, 0), text)


def erase_recall(folder: str) -> None:
    """Takes what a conversation left out of a store that outlives its folder."""
    with closing(open_store(_recall_store(folder))) as store:
        for user in (_recall_user(folder), _recall_user(folder, "steps")):
            store.erase(user)


def recall_memory(folder: str) -> tuple[str, str]:
    """The store and the user of the conversation that was built in a folder."""
    return _recall_store(folder), _recall_user(folder)


def _recall_store(folder: str, name: str = "ours") -> str:
    return os.environ.get(STORE_SETTING) or str(Path(folder) / f"{name}.db")


def _recall_user(folder: str, name: str = "ana") -> str:
    return f"{name} in {Path(folder).name}"  # a server may have the users of several runs


def step_recall(folder: str, turns: str) -> EngineSteps:
    """Indexes another copy of the conversation in steps, with vectors, and then a few single turns."""
    said = endless_recall_turns()
    with closing(open_store(_recall_store(folder, "steps"))) as store:
        memory = Memory(store.log(_recall_user(folder, "steps")), packs=())
        spent = 0.0
        while batch := list(islice(said, min(STEP, int(turns) - memory.log.head().position))):
            memory.log.append(batch)
            memory.project()
            spent += processor_time(memory.recall_index)
        singles: list[float] = []
        for turn in islice(said, SINGLES):
            memory.log.append([turn])
            memory.project()
            singles.append(processor_time(memory.recall_index))
    return EngineSteps(spent, tuple(singles))


def ask_recall(folder: str, questions_json: str) -> EngineAnswers:
    return _time_memory(folder, questions_json, lambda memory, query: memory.recall(query, k=SHOWN))


def ask_recall_budget(folder: str, questions_json: str) -> EngineAnswers:
    return _time_memory(folder, questions_json, lambda memory, query: memory.recall(query, tokens=TOKENS))


def ask_context(folder: str, questions_json: str) -> EngineAnswers:
    return _time_memory(folder, questions_json, lambda memory, query: memory.context(query, tokens=TOKENS))


def _time_memory(folder: str, questions_json: str, ask: Callable[[Memory, str], object]) -> EngineAnswers:
    def opened() -> Callable[[str], object]:
        log: Log = open_store(_recall_store(folder), create=False).log(_recall_user(folder))
        return partial(ask, Memory(log, packs=()))

    return _time_engine_questions(opened, questions_json)


def build_fts5(folder: str, turns: str) -> EngineIndex:
    texts = _engine_turn_texts(turns)
    with closing(sqlite3.connect(Path(folder) / "fts5.db")) as bare:
        bare.execute("CREATE VIRTUAL TABLE turns USING fts5 (text, content='', tokenize='unicode61')")
        rows = list(enumerate(texts, 1))

        def insert() -> None:
            with bare:
                bare.executemany("INSERT INTO turns (rowid, text) VALUES (?, ?)", rows)

        seconds = processor_time(insert)
    return EngineIndex(seconds, _engine_index_size(folder, "fts5"), _engine_text_size(texts))


def ask_fts5(folder: str, questions_json: str) -> EngineAnswers:
    def opened() -> Callable[[str], object]:
        bare = sqlite3.connect(Path(folder) / "fts5.db")
        best = f"SELECT rowid, bm25(turns) FROM turns WHERE turns MATCH ? ORDER BY rank LIMIT {SHOWN}"
        return lambda query: bare.execute(best, (_fts5_engine_query(query),)).fetchall()

    return _time_engine_questions(opened, questions_json)


def _fts5_engine_query(query: str) -> str:
    """Any of the words that tell something, as a search form would ask for them."""
    return " OR ".join(f'"{word}"' for word in _engine_query_words(query))


def _engine_query_words(query: str) -> list[str]:
    return [word for word in query.lower().rstrip("?").split() if word not in COMMON and word != "say"]


def build_brute_force(folder: str, turns: str) -> EngineIndex:
    """Also leaves the vectors behind for the peers."""
    import numpy as np

    texts, embedder = _engine_turn_texts(turns), _engine_embedder()
    vectors: list[Vectors] = []
    seconds = processor_time(
        lambda: vectors.extend(embedder.embed(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH))
    )
    np.save(Path(folder) / "brute.npy", np.concatenate(vectors))
    np.save(Path(folder) / "asked.npy", embedder.embed(recall_questions(int(turns)), query=True))
    return EngineIndex(seconds, _engine_index_size(folder, "brute"), _engine_text_size(texts))


def ask_brute_force(folder: str, questions_json: str) -> EngineAnswers:
    import numpy as np

    def opened() -> Callable[[str], object]:
        embedder = _engine_embedder()
        vectors: Vectors = np.load(Path(folder) / "brute.npy")

        def best(query: str) -> list[int]:
            similar = vectors @ embedder.embed([query], query=True)[0]
            chosen = np.argpartition(-similar, min(SHOWN, len(similar) - 1))[:SHOWN]
            return [int(place) for place in chosen[np.argsort(-similar[chosen])]]

        return best

    return _time_engine_questions(opened, questions_json)


def build_chroma(folder: str, turns: str) -> EngineIndex:
    texts, vectors = _engine_turn_texts(turns), _engine_turn_vectors(folder)
    collection = _chroma_collection(folder)

    def add() -> None:
        for at in range(0, len(texts), BATCH):
            end = min(at + BATCH, len(texts))
            collection.add(
                ids=[str(place) for place in range(at, end)], embeddings=vectors[at:end], documents=texts[at:end]
            )

    seconds = processor_time(add)
    return EngineIndex(seconds, _engine_index_size(folder, "chroma"), _engine_text_size(texts))


def ask_chroma(folder: str, questions_json: str) -> EngineAnswers:
    ready = _engine_question_vectors(folder, questions_json)

    def opened() -> Callable[[str], object]:
        collection = _chroma_collection(folder)
        return lambda query: collection.query(query_embeddings=[ready[query]], n_results=SHOWN)

    return _time_engine_questions(opened, questions_json)


def _chroma_collection(folder: str) -> Any:
    sys.addaudithook(refuse_network)
    import chromadb  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed

    settings = chromadb.Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(Path(folder) / "chroma"), settings=settings)
    return client.get_or_create_collection("turns", embedding_function=None, metadata={"hnsw:space": "cosine"})


def build_lance(folder: str, turns: str) -> EngineIndex:
    texts, vectors = _engine_turn_texts(turns), _engine_turn_vectors(folder)
    sys.addaudithook(refuse_network)
    import lancedb  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed
    import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]  # comes with it

    def add() -> None:
        flat = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(vectors.reshape(-1)), vectors.shape[1])
        rows = pyarrow.table({"vector": flat, "text": texts})
        lancedb.connect(str(Path(folder) / "lance")).create_table("turns", data=rows)

    seconds = processor_time(add)
    return EngineIndex(seconds, _engine_index_size(folder, "lance"), _engine_text_size(texts))


def ask_lance(folder: str, questions_json: str) -> EngineAnswers:
    ready = _engine_question_vectors(folder, questions_json)
    sys.addaudithook(refuse_network)
    import lancedb  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed

    def opened() -> Callable[[str], object]:
        table = lancedb.connect(str(Path(folder) / "lance")).open_table("turns")
        return lambda query: table.search(ready[query]).limit(SHOWN).to_arrow()

    return _time_engine_questions(opened, questions_json)


def build_tantivy(folder: str, turns: str) -> EngineIndex:
    import tantivy  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed

    texts = _engine_turn_texts(turns)
    (path := Path(folder) / "tantivy").mkdir()
    fields = tantivy.SchemaBuilder().add_integer_field("row", stored=True).add_text_field("text").build()
    writer = tantivy.Index(fields, path=str(path)).writer(num_threads=1)

    def add() -> None:
        for row, text in enumerate(texts):
            writer.add_document(tantivy.Document(row=row, text=text))
        writer.commit()
        writer.wait_merging_threads()

    seconds = processor_time(add)
    return EngineIndex(seconds, _engine_index_size(folder, "tantivy"), _engine_text_size(texts))


def ask_tantivy(folder: str, questions_json: str) -> EngineAnswers:
    import tantivy  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed

    def opened() -> Callable[[str], object]:
        index = tantivy.Index.open(str(Path(folder) / "tantivy"))
        searcher = index.searcher()
        return lambda query: searcher.search(index.parse_query(" ".join(_engine_query_words(query)), ["text"]), SHOWN)

    return _time_engine_questions(opened, questions_json)


def build_bm25s(folder: str, turns: str) -> EngineIndex:
    import bm25s  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed

    texts = _engine_turn_texts(turns)
    index = bm25s.BM25()

    def add() -> None:
        index.index(bm25s.tokenize(texts, stopwords=None, show_progress=False), show_progress=False)
        index.save(str(Path(folder) / "bm25s"))

    seconds = processor_time(add)
    return EngineIndex(seconds, _engine_index_size(folder, "bm25s"), _engine_text_size(texts))


def ask_bm25s(folder: str, questions_json: str) -> EngineAnswers:
    import bm25s  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed

    def opened() -> Callable[[str], object]:
        index = bm25s.BM25.load(str(Path(folder) / "bm25s"))

        def best(query: str) -> object:
            words = [[word for word in _engine_query_words(query) if word in index.vocab_dict]]
            return index.retrieve(words, k=SHOWN, show_progress=False)

        return best

    return _time_engine_questions(opened, questions_json)


RECALL, BRUTE = "recall", "vectors, brute force"
Build = Callable[[str, str], EngineIndex]
Ask = Callable[[str, str], EngineAnswers]
CONTESTANTS: dict[str, tuple[Build, Ask]] = {
    RECALL: (build_recall, ask_recall),
    "bare FTS5": (build_fts5, ask_fts5),
    BRUTE: (build_brute_force, ask_brute_force),
}
MORE_QUESTIONS: dict[str, Ask] = {
    f"recall, {TOKENS:,} tokens": ask_recall_budget,
    f"context, {TOKENS:,} tokens": ask_context,
}
"""Asked of the index of recall."""
WORD_PEERS: dict[str, tuple[Build, Ask]] = {"tantivy": (build_tantivy, ask_tantivy), "bm25s": (build_bm25s, ask_bm25s)}
VECTOR_PEERS: dict[str, tuple[Build, Ask]] = {
    "chromadb": (build_chroma, ask_chroma),
    "lancedb": (build_lance, ask_lance),
}


def _time_engine_questions(opened: Callable[[], Callable[[str], object]], questions_json: str) -> EngineAnswers:
    """Opens, asks once, then asks everything; how long that took, and the memory of it all."""
    questions = msgspec.json.decode(questions_json, type=list[str])
    times: list[float] = []
    spent: list[float] = []

    def run() -> None:
        start, began = perf_counter(), process_time()
        answer = opened()
        answer(questions[0])
        times.append(perf_counter() - start)
        spent.append(process_time() - began)
        for question in questions:
            began = process_time()
            times.append(time_call(partial(answer, question)))
            spent.append(process_time() - began)

    memory = peak_memory_growth(run)
    return EngineAnswers(times[0], spent[0], tuple(times[1:]), tuple(spent[1:]), memory)


def _engine_turn_texts(turns: str) -> list[str]:
    return [turn.text for turn in islice(endless_recall_turns(), int(turns))]


def _engine_text_size(texts: Sequence[str]) -> int:
    return sum(len(text.encode()) for text in texts)


def _engine_turn_vectors(folder: str) -> "Vectors":
    import numpy as np

    found: Vectors = np.load(Path(folder) / "brute.npy")
    return found


def _engine_question_vectors(folder: str, questions_json: str) -> "dict[str, Vectors]":
    """The questions with their vectors."""
    import numpy as np

    return dict(
        zip(msgspec.json.decode(questions_json, type=list[str]), np.load(Path(folder) / "asked.npy"), strict=True)
    )


def _engine_embedder() -> Embedder:
    embedder = chosen_embedder()
    assert embedder is not None
    return embedder


def _engine_index_size(folder: str, name: str) -> int:
    """What lies on disk under that name, also in files beside it and in the folder of that name."""
    found = [path for path in Path(folder).rglob("*") if path.relative_to(folder).parts[0].startswith(name)]
    return sum(path.stat().st_size for path in found if path.is_file())
