"""uac setup model: keys and servers are found, one call is tried, nothing is stored and no key is printed."""

import json
from pathlib import Path

import pytest

from support.cli import lines, uac
from support.fake_vendor_server import Act, fails, loopback, no_proxy, nobody, of_model, raw, well
from uac.interfaces.setup import found_models

FACTS = json.dumps(
    {
        "facts": [
            {
                "text": "The user is allergic to penicillin.",
                "about": "user",
                "cites": [{"turn": 1, "quote": "I am allergic to penicillin"}],
            }
        ]
    }
)
KEY = "sk-very-secret"


@pytest.fixture(autouse=True)
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, no setting, and nobody on the known ports."""
    no_proxy(monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (*found_models.VENDORS, "UAC_MODEL", "UAC_MODEL_URL", "UAC_MODEL_KEY", "UAC_REPLIES", "UAC_STORE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(found_models, "LOCAL", {"Ollama": f"{nobody()}/v1"})


def of_server(path: str, body: object, act: Act) -> bytes:
    """As Ollama: it lists its models, and answers in the form of chat completions."""
    if path == "/v1/models":
        return json.dumps({"data": [{"id": "nomic-embed-text"}, {"id": "llama3"}, {"id": "qwen"}]}).encode()
    return of_model(path, body, act)


def test_a_key_in_the_environment_is_tried_and_the_setting_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    with loopback() as vendor:
        vendor.will(well(FACTS))
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{vendor.address}/v1")
        ran = uac("setup", "model")
    assert ran.exit_code == 0, ran.output
    assert "found  OPENAI_API_KEY is set: openai:gpt-5-mini" in ran.stdout
    assert "“The user is allergic to penicillin.”" in ran.stdout
    assert "\nexport UAC_MODEL=openai:gpt-5-mini\n" in ran.stdout
    assert KEY not in ran.output
    assert len(vendor.asked) == 1
    assert list(Path.cwd().iterdir()) == []


def test_a_server_on_this_machine_is_found_with_a_model_for_text(monkeypatch: pytest.MonkeyPatch) -> None:
    with loopback(of_server) as server:
        server.will(well(), well(FACTS))
        monkeypatch.setattr(found_models, "LOCAL", {"Ollama": f"{server.address}/v1"})
        (said,) = lines(uac("setup", "model", "--json"))
    assert said["found"] == [
        {
            "model": "llama3",
            "found": f"Ollama at {server.address}/v1",
            "url": f"{server.address}/v1",
            "more": ["qwen"],
        }
    ]
    assert said["settings"] == {"UAC_MODEL": "llama3", "UAC_MODEL_URL": f"{server.address}/v1"}
    assert server.asked[0].path == "/v1/models"
    assert "authorization" not in server.asked[0].headers
    assert server.asked[1].body["model"] == "llama3"


def test_a_server_and_a_model_can_be_named() -> None:
    with loopback(of_server) as server:
        server.will(well(), well(FACTS))
        ran = uac("setup", "model", "--server", f"{server.address}/v1", "--try", "qwen")
    assert f"export UAC_MODEL=qwen UAC_MODEL_URL={server.address}/v1" in ran.stdout
    assert server.asked[1].body["model"] == "qwen"


def test_the_next_one_is_tried_if_the_first_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with loopback() as vendor, loopback(of_server) as server:
        vendor.will(fails(401, f"bad key {KEY}"))
        server.will(well(), well(FACTS))
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{vendor.address}/v1")
        monkeypatch.setattr(found_models, "LOCAL", {"Ollama": f"{server.address}/v1"})
        ran = uac("setup", "model")
    assert ran.exit_code == 0, ran.output
    assert "no     openai:gpt-5-mini: " in ran.stdout
    assert "yes    llama3 answered" in ran.stdout
    assert KEY not in ran.output


def test_a_model_that_does_not_read_the_sentence_is_said_to() -> None:
    with loopback(of_server) as server:
        server.will(well(), well())
        ran = uac("setup", "model", "--server", f"{server.address}/v1")
    assert "answered in" in ran.stdout
    assert ": no fact\n" in ran.stdout
    assert "did not read the sentence" in ran.stderr


def test_without_key_and_server_the_ways_are_named() -> None:
    ran = uac("setup", "model")
    assert ran.exit_code == 7
    assert ran.stdout.startswith("No key and no local server was found. Three ways on:\n")


def test_the_configured_model_is_the_first_to_be_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    with loopback(of_server) as server:
        server.will(well(FACTS))
        monkeypatch.setenv("UAC_MODEL", "llama3")
        monkeypatch.setenv("UAC_MODEL_URL", f"{server.address}/v1")
        ran = uac("setup", "model")
    assert "It is configured already." in ran.stdout
    assert len(server.asked) == 1


@pytest.mark.parametrize("act", [raw(b"<html>"), raw(b'{"data": [{"id": 3}]}'), fails(404), raw(b'{"data": []}')])
def test_something_else_on_a_known_port_is_no_server(act: Act, monkeypatch: pytest.MonkeyPatch) -> None:
    with loopback() as other:
        other.will(act)
        monkeypatch.setattr(found_models, "LOCAL", {"vLLM": f"{other.address}/v1"})
        (said,) = [json.loads(line) for line in uac("setup", "model", "--json").stdout.splitlines()]
    assert (said["found"], said["settings"]) == ([], None)


def test_an_address_that_was_named_and_is_none_is_refused() -> None:
    for url, reason in ((f"{nobody()}/v1", "does not list its models"), ("nowhere", "is not an address")):
        ran = uac("setup", "model", "--server", url)
        assert ran.exit_code == 7
        assert reason in ran.stderr
