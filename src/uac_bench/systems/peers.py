"""Peers from the package registry, as far as they work without a service, a key or a model (make peers).

What needs a model in a peer (extraction, consolidation, re-ranking) is not measured, and said with its figures.
"""

import importlib.metadata
import importlib.util
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from uac_bench.systems import Contestant, NotInstalled, StoredText
from uac_bench.systems.rebuilt import bench_embedder

__all__ = ["NOT_RUN", "BenchEmbeddings", "installed_versions", "peer_contestants"]

NOT_RUN = {
    "Hindsight": "hindsight-api 1.1.0 starts its own PostgreSQL, which stopped here: initdb cannot be run as root",
    "Letta": "letta 0.34.12 in the registry is an agent for the terminal, without an interface to add and search texts",
    "Zep": "zep-cloud 4.0.1 is the client of a service",
    "EverOS": "everos 0.4.0 is the client of a service",
    "Memobase": "memobase 0.0.27 is the client of a server",
    "MemMachine": "has no distribution in the registry (memmachine, memmachine-server)",
}
"""Peers that were looked at and not run, and why, as seen on 2026-11-18."""
BATCH = 2000


def peer_contestants() -> list[Contestant]:
    return [
        Contestant("bm25s", "Its BM25 over the texts.", Bm25sPeer, "bm25s"),
        Contestant("tantivy", "Its BM25 over the texts.", TantivyPeer, "tantivy"),
        Contestant("chromadb", "Its vector index, with the same vectors.", ChromaPeer, "chromadb", 20_000),
        Contestant("lancedb", "Its vector table, with the same vectors.", LancePeer, "lancedb"),
        Contestant(
            "mem0",
            "add(infer=False) and search with its local store and the same vectors; what a model would extract and"
            " merge is not measured.",
            Mem0Peer,
            "mem0ai",
            2_000,
        ),
        Contestant(
            "LangMem",
            "Its search tool over LangGraph's store, with the same vectors; what a model would manage is not measured.",
            LangMemPeer,
            "langmem",
            20_000,
        ),
    ]


def installed_versions() -> dict[str, str]:
    """The version of each installed distribution that takes part."""
    found: dict[str, str] = {}
    for name in ("user-as-code", *(each.package for each in peer_contestants())):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


