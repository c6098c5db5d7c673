"""One script, written for mem0, is run with it and with what stands in for it: both give the same.

A server on this machine plays the vendor for both, so that nothing is downloaded and nobody is called.
"""

import http.server
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from support.scripted_model import fact

SCRIPT = '''
import asyncio, json, sys
from mem0 import AsyncMemory, Memory

config, output = json.loads(sys.argv[1]), sys.argv[2]
steps = []


def shape(value):
    """The keys of dicts, all the way down; texts that say something are kept, what differs each time is not."""
    if isinstance(value, dict):
        kept = {"memory", "event", "message", "role", "user_id", "agent_id", "run_id", "actor_id", "metadata", "hash",
                "old_memory", "new_memory", "is_deleted", "expiration_date", "attributed_to"}
        return {key: inner if key in kept else shape(inner) for key, inner in sorted(value.items())}
    if isinstance(value, list):
        return [shape(inner) for inner in value]
    return type(value).__name__


def show(value):
    steps.append(shape(value))


def failing(call):
    try:
        show(call())
    except ValueError:
        steps.append("ValueError")


def listed(found):
    return sorted(item["memory"] for item in found["results"])


m = Memory.from_config(config)
chat = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "I am allergic to peanuts", "name": "Ana"},
    {"role": "assistant", "content": "I will remember peanuts"},
]
added = m.add(chat, user_id="ana", agent_id="bot", run_id="r1", metadata={"topic": "food"}, infer=False)
show(added)
show(m.add("My sister lives in Lisbon", user_id="ana", infer=False, expiration_date="2099-12-31"))
show(m.add("I collect stamps", user_id="ben", infer=False))
first = added["results"][0]["id"]
show(m.get(first))
show(m.search("allergic to peanuts", filters={"user_id": "ana"}, top_k=1))
show(m.search("allergic to peanuts", filters={"user_id": "ana", "topic": "food"}, top_k=1))
steps.append(listed(m.get_all(filters={"user_id": "ana"})))
steps.append(listed(m.get_all(filters={"user_id": "ana", "run_id": "r1"})))
steps.append(len(m.get_all(filters={"user_id": "ana"}, top_k=1)["results"]))
show(m.update(first, text="I am allergic to walnuts", metadata={"sure": True}))
show(m.get(first))
show(m.history(first))
show(m.delete(first))
show(m.get(first))
show(m.history(first))
failing(lambda: m.delete(first))
failing(lambda: m.update(first, text="back again"))
failing(lambda: m.get_all(filters={}))
failing(lambda: m.search(" ", filters={"user_id": "ana"}))
failing(lambda: m.search("x", filters={"user_id": "ana"}, threshold=7))
failing(lambda: m.delete_all())
show(m.delete_all(user_id="ana"))
show(m.get_all(filters={"user_id": "ana"}))
steps.append(listed(m.get_all(filters={"user_id": "ben"})))

learned = m.add("I play chess every Monday.", user_id="cleo", metadata={"from": "chat"})
show(learned)
show(m.get(learned["results"][0]["id"]))
steps.append(listed(m.get_all(filters={"user_id": "cleo"})))
show(m.reset())
steps.append(listed(m.get_all(filters={"user_id": "ben"})))
m.close()


async def main(config):
    m = AsyncMemory.from_config(config)
    show(await m.add("I swim", user_id="dan", infer=False))
    found = await m.get_all(filters={"user_id": "dan"})
    show(found)
    show(await m.search("swim", filters={"user_id": "dan"}))
    show(await m.history(found["results"][0]["id"]))
    show(await m.delete_all(user_id="dan"))
    show(await m.get_all(filters={"user_id": "dan"}))


path = config["vector_store"]["config"]["path"] + "-async"
asyncio.run(main({**config, "vector_store": {**config["vector_store"], "config": {**config["vector_store"]["config"], "path": path}}}))
with open(output, "w") as file:
    json.dump(steps, file)
'''

FACT = "The user plays chess every Monday."
DIMENSIONS = 256


class _Vendor(http.server.BaseHTTPRequestHandler):
    """Speaks OpenAI's API: vectors of words, and the one fact that there is, as each package asks for it."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/embeddings"):
            texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
            data = [{"object": "embedding", "index": n, "embedding": vector(text)} for n, text in enumerate(texts)]
            answer: dict[str, Any] = {
                "object": "list",
                "data": data,
                "model": "m",
                "usage": {"prompt_tokens": 1, "total_tokens": 1},
            }
        else:
            said = {"facts": [fact(FACT, 1, "I play chess every Monday.")]}
            if not self.path.startswith("/facts/"):
                said = {"memory": [{"id": "0", "text": FACT, "attributed_to": "user"}]}
            message = {"role": "assistant", "content": json.dumps(said)}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
            answer |= {"usage": usage}
        payload = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_words: Any) -> None:
        pass


def vector(text: str) -> list[float]:
    values = [0.001] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()):
        values[crc32(word.encode()) % DIMENSIONS] += 1.0
    return values


@contextmanager
def vendor() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Vendor) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def run(script: str, python: str, folder: Path, address: str) -> Any:
    folder.mkdir()
    model: dict[str, Any] = {"model": "m", "api_key": "k", "openai_base_url": f"{address}/v1"}
    store = {"path": str(folder / "q"), "collection_name": "trial", "embedding_model_dims": DIMENSIONS}
    config = {
        "vector_store": {"provider": "qdrant", "config": store},
        "llm": {"provider": "openai", "config": model},
        "embedder": {"provider": "openai", "config": {**model, "embedding_dims": DIMENSIONS}},
        "history_db_path": str(folder / "history.db"),
    }
    environment = {
        "HOME": str(folder),
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "MEM0_DIR": str(folder / "mem0"),
        "MEM0_TELEMETRY": "False",
        "UAC_MODEL": "m",
        "UAC_MODEL_URL": f"{address}/facts/v1",
        "UAC_MODEL_KEY": "k",
        "UAC_EMBEDDER": "none",
        "NO_PROXY": "127.0.0.1",
    }
    output = folder / "steps.json"
    done = subprocess.run(
        [python, "-c", script, json.dumps(config), str(output)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(output.read_text())


OURS = SCRIPT.replace("from mem0 import", "from uac.interfaces.mem0.memory import")
THEIRS = os.environ.get("MEM0_PYTHON") or (sys.executable if find_spec("mem0") else "")
"""A Python that has mem0ai: the one that MEM0_PYTHON names, or this one after `make peers`."""


def test_a_script_written_for_mem0_runs_with_one_changed_import(tmp_path: Path) -> None:
    pytest.importorskip("pydantic_ai", reason="a model needs the extra 'models'")
    with vendor() as address:
        steps = run(OURS, sys.executable, tmp_path / "ours", address)
    assert steps[0] == {
        "results": [
            {"actor_id": "Ana", "event": "ADD", "id": "str", "memory": "I am allergic to peanuts", "role": "user"},
            {"actor_id": None, "event": "ADD", "id": "str", "memory": "I will remember peanuts", "role": "assistant"},
        ]
    }
    assert {"results": [{"event": "ADD", "id": "str", "memory": FACT}]} in steps
    assert steps.count("ValueError") == 6


@pytest.mark.skipif(not THEIRS, reason="mem0ai is not installed: make peers, or name a Python that has it: MEM0_PYTHON")
def test_the_script_gives_the_same_with_mem0_itself(tmp_path: Path) -> None:
    with vendor() as address:
        theirs = run(SCRIPT, THEIRS, tmp_path / "theirs", address)
        ours = run(OURS, sys.executable, tmp_path / "ours", address)
    assert ours == theirs
