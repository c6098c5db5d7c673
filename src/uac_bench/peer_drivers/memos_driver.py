"""MemOS (the distribution MemoryOS): its general text memory, extraction by the model, and its local vector store."""

import os
from pathlib import Path
from typing import Any


class Driver:
    def __init__(self, url: str, folder: Path) -> None:
        os.environ.setdefault("MEMOS_BASE_PATH", str(folder))
        os.chdir(folder)  # it keeps its own files in the working folder
        from memos.configs.memory import (  # type: ignore[import-not-found, unused-ignore]  # in its own environment
            GeneralTextMemoryConfig,
        )
        from memos.memories.textual.general import (  # type: ignore[import-not-found, unused-ignore]  # the same
            GeneralTextMemory,
        )

        model = {"model_name_or_path": "scripted", "api_key": "none", "api_base": url}
        vectors = {"collection_name": "texts", "vector_dimension": 256, "distance_metric": "cosine"}
        embedder = {"model_name_or_path": "scripted", "provider": "openai", "api_key": "none", "base_url": url}
        self._memory: Any = GeneralTextMemory(
            GeneralTextMemoryConfig(
                extractor_llm={"backend": "openai", "config": model},
                vector_db={"backend": "qdrant", "config": {**vectors, "path": str(folder / "vectors")}},
                embedder={"backend": "universal_api", "config": embedder},
            )
        )
        self._places: dict[str, int] = {}

    def add(self, texts: list[dict[str, Any]]) -> None:
        for each in texts:
            memories = self._memory.extract([{"role": each["role"], "content": each["text"]}])
            self._memory.add(memories)
            self._places |= {memory.id: each["place"] for memory in memories}

    def search(self, question: str, most: int) -> list[int]:
        found = self._memory.search(question, top_k=most)
        return list(dict.fromkeys(self._places[memory.id] for memory in found))
