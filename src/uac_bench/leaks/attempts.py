"""The ways of reading: library, command line, agent's tools and HTTP. Each attempt returns all that the reader sees."""

import json
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import msgspec
from click.testing import CliRunner

from uac import Clocks, Memory
from uac.errors import UacError
from uac.interfaces.agent_tools import Dispatcher
from uac.interfaces.cli import main
from uac.log import wall_clock
from uac_bench.leaks.scene import OWNER, Scene

__all__ = ["Attempt", "attempts_of"]

NONSENSE = "xyzzyplugh"

DUMP = "str([[str(r) for r in rows] for rows in [health.allergies, health.former_allergies, food.meals]])"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of an attacker; `read` gives what was read, or the text of the error."""

    way: str
    name: str
    read: Callable[[], str]


def attempts_of(scene: Scene, attacker: str) -> Iterator[Attempt]:
    for name, read in _library(scene, attacker):
        yield Attempt("library", name, partial(_text_or_error, read))
    for arguments in _commands(scene, attacker):
        yield Attempt("command", " ".join(arguments), partial(_run, scene, arguments))
    yield Attempt("command", "export", partial(_exported, scene, attacker))
    for tool, given in _tool_calls(scene):
        yield Attempt("tool", f"{tool} {json.dumps(given)}", partial(_call_tool, scene, attacker, tool, given))
    if not scene.store.log(OWNER).head().position:  # she is erased, so that her words are nowhere
        yield Attempt("file", "bytes", scene.stored_bytes)
    for method, path, body in _requests(scene):
        yield Attempt("request", f"{method} {path}", partial(_ask, scene, attacker, method, path, body))


def _text_or_error(read: Callable[[], object]) -> str:
    try:
        return repr(read())
    except UacError as error:
        return f"{type(error).__name__}: {error}"


def _library(scene: Scene, attacker: str) -> Iterator[tuple[str, Callable[[], object]]]:
    def memory() -> Memory:
        return scene.group.memory(attacker)

    def of_every_position(read: Callable[[Memory, int], object]) -> object:
        opened = memory()
        return [read(opened, position) for position in range(opened.log.head().position + 1)]

    yield "open", lambda: [*memory().log.read()]
    yield "rows", lambda: [*memory().log.read_rows()]
    yield "project", lambda: [memory().project().tables, memory().project().sources, memory().project().types]
    yield "as of every position", lambda: of_every_position(lambda m, at: m.project_as_of(at).tables)
    yield "told and valid", lambda: memory().project_at(Clocks(valid=wall_clock().date(), told=wall_clock().date()))
    yield "diff", lambda: memory().diff(0)
    yield "render", lambda: {k: v for k, v in memory().render().items() if "tests" not in k and "constraints" not in k}
    yield "manifest", lambda: memory().manifest()
    yield "alerts", lambda: memory().alerts()
    yield "history of alerts", lambda: [*memory().history()]
    yield "context", lambda: memory().context("What is Ana allergic to, and what is wrong with her?").text
    yield "pending", lambda: memory().pending()
    yield "unplaced facts", lambda: [memory().project().aside, memory().project().waiting, memory().project().orphans]
    yield "receipts and failures", lambda: [memory().project().receipts, memory().project().failures]
    yield "snapshot", lambda: [memory().log.snapshot()]
    yield "index", lambda: memory().log.index().head()
    yield "why", lambda: memory().why("meal_suits_everyone")
    yield "compute", lambda: memory().compute(DUMP).value
    yield "add a friend", lambda: scene.group.add("carl", "read", by=attacker)
    for word in sorted(word for word in scene.forbidden if " " not in word):
        yield f"recall {word}", partial(_recall_tells, memory, word)
        yield f"explain {word}", partial(_explained, memory, word)


def _recall_tells(memory: Callable[[], Memory], word: str) -> str:
    """Hits without the query itself, and the word if it is found more often than one that does not exist."""
    opened = memory()
    found, other = opened.recall(word), opened.recall(NONSENSE)
    text = repr(found.hits).replace(f"query={word!r}", "")
    return (
        text if (len(found.hits), found.matched) == (len(other.hits), other.matched) else f"{text} {word} was counted"
    )


def _explained(memory: Callable[[], Memory], word: str) -> object:
    """The id is not quite right: an error might suggest the one that is meant."""
    return memory().explain(f"health.Allergy:{word[:-1]}|ana|ana", "substance")


def _exported(scene: Scene, attacker: str) -> str:
    with TemporaryDirectory() as name:
        folder = Path(name) / "export"
        said = _run(scene, ("export", scene.group_id, str(folder), "--as", attacker))
        files = (path for path in sorted(folder.rglob("*")) if path.is_file())
        return said + "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in files)


def _commands(scene: Scene, attacker: str) -> Iterator[tuple[str, ...]]:
    group = scene.group_id
    for command in ("log", "records", "alerts", "manifest", "conflicts", "coverage", "pending"):
        yield command, group, "--as", attacker
    yield "log", group, "--json", "--as", attacker
    yield "recall", group, "allergy of Ana", "--as", attacker
    yield "context", attacker, "What is Ana allergic to?", "--group", "crew"
    yield "compute", group, DUMP, "--as", attacker
    yield "diff", group, "0", "--as", attacker
    yield "group", "members", "crew", "--as", attacker
    yield "log", OWNER, "--as", attacker


def _run(scene: Scene, arguments: tuple[str, ...]) -> str:
    return CliRunner().invoke(main, [*arguments, "--store", scene.address]).output


def _tool_calls(scene: Scene) -> Iterator[tuple[str, dict[str, Any]]]:
    for group in ({"group": "crew"}, {}, {"group": OWNER}):
        yield "recall", {"query": "What is Ana allergic to?", **group}
        yield "read", group
        yield "read", {"name": "health", **group}
        yield "alerts", group
        yield "compute", {"code": DUMP, **group}
        yield "pending", group
        yield "forget", {"positions": [1], **group}
    for word in sorted({*scene.forbidden} - {"quorvex"}):
        yield "explain", {"record": f"health.Allergy:{word[:-1]}", "group": "crew"}


def _call_tool(scene: Scene, attacker: str, tool: str, given: dict[str, Any]) -> str:
    own = scene.memory(attacker)
    try:
        groups = {group.name: group.memory(attacker) for group in scene.groups.of(attacker)}
        reply = Dispatcher(own, wall_clock, groups).call_tool(tool, given, None)
        return reply.text + json.dumps(reply.content, ensure_ascii=False)
    finally:
        own.close()


def _requests(scene: Scene) -> Iterator[tuple[str, str, object]]:
    reads = ("log", "records?type=health.Allergy", "alerts", "alerts/history", "manifest", "diff?before=0", "conflicts")
    for user in (scene.group_id, OWNER):
        for path in (*reads, "types", "coverage", "pending", "files", "files/domains/health/state.py", "groups"):
            yield "GET", f"/v1/users/{user}/{path}", None
        yield "POST", f"/v1/users/{user}/recall", {"query": "What is Ana allergic to?"}
        yield "POST", f"/v1/users/{user}/context", {"question": "What is Ana allergic to?"}
        yield "POST", f"/v1/users/{user}/compute", {"code": DUMP}
        yield "POST", f"/v1/users/{user}/retractions", {"positions": [1, 2, 3], "why": "x", "dry_run": True}
        yield "POST", f"/v1/users/{user}/erasures", {"positions": [1, 2, 3], "why": "x", "dry_run": True}
    yield "GET", "/v1/groups/crew", None
    yield "PUT", f"/v1/users/{OWNER}/shares/crew", {"shares": ["health.Condition"]}
    yield "GET", f"/v1/memories?user_id={scene.group_id}", None
    yield "GET", f"/v1/memories?user_id={OWNER}", None


def _ask(scene: Scene, attacker: str, method: str, path: str, body: object) -> str:
    """The answer of the service to a request with the attacker's key, without a socket between."""
    sent = msgspec.json.encode(body) if body is not None else b""
    where, _mark, query = path.partition("?")
    headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {scene.keys[attacker]}".encode())]
    headers += [(b"content-type", b"application/json"), (b"content-length", str(len(sent)).encode())]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "root_path": "",
        "method": method,
        "path": where,
        "raw_path": where.encode(),
        "query_string": query.encode(),
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
        "state": {},
    }
    parts: list[str] = []
    messages = [{"type": "http.request", "body": sent, "more_body": False}]

    async def receive() -> MutableMapping[str, Any]:
        if messages:
            return messages.pop()
        await anyio.sleep_forever()
        raise AssertionError

    async def send(message: MutableMapping[str, Any]) -> None:
        parts.append(repr(message.get("headers", "")) + message.get("body", b"").decode())

    async def serve() -> None:
        await scene.app(scope, receive, send)

    anyio.run(serve)
    return "".join(parts)
