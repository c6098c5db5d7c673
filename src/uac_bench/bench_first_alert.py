"""uac-bench first-alert: the commands and seconds from nothing to the first alert, for each of the three ways to start.

No live model is called. In the agent's place, the official MCP client sends the one call that an agent sends, through
the very configuration that was written; in the vendor's place, a server on this machine answers.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import perf_counter

import click
import msgspec

from uac.errors import Refused
from uac.interfaces.cli import Output
from uac_bench.harness import SuiteRun, out_option
from uac_bench.measure import machine_description, package_index_settings
from uac_bench.runs import BenchTable

__all__ = ["bench_first_alert"]

ABOUT = "Commands and seconds from nothing to the first alert."
WAYS = ("agent", "key", "nothing")
SENTENCE = "I get hives from penicillin. Dr. Chen just gave me amoxicillin."
QUOTES = ("I get hives from penicillin", "Dr. Chen just gave me amoxicillin")
FACTS = ("The user gets hives from penicillin.", "Dr. Chen gave the user amoxicillin.")
RECORDS = (
    {"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin", "reaction": "hives"}},
    {"op": "put", "type": "health.Medication", "fields": {"name": "amoxicillin"}},
)
AGENT = """
import json, sys
from pathlib import Path
import anyio
from mcp import Client, StdioServerParameters

async def say():
    server = json.loads(Path.home().joinpath(".cursor/mcp.json").read_text())["mcpServers"]["memory"]
    async with Client(StdioServerParameters(**server)) as client:
        result = await client.call_tool("remember", json.loads(sys.argv[1]))
        print(result.content[0].text)

anyio.run(say)
"""
"""An agent's part: it starts the server as its configuration says, and sends one call."""


class Step(msgspec.Struct, frozen=True):
    """One thing that a newcomer types, and how long it took; `is_typed` is false for what the agent does."""

    command: str
    seconds: float
    is_typed: bool = True


class Way(msgspec.Struct, frozen=True):
    """One way to start, and its steps up to the alert."""

    name: str
    steps: list[Step]

    @property
    def commands(self) -> int:
        return sum(step.is_typed for step in self.steps)

    @property
    def seconds(self) -> float:
        return sum(step.seconds for step in self.steps)


@click.command("first-alert")
@click.option(
    "--source",
    default=".",
    show_default=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of the project.",
)
@click.option("--here", is_flag=True, help="Use this environment, and do not measure the installation.")
@click.option("--way", "names", multiple=True, type=click.Choice(WAYS), help="Only this way; may be repeated.")
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_first_alert(
    *, source: Path, here: bool, names: tuple[str, ...], out_folder: Path | None, as_json: bool
) -> None:
    """Count commands and seconds from nothing to the first alert of a sentence of one's own.

    Three ways: an agent, a key, nothing. Without --here each installs the package into a fresh environment first,
    from the package index, with an empty cache: some 250 MB for each way. Every step is announced on standard error.
    A stand-in on this machine plays the agent's and the model's part, so their own time to think is not in it.
    """
    suite = SuiteRun("first-alert", ABOUT, out_folder, as_json=as_json)
    out = suite.out
    ways: list[Way] = []
    with tempfile.TemporaryDirectory(prefix="uac-bench-") as folder:
        for name in names or WAYS:
            ways.append(_measure_way(name, Path(folder) / name, None if here else source.resolve(), out))
            shutil.rmtree(Path(folder) / name)  # an installation takes as much room as the next one
    if as_json:
        out.json({"ways": [{**msgspec.to_builtins(way), "commands": way.commands} for way in ways]})
    for way in ways:
        out.line(f"{way.name}: {counted_commands(way)}, {way.seconds:.1f} s")
        for step in way.steps:
            out.line(f"  {step.seconds:5.1f} s  {'' if step.is_typed else '(the agent) '}{step.command}")
    out.line(machine_description())
    rows = tuple((way.name, str(way.commands), f"{way.seconds:.1f}") for way in ways)
    suite.finish(tables=[BenchTable(title="to the first alert", columns=("way", "commands", "seconds"), rows=rows)])


def counted_commands(way: Way) -> str:
    return f"{way.commands} {'command' if way.commands == 1 else 'commands'}"


