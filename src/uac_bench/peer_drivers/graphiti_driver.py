"""Graphiti with its embedded graph database (Kuzu): an episode for each text, and its search over facts."""

import asyncio
import os
from datetime import datetime
from pathlib import Path
from typing import Any

__all__ = ["Driver"]

os.environ.setdefault("GRAPHITI_TELEMETRY_ENABLED", "false")


class Driver:
    def __init__(self, url: str, folder: Path) -> None:
        import kuzu  # type: ignore[import-not-found, unused-ignore]  # in its own environment
        from graphiti_core import Graphiti  # type: ignore[import-not-found, unused-ignore]  # in its own environment
        from graphiti_core.cross_encoder.client import (  # type: ignore[import-not-found, unused-ignore]  # the same
            CrossEncoderClient,
        )
        from graphiti_core.driver.kuzu_driver import (  # type: ignore[import-not-found, unused-ignore]  # the same
            KuzuDriver,
        )
        from graphiti_core.embedder.openai import (  # type: ignore[import-not-found, unused-ignore]  # the same
            OpenAIEmbedder,
            OpenAIEmbedderConfig,
        )
        from graphiti_core.llm_client.config import (  # type: ignore[import-not-found, unused-ignore]  # the same
            LLMConfig,
        )
        from graphiti_core.llm_client.openai_generic_client import (  # type: ignore[import-not-found, unused-ignore]
            OpenAIGenericClient,
        )
        from graphiti_core.search.search_config_recipes import (  # type: ignore[import-not-found, unused-ignore]
            EDGE_HYBRID_SEARCH_RRF,
        )

        class NoReranker(CrossEncoderClient):  # type: ignore[misc, unused-ignore]  # untyped here
            """Its default search does not use one, but opening needs one."""

            async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
                raise NotImplementedError(f"no reranker for {query!r} and {len(passages)} passages")

        # Its search without the least similarity, which is meant for other vectors.
        self._search = EDGE_HYBRID_SEARCH_RRF.model_copy(deep=True)
        self._search.edge_config.sim_min_score = 0.0
        self._loop = asyncio.new_event_loop()
        self._places: dict[str, int] = {}
        database = KuzuDriver(str(folder / "graph.kuzu"))
        # With several threads, Kuzu's full-text search ends now and then with "unordered_map::at".
        database.client = kuzu.AsyncConnection(database.db, max_concurrent_queries=1, max_threads_per_query=1)
        self._graphiti: Any = Graphiti(
            graph_driver=database,
            llm_client=OpenAIGenericClient(LLMConfig(api_key="none", base_url=url, model="scripted")),
            embedder=OpenAIEmbedder(
                OpenAIEmbedderConfig(api_key="none", base_url=url, embedding_model="scripted", embedding_dim=256)
            ),
            cross_encoder=NoReranker(),
        )
        # Its own `build_indices_and_constraints` does nothing for Kuzu; this is what it has for the full-text indexes.
        self._loop.run_until_complete(database.graph_ops.build_indices_and_constraints(database))

    def add(self, texts: list[dict[str, Any]]) -> None:
        for each in texts:
            self._loop.run_until_complete(self._add_episode(each))

    async def _add_episode(self, each: dict[str, Any]) -> None:
        speaker = "Assistant" if each["role"] == "assistant" else "User"
        result = await self._graphiti.add_episode(
            name=str(each["place"]),
            episode_body=f"{speaker}: {each['text']}",
            source_description="chat",
            reference_time=datetime.fromisoformat(each["said"]),
        )
        self._places[result.episode.uuid] = each["place"]

    def search(self, question: str, most: int) -> list[int]:
        config = self._search.model_copy(update={"limit": most})
        edges = self._loop.run_until_complete(self._graphiti.search_(question, config=config)).edges
        return list(dict.fromkeys(self._places[uuid] for edge in edges for uuid in edge.episodes))


if __name__ == "__main__":
    from serve_lines import serve  # type: ignore[import-not-found]  # beside this file, which is run as a script

    serve(Driver)
