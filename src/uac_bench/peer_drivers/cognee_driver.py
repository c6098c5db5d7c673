"""cognee with its embedded stores (SQLite, LanceDB, Ladybug): a model builds its graph, and chunks are searched."""

import asyncio
import importlib.util
import os
from pathlib import Path
from typing import Any

SETTINGS = {
    # Names of models whose tokenizers are in a package that it needs; the stand-in answers for both.
    "LLM_PROVIDER": "openai",
    "LLM_MODEL": "openai/gpt-4o",
    "LLM_API_KEY": "none",
    "EMBEDDING_PROVIDER": "openai",
    "EMBEDDING_MODEL": "openai/text-embedding-3-small",
    "EMBEDDING_API_KEY": "none",
    "EMBEDDING_DIMENSIONS": "256",
    "ENABLE_BACKEND_ACCESS_CONTROL": "false",
    "TELEMETRY_DISABLED": "true",
    "HF_HUB_OFFLINE": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "COGNEE_SKIP_CONNECTION_TEST": "true",
}


class Driver:
    def __init__(self, url: str, folder: Path) -> None:
        os.environ.update(SETTINGS | {"LLM_ENDPOINT": url, "EMBEDDING_ENDPOINT": url})
        os.environ |= {"SYSTEM_ROOT_DIRECTORY": str(folder / "system"), "DATA_ROOT_DIRECTORY": str(folder / "data")}
        litellm = importlib.util.find_spec("litellm")
        if litellm is not None and litellm.origin is not None:
            tokenizers = Path(litellm.origin).parent / "litellm_core_utils" / "tokenizers"
            os.environ["TIKTOKEN_CACHE_DIR"] = str(tokenizers)
        os.chdir(folder)
        import cognee  # type: ignore[import-not-found, unused-ignore]  # in its own environment

        self._cognee: Any = cognee
        self._loop = asyncio.new_event_loop()
        self._places: dict[str, int] = {}

    def add(self, texts: list[dict[str, Any]]) -> None:
        for each in texts:
            self._places.setdefault(each["text"], each["place"])
        self._loop.run_until_complete(self._learn([each["text"] for each in texts]))

    async def _learn(self, texts: list[str]) -> None:
        await self._cognee.add(texts, dataset_name="chat")
        await self._cognee.cognify(datasets=["chat"])

    def search(self, question: str, most: int) -> list[int]:
        kind = self._cognee.SearchType.CHUNKS
        found = self._loop.run_until_complete(self._cognee.search(question, query_type=kind, top_k=most))
        return [self._places[chunk["text"]] for chunk in found if chunk["text"] in self._places]
