"""The models that this machine can reach: keys in the environment, and servers on loopback ports.

A key is never read, only whether it is set: the vendors' clients read it. Nothing about a user is sent: the trial call
is about one sentence of ours, in a memory that is thrown away.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic

import httpx2
import msgspec

from uac.errors import ModelError, NoModel, UacError
from uac.log.stores import open_store
from uac.memory.memory import Memory
from uac.models import chosen_models, open_model
from uac.models.http_address import is_http_address
from uac.schema.entries import Fact

__all__ = ["SENTENCE", "Candidate", "Trial", "find_candidates", "try_candidate"]

VENDORS = {
    "ANTHROPIC_API_KEY": "anthropic:claude-haiku-4-5",
    "OPENAI_API_KEY": "openai:gpt-5-mini",
    "GEMINI_API_KEY": "google:gemini-2.5-flash",
    "OPENROUTER_API_KEY": "openrouter:openai/gpt-5-mini",
    "DEEPSEEK_API_KEY": "deepseek:deepseek-chat",
}
"""The variable of each vendor's key, and a small model of that vendor to try; --try names another."""

LOCAL = {
    "Ollama": "http://127.0.0.1:11434/v1",
    "LM Studio": "http://127.0.0.1:1234/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "vLLM": "http://127.0.0.1:8000/v1",
}
LOOK_SECONDS = 1.0
MOST_BYTES = 1_000_000
TRIAL_SECONDS = 120.0
SENTENCE = "I am allergic to penicillin."
NOT_FOR_TEXT = ("embed", "rerank", "whisper", "bge-")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that may answer, and where it was found. `url` is "" for a vendor's."""

    model: str
    found: str
    url: str = ""
    more: tuple[str, ...] = ()
    """Other models of the same server."""

    @property
    def settings(self) -> dict[str, str]:
        return {"UAC_MODEL": self.model, **({"UAC_MODEL_URL": self.url} if self.url else {})}


@dataclass(frozen=True, slots=True)
class Trial:
    """How one call went: its seconds and what it gave, or the problem."""

    candidate: Candidate
    seconds: float
    facts: tuple[str, ...] = ()
    to_fix: tuple[str, ...] = ()
    problem: str = ""


def find_candidates(
    environ: Mapping[str, str], servers: Sequence[str] = (), wanted: str | None = None
) -> list[Candidate]:
    """What is configured already comes first, then servers that were named, keys, and servers on this machine."""
    found: list[Candidate] = []
    if name := environ.get("UAC_MODEL", "").strip():
        found.append(Candidate(name, "UAC_MODEL is set", environ.get("UAC_MODEL_URL", "").strip()))
    for url in servers:
        if not is_http_address(url):
            raise NoModel(f"--server: {url!r} is not an address. Use one such as 'http://localhost:11434/v1'.")
        found += _server_candidates("the server", url, must_answer=True)
    found += [
        Candidate(model, f"{variable} is set")
        for variable, model in VENDORS.items()
        if environ.get(variable, "").strip()
    ]
    for title, url in LOCAL.items():
        found += _server_candidates(title, url)
    return found if wanted is None else _named_model(found, wanted)


def try_candidate(candidate: Candidate, environ: Mapping[str, str]) -> Trial:
    """One call: the model reads one sentence, and its reply is checked as every reply is."""
    started = monotonic()
    try:
        if candidate.found == "UAC_MODEL is set":
            model = chosen_models(environ).for_step("extract")
            assert model is not None  # UAC_MODEL is set
        else:
            key = environ.get("UAC_MODEL_KEY", "") if candidate.url == environ.get("UAC_MODEL_URL") else ""
            model = open_model(candidate.model, url=candidate.url, key=key, timeout=TRIAL_SECONDS, tries=1)
        memory = Memory(open_store("memory:").log("trial"), embedder=None)
        try:
            memory.add(SENTENCE, said=datetime(2026, 3, 2, 9, tzinfo=UTC))
            (request,) = memory.pending(most=1)
            outcome = memory.answer(request.id, model.ask(request).text, model=candidate.model)
            entries = [stored.entry for stored in memory.log.read_at(outcome.facts)]
        finally:
            memory.close()
    except UacError as error:
        return Trial(candidate, monotonic() - started, problem=str(error))
    facts = tuple(entry.text for entry in entries if isinstance(entry, Fact))
    return Trial(candidate, monotonic() - started, facts, tuple(finding.why for finding in outcome.findings))


def _named_model(found: Sequence[Candidate], wanted: str) -> list[Candidate]:
    """The candidates of that name; a vendor's model that nothing was found for is tried anyway."""
    named = [
        Candidate(wanted, each.found, each.url)
        for each in found
        if each.model == wanted
        or wanted in each.more
        or (not each.url and _vendor(each.model) == _vendor(wanted) != "")
    ]
    return named or [Candidate(wanted, "named with --try")]


def _vendor(model: str) -> str:
    return model.partition(":")[0] if ":" in model else ""


class _ListedModel(msgspec.Struct):
    id: str


class _ModelList(msgspec.Struct):
    data: list[_ListedModel]


def _server_candidates(title: str, url: str, *, must_answer: bool = False) -> list[Candidate]:
    """The first model of a server that lists its models, with the names of the others."""
    try:
        # No proxy may stand between: this is about what runs here.
        with (
            httpx2.Client(trust_env=False, follow_redirects=False, timeout=LOOK_SECONDS) as client,
            client.stream("GET", f"{url.rstrip('/')}/models") as response,
        ):
            body = b"".join(_limited(response))
            status = response.status_code
        listed = msgspec.json.decode(body, type=_ModelList) if status == 200 else _ModelList([])
    except (httpx2.HTTPError, OSError, ValueError, msgspec.MsgspecError):
        if must_answer:
            raise ModelError(f"{url} does not list its models. Check the address; most end in /v1.") from None
        return []
    names = [each.id for each in listed.data if not any(word in each.id.lower() for word in NOT_FOR_TEXT)]
    if not names:
        if must_answer:
            raise ModelError(f"{url} has no model for text. Load one there, then try again.")
        return []
    return [Candidate(names[0], f"{title} at {url}", url, tuple(names[1:]))]


def _limited(response: httpx2.Response) -> list[bytes]:
    parts: list[bytes] = []
    for part in response.iter_bytes():
        parts.append(part)
        if sum(map(len, parts)) > MOST_BYTES:
            raise ValueError
    return parts
