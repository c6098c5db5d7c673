"""A stand-in for a model, alike for all peers that need one: a server on this machine that speaks OpenAI's API.

It answers by rule, so that a run is repeatable and no peer has a better model than another. Extraction returns each
sentence of the text, verbatim, as a fact about the speaker; whatever a peer asks the model to decide (duplicates,
contradictions, summaries) is answered with none, or with the words themselves. Vectors are those of the common
embedder. A request that the rules do not know is refused, so that no peer is measured by an answer to another request.
"""

import base64
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from uac_bench.systems.rebuilt import bench_embedder

__all__ = ["ScriptedVendor", "scripted_reply", "scripted_vendor", "sentences"]

SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")
NAME = re.compile(r"(?<=\w )[A-Z][\w'’-]+")  # a capital that does not begin a sentence
THEME = "the conversation"
MODEL = "scripted"
PLAIN = "plain text"
BETWEEN = "\n\0\n"  # messages of a prompt


class UnknownRequest(Exception):
    """No rule answers this request."""


def sentences(text: str) -> list[str]:
    return [part.strip() for part in SENTENCE_END.split(text) if part.strip()]


def scripted_reply(schema: str, prompt: str) -> str:
    """The reply to a request for a schema of that name, or for plain text; the words are where the prompt has them."""
    rule = RULES.get(schema)
    if schema == PLAIN:
        rule = next((each for marker, each in PLAIN_RULES.items() if marker in prompt), None)
    if rule is None:
        raise UnknownRequest(f"No scripted reply for {schema}: {prompt[:200]!r}")
    reply = rule(prompt)
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


# -- Graphiti ----------------------------------------------------------------------------------------------------------


def _between(prompt: str, tag: str) -> str:
    """The text in the last tag of that name, which is where its prompts have the message."""
    found = re.findall(rf"<{tag}>\n?(.*?)\n?</{tag}>", prompt, re.DOTALL)
    if not found:
        raise UnknownRequest(f"A prompt has no <{tag}>.")
    return str(found[-1])


def _speaker_and_words(message: str) -> tuple[str, str]:
    speaker, _colon, words = message.strip().partition(": ")
    return speaker, words


def _facts(message: str) -> list[tuple[str, str, str]]:
    """Each sentence: the speaker, what it is about (a name, or else its longest word), and its words."""
    speaker, words = _speaker_and_words(message)
    found: list[tuple[str, str, str]] = []
    for sentence in sentences(words):
        names = [name for name in NAME.findall(sentence) if name != speaker]
        longest = max(re.findall(r"[^\W\d_]+", sentence), key=len, default=THEME)
        found.append((speaker, names[0] if names else longest, sentence))
    return found


def _graphiti_entities(prompt: str) -> object:
    facts = _facts(_between(prompt, "CURRENT MESSAGE"))
    names = dict.fromkeys(name for speaker, about, _sentence in facts for name in (speaker, about))
    return {"extracted_entities": [{"name": name, "entity_type_id": 0, "episode_indices": [0]} for name in names]}


def _graphiti_edges(prompt: str) -> object:
    edges = [
        {
            "source_entity_name": speaker,
            "target_entity_name": about,
            "relation_type": "SAID",
            "fact": sentence,
            "episode_indices": [0],
        }
        for speaker, about, sentence in _facts(_between(prompt, "CURRENT_MESSAGE"))
    ]
    return {"edges": edges}


def _graphiti_resolutions(prompt: str) -> object:
    """An entity is one that exists if it has its name."""
    new = json.loads(_between(prompt, "ENTITIES"))
    existing = {each["name"]: each["candidate_id"] for each in json.loads(_between(prompt, "EXISTING ENTITIES"))}
    return {
        "entity_resolutions": [
            {"id": each["id"], "name": each["name"], "duplicate_candidate_id": existing.get(each["name"], -1)}
            for each in new
        ]
    }


# -- cognee ------------------------------------------------------------------------------------------------------------


def _cognee_graph(prompt: str) -> object:
    """Each sentence is an edge, with its words as description."""
    facts = _facts(f"User: {prompt.rpartition(BETWEEN)[2]}")
    names = dict.fromkeys(name for speaker, about, _sentence in facts for name in (speaker, about))
    nodes = [{"id": name, "name": name, "type": "Thing", "description": name} for name in names]
    edges = [
        {"source_node_id": speaker, "target_node_id": about, "relationship_name": "said", "description": sentence}
        for speaker, about, sentence in facts
    ]
    return {"nodes": nodes, "edges": edges}


