"""Serves a peer's driver over standard input and output: `python NAME_driver.py URL FOLDER`.

A request is {"add": [{"text", "said", "role", "session", "place"}, …]} or {"search": "question", "most": n}; the answer
is {"found": [place, …]}. A peer may print: its output goes to standard error.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

__all__ = ["PeerDriver", "serve"]


class PeerDriver(Protocol):
    """An empty memory of a peer."""

    def add(self, texts: list[dict[str, Any]]) -> None: ...

    def search(self, question: str, most: int) -> list[int]: ...


def serve(open_driver: Callable[[str, Path], PeerDriver]) -> None:
    url, folder = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    driver = open_driver(url, Path(folder))
    answers.write(json.dumps({"found": []}) + "\n")
    for line in sys.stdin:
        request = json.loads(line)
        found: list[int] = []
        if "add" in request:
            driver.add(request["add"])
        else:
            found = driver.search(request["search"], request["most"])
        answers.write(json.dumps({"found": found}) + "\n")
