"""Peers that run in an environment of their own: the process that serves one, and the model that all of them get."""

import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tools.peers import PEERS as INSTALLED
from uac_bench.systems import CannotRun, NotInstalled, StoredText
from uac_bench.systems.environments import DRIVERS, PEERS, ProcessPeer, environment_contestants, environment_versions
from uac_bench.systems.scripted_vendor import BETWEEN, PLAIN, scripted_reply, scripted_vendor, sentences

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DRIVER = '''
class Driver:
    """Finds the texts that share a word with the question."""

    def __init__(self, url, folder):
        print("a peer may print")
        self.texts = {}

    def add(self, texts):
        self.texts |= {each["place"]: each["text"] for each in texts}

    def search(self, question, most):
        if question == "break":
            raise ValueError("no index")
        return [place for place, text in self.texts.items() if set(text.split()) & set(question.split())][:most]


from serve_lines import serve

serve(Driver)
'''


@pytest.fixture
def environments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment with a peer of a few lines."""
    folder = tmp_path / "peers"
    (folder / "words" / "bin").mkdir(parents=True)
    (folder / "words" / "bin" / "python").symlink_to(sys.executable)
    (tmp_path / "words_driver.py").write_text(DRIVER)
    monkeypatch.setenv("PYTHONPATH", str(DRIVERS))
    return folder


def texts(*words: str) -> list[StoredText]:
    return [StoredText(each, NOON) for each in words]


def test_a_peer_is_asked_in_its_own_process_and_counts_on(environments: Path) -> None:
    peer = ProcessPeer("words", environments, environments.parent)
    peer.add(texts("a cat", "a dog"))
    peer.add(texts("one cat"))
    assert peer.search("cat", 10) == [0, 2]
    assert peer.search("cat", 1) == [0]
    peer.close()


def test_a_peer_that_stops_is_reported_with_its_message(environments: Path) -> None:
    peer = ProcessPeer("words", environments, environments.parent)
    with pytest.raises(CannotRun, match="ValueError: no index"):
        peer.search("break", 1)
    with pytest.raises(CannotRun, match="ValueError: no index"):
        peer.search("cat", 1)
    peer.close()


def test_a_peer_without_an_environment_is_not_installed(tmp_path: Path) -> None:
    with pytest.raises(NotInstalled, match="make peers"):
        environment_contestants(tmp_path)[0].open()
    assert environment_versions(tmp_path) == {}


def test_the_version_of_a_peer_is_that_in_its_environment(tmp_path: Path) -> None:
    (tmp_path / "graphiti" / "lib" / "python3.11" / "site-packages" / "graphiti_core-9.1.dist-info").mkdir(parents=True)
    assert environment_versions(tmp_path) == {"graphiti-core": "9.1"}


def test_every_peer_with_an_environment_has_a_driver_and_pinned_packages() -> None:
    assert sorted(PEERS) == list(INSTALLED) == sorted(path.name[:-10] for path in DRIVERS.glob("*_driver.py"))


def test_a_scripted_model_gives_every_sentence_back_verbatim() -> None:
    said = "I moved to Oslo. My rent is 900 euros! Is that much?"
    prompt = f"<CURRENT MESSAGE>\nUser: {said}\n</CURRENT MESSAGE>"
    edges = json.loads(scripted_reply("ExtractedEdges", prompt.replace("CURRENT MESSAGE", "CURRENT_MESSAGE")))["edges"]
    assert [edge["fact"] for edge in edges] == sentences(said)
    entities = json.loads(scripted_reply("ExtractedEntities", prompt))["extracted_entities"]
    assert [each["name"] for each in entities] == ["User", "Oslo", "euros", "that"]
    named = {edge[end] for edge in edges for end in ("source_entity_name", "target_entity_name")}
    assert named == {each["name"] for each in entities}
    graph = json.loads(scripted_reply("KnowledgeGraph", f"Extract.{BETWEEN}{said}"))
    assert [edge["description"] for edge in graph["edges"]] == sentences(said)
    memos = f"You are a memory extraction expert.\nConversation:\nuser:{said}\n\nYour Output:"
    assert [each["value"] for each in json.loads(scripted_reply(PLAIN, memos))["memory list"]] == sentences(said)
    pages = f"You are a knowledge extraction assistant.\nUser: {said} (Timestamp: 2026-03-01 12:00:00)\nAssistant: Yes."
    known = scripted_reply(PLAIN, pages)
    assert [line[2:] for line in known.splitlines() if line.startswith("- ")] == sentences(said)


def test_an_entity_is_merged_only_with_one_of_its_name() -> None:
    new = json.dumps([{"id": 0, "name": "Oslo"}, {"id": 1, "name": "Bergen"}])
    existing = json.dumps([{"candidate_id": 4, "name": "Oslo"}])
    prompt = f"<ENTITIES>\n{new}\n</ENTITIES>\n<EXISTING ENTITIES>\n{existing}\n</EXISTING ENTITIES>"
    found = json.loads(scripted_reply("NodeResolutions", prompt))["entity_resolutions"]
    assert [(each["name"], each["duplicate_candidate_id"]) for each in found] == [("Oslo", 4), ("Bergen", -1)]


def post(url: str, path: str, body: Mapping[str, object]) -> tuple[int, Any]:
    connection = HTTPConnection(urlsplit(url).netloc)
    connection.request("POST", f"/v1{path}", json.dumps(body))
    answer = connection.getresponse()
    found = json.loads(answer.read())
    connection.close()
    return answer.status, found


def test_the_scripted_vendor_speaks_the_api_and_refuses_what_no_rule_answers() -> None:
    with scripted_vendor() as vendor:
        status, vectors = post(vendor.url, "/embeddings", {"input": ["a cat", "a dog"], "model": "any"})
        assert (status, len(vectors["data"])) == (200, 2)
        messages = [{"role": "user", "content": "Are these the same?"}]
        form = {"type": "json_schema", "json_schema": {"name": "EdgeDuplicate"}}
        status, reply = post(vendor.url, "/chat/completions", {"messages": messages, "response_format": form})
        assert status == 200
        decided = json.loads(reply["choices"][0]["message"]["content"])
        assert decided == {"duplicate_facts": [], "contradicted_facts": []}
        status, refused = post(vendor.url, "/chat/completions", {"messages": messages})
        assert status == 400
        assert "No scripted reply" in refused["error"]["message"]
        assert vendor.asked == {"embeddings": 1, "EdgeDuplicate": 1, PLAIN: 1}
        assert len(vendor.refused) == 1