RULES: Mapping[str, Callable[[str], object]] = {
    "ExtractedEntities": _graphiti_entities,
    "ExtractedEdges": _graphiti_edges,
    "NodeResolutions": _graphiti_resolutions,
    "EdgeDuplicate": lambda _prompt: {"duplicate_facts": [], "contradicted_facts": []},
    "EdgeTimestamps": lambda _prompt: {"valid_at": None, "invalid_at": None},
    "SummarizedEntities": lambda _prompt: {"summaries": []},
    "KnowledgeGraph": _cognee_graph,
    "SummarizedContent": lambda prompt: {"summary": prompt.rpartition(BETWEEN)[2]},
}
"""What answers a request, by the name of the schema that the peer asks for."""


# -- MemOS and MemoryOS, which ask for plain text ----------------------------------------------------------------------


def _after(prompt: str, start: str, stop: str = "") -> str:
    words = prompt.rpartition(start)[2]
    return (words.rpartition(stop)[0] if stop else words).strip()


def _memos_memories(prompt: str) -> object:
    _role, _colon, words = _after(prompt, "Conversation:\n", "Your Output:").partition(":")
    memories = [
        {"key": sentence[:40], "memory_type": "LongTermMemory", "value": sentence, "tags": []}
        for sentence in sentences(words)
    ]
    return {"memory list": memories, "summary": ""}


def _keywords(text: str) -> list[str]:
    """The five longest words, in their order."""
    words = dict.fromkeys(re.findall(r"[^\W\d_]{4,}", text.casefold()))
    longest = sorted(words, key=lambda word: -len(word))[:5]
    return [word for word in words if word in longest]


def _memoryos_summaries(prompt: str) -> object:
    words = _after(prompt, "Conversation content:\n")
    return [{"theme": THEME, "keywords": _keywords(words), "content": words}]


def _memoryos_knowledge(prompt: str) -> str:
    """What the user said, sentence by sentence."""
    said = re.findall(r"^User: (.+?) \(Timestamp: [^)]*\)$", prompt, re.MULTILINE)
    facts = [f"- {sentence}" for words in said for sentence in sentences(words)]
    return "\n".join(["【User Private Data】", *(facts or ["None"]), "【Assistant Knowledge】", "None"])


PLAIN_RULES: Mapping[str, Callable[[str], object]] = {
    "You are a memory extraction expert.": _memos_memories,
    "You are an expert in keyword extraction.": lambda prompt: ", ".join(
        _keywords(_after(prompt, "concise:\n", "Keywords:"))
    ),
    "You are an expert in analyzing dialogue topics.": _memoryos_summaries,
    "You are a conversation continuity detector.": lambda _prompt: "false",
    "You are a conversation meta-summary updater.": lambda _prompt: "none",
    "You are a professional user preference analysis assistant.": lambda _prompt: "None",
    "You are a knowledge extraction assistant.": _memoryos_knowledge,
}
"""What answers a request for plain text, by words of the prompt."""


# -- the server --------------------------------------------------------------------------------------------------------


class ScriptedVendor:
    """The running server: where it is, and how often each schema was asked for."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self.asked: Counter[str] = Counter()
        self.refused: list[str] = []


@contextmanager
def scripted_vendor() -> Iterator[ScriptedVendor]:
    """The server, while the block lasts."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.vendor = ScriptedVendor(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server.vendor
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    vendor: ScriptedVendor


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        vendor = self.server.vendor
        try:
            if self.path.endswith("/embeddings"):
                vendor.asked["embeddings"] += 1
                self._send(200, _embedded(asked))
            else:
                schema, prompt = _schema_and_prompt(asked)
                vendor.asked[schema] += 1
                self._send(200, _completed(scripted_reply(schema, prompt)))
        except UnknownRequest as error:
            vendor.refused.append(str(error))
            self._send(400, {"error": {"message": str(error), "type": "unknown_request"}})

    def _send(self, status: int, answer: object) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that the library has
        """Nothing is printed for a request."""


def _schema_and_prompt(asked: Mapping[str, Any]) -> tuple[str, str]:
    """The name of the schema that a completion must have, and all messages."""
    form = asked.get("response_format") or {}
    name = str(form.get("json_schema", {}).get("name", PLAIN))
    prompt = BETWEEN.join(_content(each) for each in asked.get("messages", ()))
    return name, prompt


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(str(part.get("text", "")) for part in content)


def _completed(text: str) -> object:
    message = {"role": "assistant", "content": text}
    return {
        "id": "scripted-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def _embedded(asked: Mapping[str, Any]) -> object:
    texts: Sequence[str] = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
    if any(not isinstance(text, str) for text in texts):
        raise UnknownRequest("An embedding of numbers was asked for. Give texts.")
    vectors = bench_embedder().embed(list(texts)).astype("<f4")
    is_packed = asked.get("encoding_format") == "base64"
    data = [
        {
            "object": "embedding",
            "index": number,
            "embedding": base64.b64encode(vector.tobytes()).decode() if is_packed else vector.tolist(),
        }
        for number, vector in enumerate(vectors)
    ]
    return {"object": "list", "model": MODEL, "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
