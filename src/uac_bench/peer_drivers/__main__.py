"""Serves a peer's driver over standard input and output: `python peer_drivers NAME URL FOLDER`.

A request is {"add": [{"text", "said", "role", "session", "place"}, …]} or {"search": "question", "most": n}; the answer
is {"found": [place, …]} or {"error": "…"}. A peer may print: its output goes to standard error.
"""

import importlib
import json
import os
import sys
from pathlib import Path


def main() -> None:
    name, url, folder = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    driver = importlib.import_module(f"{name}_driver").Driver(url, Path(folder))
    answers.write(json.dumps({"found": []}) + "\n")
    for line in sys.stdin:
        request = json.loads(line)
        found: list[int] = []
        if "add" in request:
            driver.add(request["add"])
        else:
            found = driver.search(request["search"], request["most"])
        answers.write(json.dumps({"found": found}) + "\n")


if __name__ == "__main__":
    main()