def _measure_way(name: str, home: Path, source: Path | None, out: Output) -> Way:
    home.mkdir()
    extra = {"agent": "[mcp]", "key": "[models]", "nothing": ""}[name]
    steps: list[Step] = []
    python = Path(sys.executable)

    def run(
        typed: str, program: Sequence[str | Path], *, is_typed: bool = True, settings: Mapping[str, str] = {}
    ) -> str:
        out.note(f"{name}: {typed} …")
        step, said = _run_timed(typed, program, home, is_typed=is_typed, settings=settings)
        steps.append(step)
        return said

    if source is not None:
        python = home / "venv" / "bin" / "python"
        run("python3 -m venv .venv", [sys.executable, "-m", "venv", home / "venv"])
        install: list[str | Path] = [python, "-m", "pip", "-q", "install", f"{source}{extra}"]
        run(f"pip install '.{extra}'", install, settings=package_index_settings())
    uac: list[str | Path] = [python, "-m", "uac"]
    if name == "agent":
        run("uac setup cursor --user me", [*uac, "setup", "cursor", "--user", "me", "--yes"])
        facts = [{"text": text, "quote": quote} for text, quote in zip(FACTS, QUOTES, strict=True)]
        records = [{**record, "cites": [number]} for number, record in enumerate(RECORDS, 1)]
        call = json.dumps({"turns": [{"text": SENTENCE}], "facts": facts, "records": records})
        said = run("remember", [python, "-c", AGENT, call], is_typed=False)
    elif name == "key":
        with _vendor() as settings:
            run("uac setup model", [*uac, "setup", "model"], settings=settings)
            settings |= {"UAC_MODEL": "openai:gpt-5-mini"}
            typed = f'uac add me "{SENTENCE}" --wait'
            said = run(typed, [*uac, "add", "me", SENTENCE, "--wait"], settings=settings)
    else:
        allergy = ("put", "me", "health.Allergy", "substance=Penicillin", "reaction=hives")
        medicine = ("put", "me", "health.Medication", "name=Amoxicillin")
        run(f"uac {' '.join(allergy)}", [*uac, *allergy])
        said = run(f"uac {' '.join(medicine)}", [*uac, *medicine])
    if "known allergy to" not in said:
        raise Refused(f"no alert was raised, but this was said: {said}")
    return Way(name, steps)


def _run_timed(
    typed: str, program: Sequence[str | Path], home: Path, *, is_typed: bool, settings: Mapping[str, str]
) -> tuple[Step, str]:
    start = perf_counter()
    done = subprocess.run(  # noqa: S603 - our own program
        [*map(str, program)],
        env={"PATH": os.environ.get("PATH", ""), "HOME": str(home), "LANG": "C.UTF-8", **settings},
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = perf_counter() - start
    if done.returncode:
        raise Refused(f"{typed} failed: {(done.stdout + done.stderr)[-2000:]}")
    return Step(typed, seconds, is_typed), done.stdout


@contextmanager
def _vendor() -> Iterator[dict[str, str]]:
    """A server that answers in the vendor's place: to the trial, and to the two requests about the sentence."""
    trial = [_fact_reply("The user is allergic to penicillin.", "I am allergic to penicillin")]
    facts = [_fact_reply(text, quote) for text, quote in zip(FACTS, QUOTES, strict=True)]
    patches = [{**record, "cites": [number]} for number, record in enumerate(RECORDS, 2)]
    replies = iter([{"facts": trial}, {"facts": facts}, {"patches": patches}])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            content = [{"type": "output_text", "text": json.dumps(next(replies)), "annotations": []}]
            message = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": content}
            usage = {
                "input_tokens": 1,
                "output_tokens": 1,
                "total_tokens": 2,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens_details": {"reasoning_tokens": 0},
            }
            reply = {"id": "r", "object": "response", "created_at": 1, "model": "stand-in", "status": "completed"}
            rest = {
                "output": [message],
                "parallel_tool_calls": False,
                "tool_choice": "auto",
                "tools": [],
                "usage": usage,
            }
            body = json.dumps({**reply, **rest}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that the library has
            """Nothing: the steps are printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield {"OPENAI_API_KEY": "stand-in", "OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_address[1]}/v1"}
    finally:
        server.shutdown()
        server.server_close()


def _fact_reply(text: str, quote: str) -> dict[str, object]:
    return {"text": text, "about": "user", "topic": "health", "cites": [{"turn": 1, "quote": quote}]}