@contextmanager
def _needed(package: str) -> Iterator[None]:
    """A missing module becomes NotInstalled."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise NotInstalled(f"{package} is not installed: make peers ({error.name} is missing)") from None


class Bm25sPeer:
    """The index is built at the first question: it cannot grow."""

    def __init__(self) -> None:
        with _needed("bm25s"):
            import bm25s  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed
        self._bm25s = bm25s
        self._texts: list[str] = []
        self._index: Any = None

    def add(self, texts: Sequence[StoredText]) -> None:
        self._texts += [each.text for each in texts]
        self._index = None

    def search(self, question: str, most: int) -> Sequence[int]:
        if self._index is None:
            self._index = self._bm25s.BM25()
            self._index.index(self._bm25s.tokenize(self._texts, show_progress=False), show_progress=False)
        asked = self._bm25s.tokenize([question], show_progress=False)
        if not asked.vocab:
            return []
        places, scores = self._index.retrieve(asked, k=min(most, len(self._texts)), show_progress=False)
        return [int(place) for place, score in zip(places[0], scores[0], strict=True) if score > 0]

    def close(self) -> None:
        self._index = None


class TantivyPeer:
    def __init__(self) -> None:
        with _needed("tantivy"):
            import tantivy  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed
        self._tantivy = tantivy
        fields = tantivy.SchemaBuilder().add_integer_field("row", stored=True)
        self._index = tantivy.Index(fields.add_text_field("text", tokenizer_name="en_stem").build())
        self._count = 0

    def add(self, texts: Sequence[StoredText]) -> None:
        writer = self._index.writer(num_threads=1)
        for each in texts:
            writer.add_document(self._tantivy.Document(row=self._count, text=each.text))
            self._count += 1
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def search(self, question: str, most: int) -> Sequence[int]:
        words = "".join(character if character.isalnum() else " " for character in question.lower())
        searcher = self._index.searcher()
        found = searcher.search(self._index.parse_query(words, ["text"]), most)
        return [searcher.doc(address)["row"][0] for _score, address in found.hits]

    def close(self) -> None:
        self._count = 0


class ChromaPeer:
    def __init__(self) -> None:
        with _needed("chromadb"):
            import chromadb  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed
        client = chromadb.EphemeralClient(settings=chromadb.Settings(anonymized_telemetry=False))
        name = f"texts-{id(self)}"
        self._collection = client.create_collection(name, embedding_function=None, metadata={"hnsw:space": "cosine"})
        self._embedder = bench_embedder()
        self._count = 0

    def add(self, texts: Sequence[StoredText]) -> None:
        for start in range(0, len(texts), BATCH):
            part = [each.text for each in texts[start : start + BATCH]]
            places = [str(self._count + number) for number in range(len(part))]
            self._collection.add(ids=places, embeddings=self._embedder.embed(part), documents=part)
            self._count += len(part)

    def search(self, question: str, most: int) -> Sequence[int]:
        asked = self._embedder.embed([question], query=True)
        found = self._collection.query(query_embeddings=asked, n_results=min(most, self._count))
        return [int(place) for place in found["ids"][0]]

    def close(self) -> None:
        self._count = 0


class LancePeer:
    def __init__(self) -> None:
        with _needed("lancedb"):
            import lancedb  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed
        self._folder = tempfile.TemporaryDirectory(prefix="uac-bench-")
        self._database = lancedb.connect(self._folder.name)
        self._table: Any = None
        self._embedder = bench_embedder()
        self._count = 0

    def add(self, texts: Sequence[StoredText]) -> None:
        vectors = self._embedder.embed([each.text for each in texts])
        rows = [{"place": self._count + number, "vector": vector} for number, vector in enumerate(vectors)]
        if self._table is None:
            self._table = self._database.create_table("texts", data=rows)
        else:
            self._table.add(rows)
        self._count += len(texts)

    def search(self, question: str, most: int) -> Sequence[int]:
        asked = self._embedder.embed([question], query=True)[0]
        found = self._table.search(asked).distance_type("cosine").limit(most).to_list()
        return [int(row["place"]) for row in found]

    def close(self) -> None:
        self._folder.cleanup()


class BenchEmbeddings:
    """The common embedder in the form that mem0 asks for."""

    def __init__(self, config: object = None) -> None:
        self.config = config
        self._embedder = bench_embedder()

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        vector: list[float] = self._embedder.embed([text], query=memory_action == "search")[0].tolist()
        return vector

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text, memory_action) for text in texts]


class Mem0Peer:
    """Without a model: texts are stored as they are, and found by their vectors."""

    def __init__(self) -> None:
        if importlib.util.find_spec("mem0") is None:  # before anything is made that would have to be removed
            raise NotInstalled("mem0ai is not installed: make peers")
        self._folder = tempfile.TemporaryDirectory(prefix="uac-bench-")
        place = Path(self._folder.name)
        os.environ.setdefault("MEM0_TELEMETRY", "False")
        os.environ.setdefault("MEM0_DIR", str(place))
        with _needed("mem0ai"):
            import mem0  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed
            from mem0.utils import factory  # type: ignore[import-not-found, import-untyped, unused-ignore]  # the same
        factory.EmbedderFactory.provider_to_class["openai"] = f"{__name__}.BenchEmbeddings"
        size = len(bench_embedder().embed(["size"])[0])
        self._memory = mem0.Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"path": str(place / "vectors"), "embedding_model_dims": size, "on_disk": False},
                },
                "embedder": {"provider": "openai", "config": {}},
                "llm": {"provider": "openai", "config": {"api_key": "none"}},
                "history_db_path": str(place / "history.db"),
            }
        )
        self._count = 0

    def add(self, texts: Sequence[StoredText]) -> None:
        for each in texts:
            self._memory.add(each.text, user_id="user", metadata={"place": self._count}, infer=False)
            self._count += 1

    def search(self, question: str, most: int) -> Sequence[int]:
        found = self._memory.search(question, filters={"user_id": "user"}, top_k=most, threshold=0.0)
        return [int(item["metadata"]["place"]) for item in found["results"]]

    def close(self) -> None:
        self._memory.close()
        self._folder.cleanup()


class LangMemPeer:
    """LangMem's search tool over LangGraph's store."""

    def __init__(self) -> None:
        with _needed("langmem"):
            import langmem  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed
            from langgraph.store.memory import (  # type: ignore[import-not-found, import-untyped, unused-ignore]  # its store
                InMemoryStore,
            )
        embedder = bench_embedder()

        def embed(texts: Sequence[str]) -> list[list[float]]:
            vectors: list[list[float]] = embedder.embed(list(texts)).tolist()
            return vectors

        size = len(embedder.embed(["size"])[0])
        self._store = InMemoryStore(index={"dims": size, "embed": embed, "fields": ["content"]})
        self._tool = langmem.create_search_memory_tool(
            namespace=("memories",), store=self._store, response_format="content_and_artifact"
        )
        self._count = 0

    def add(self, texts: Sequence[StoredText]) -> None:
        for each in texts:
            self._store.put(("memories",), str(self._count), {"content": each.text})
            self._count += 1

    def search(self, question: str, most: int) -> Sequence[int]:
        call = {"name": self._tool.name, "args": {"query": question, "limit": most}, "id": "1", "type": "tool_call"}
        return [int(item.key) for item in self._tool.invoke(call).artifact]

    def close(self) -> None:
        self._count = 0
