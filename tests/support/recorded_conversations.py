"""Conversations with recorded replies: played through the real pipeline, and recorded by answering its requests.

A conversation is `tests/conversations/NAME.json` (sessions with turns); its replies are `NAME.jsonl` beside it. To
record, run `python -m support.recorded_conversations NAME` in `tests`: it plays until a reply is missing and prints
that request. Write the reply to a file and name it, too (`… NAME reply.json`): it is added, and the play goes on. After
a change of a prompt, `… NAME --anew` gives the replies, in their order, the hashes of the new requests.
Without a name it prints what came of all of them.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from support.paths import EXAMPLES, TESTS

sys.path.insert(0, str(EXAMPLES))

from jessica import Clock, live

from uac import Memory
from uac.conversation.learning import Outcome
from uac.log.stores.in_memory import MemoryStore
from uac.models import OneModel, RecordedModel, ScriptedModel
from uac.models.requests_and_replies import Request
from uac.project.fold import fold_entries
from uac.project.project import Project, Record
from uac.project.render import render
from uac.schema.entries import Fact
from uac.schema.values import dump_value

FOLDER = TESTS / "conversations"

NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


@dataclass
class Played:
    """A conversation after its last session, and what came of every reply."""

    memory: Memory
    outcomes: list[Outcome] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)


class MissingError(Exception):
    """No reply is recorded for this request."""

    def __init__(self, request: Request) -> None:
        super().__init__(request.hash)
        self.request = request


class Recording:
    """The replies of a file, and how they are recorded: a request without one raises MissingError.

    With `is_renewed` the lines are taken in their order, whatever their hash, and get the hash of the request they
    answer: how replies outlive a change of a prompt.
    """

    def __init__(self, file: Path, *, is_renewed: bool = False) -> None:
        self._file = file
        self._is_renewed = is_renewed
        self._lines: list[dict[str, Any]] = (
            [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
        )
        self._next = 0

    def reply_to(self, request: Request) -> str:
        line = self._line_for(request)
        if line is None:
            raise MissingError(request)
        self._next += 1
        return str(line["reply"])

    def _line_for(self, request: Request) -> dict[str, Any] | None:
        if not self._is_renewed:
            return next((line for line in self._lines if line["hash"] == request.hash), None)
        line = self._lines[self._next] if self._next < len(self._lines) else None
        if line is not None:
            assert line["step"] == request.step, f"reply {self._next + 1} is for {line['step']}, not {request.step}"
            line["hash"] = request.hash
        return line

    def add(self, request: Request, reply: str) -> None:
        self._lines.append({"hash": request.hash, "step": request.step, "reply": reply})
        self.save()

    def save(self) -> None:
        self._file.write_text(
            "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in self._lines), encoding="utf-8"
        )


def script(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(place(name).with_suffix(".json").read_text(encoding="utf-8"))
    return found


def place(name: str) -> Path:
    """Where a conversation lies, without its suffix; the demo's is beside the demo."""
    return (EXAMPLES if (EXAMPLES / f"{name}.json").exists() else FOLDER) / name


def play(name: str, model: Any = None, *, until: int | None = None) -> Played:
    """Live through the sessions: each is added turn by turn, then learned whole."""
    return list(sessions(name, model, until=until))[-1]


def sessions(name: str, model: Any = None, *, until: int | None = None) -> Iterator[Played]:
    clock = Clock(datetime.fromisoformat("2000-01-01T00:00:00+00:00"))
    memory = Memory(MemoryStore(clock=clock).log(name), clock=clock, embedder=None)
    models = OneModel(model or RecordedModel(place(name).with_suffix(".jsonl")))
    played = Played(memory)
    written = script(name)
    for session in written["sessions"][:until]:
        live(memory, clock, session, models, played.outcomes.append)
        yield played
    for question in written.get("questions", []) if until is None else []:
        played.answers.append(memory.ask(question, models))
    yield played


def fixtures(name: str) -> tuple[Any, Any, Any]:
    """The conversation as a test module's fixtures `played`, `memory` and `project`."""

    @pytest.fixture(scope="module")
    def played() -> Played:
        return play(name)

    return (played, *fixtures_of_played())


def fixtures_of_played() -> tuple[Any, Any]:
    """`memory` and `project`, where a test module has a fixture `played` of its own."""

    @pytest.fixture(scope="module")
    def memory(played: Played) -> Memory:
        return played.memory

    @pytest.fixture(scope="module")
    def project(memory: Memory) -> Project:
        return memory.project()

    return memory, project


def texts(memory: Memory, positions: Iterable[int]) -> list[str]:
    """The facts among these entries, as texts."""
    entries = [next(memory.log.read(position, position + 1)).entry for position in sorted(positions)]
    return [entry.text for entry in entries if isinstance(entry, Fact)]


def claimed(memory: Memory, record: str, field: str) -> list[tuple[Any, str, bool, list[str | None]]]:
    """Each value that was claimed, with its authority, whether it stands, and the quoted words; none may be disputed."""
    explanation = memory.explain(record, field)
    assert not explanation.disputed
    return [
        (dump_value(item.claim.value), item.claim.authority, item.stands, [told.quote for told in item.evidence])
        for item in explanation.claims
    ]


def values(record: Record) -> dict[str, Any]:
    """What a record says, as JSON, without what it leaves open."""
    return {name: dump_value(value) for name, value in record.values.items() if value not in (None, ())}


def standing(project: Project) -> dict[str, list[dict[str, Any]]]:
    """The records that have not ended, by type."""
    found = {name: [values(r) for r in project.records(name) if r.ended is None] for name in project.tables}
    return {name: records for name, records in found.items() if records}


class Came(NamedTuple):
    """What came of a conversation: how many facts and patches were kept, sent back and left, and at what cost."""

    sessions: int
    turns: int
    requests: int
    tokens: int
    facts: int
    sent_back: int
    patches_sent_back: int
    waiting: int
    in_records: int
    aside: int
    is_replayed: bool


def came_of(name: str) -> Came:
    played = play(name)
    memory, outcomes = played.memory, played.outcomes
    state = memory.project()
    facts = sum(len(outcome.facts) for outcome in outcomes)
    back = {"extract": 0, "checkpoint": 0}
    for outcome in outcomes:
        back[outcome.request.step] += len([finding for finding in outcome.findings if finding.part])
    written = script(name)["sessions"]
    spent = [state.progress.spent_in_all(step=step) for step in ("extract", "checkpoint")]
    return Came(
        len(written),
        sum(len(session["turns"]) for session in written),
        sum(each.calls for each in spent),
        sum(each.tokens for each in spent),
        facts,
        back["extract"],
        back["checkpoint"],
        len(state.waiting) + len(state.progress.stuck),
        len([position for position in state.used if state.sources[position].is_fact]),
        len(state.aside),
        render(fold_entries(memory.log.read())) == memory.render(),
    )


def show_figures() -> None:
    print(f"{'':14}" + "".join(f"{name.replace('_', ' '):>18}" for name in Came._fields))
    for name in ("jessica", *NAMES):
        print(f"{name:14}" + "".join(f"{value!s:>18}" for value in came_of(name)))


def main() -> None:
    if len(sys.argv) == 1:
        show_figures()
        return
    name = sys.argv[1]
    if "--anew" in sys.argv:
        renewed = Recording(place(name).with_suffix(".jsonl"), is_renewed=True)
        try:
            play(name, ScriptedModel.answering(renewed.reply_to))
        finally:  # also of a recording that is not whole yet
            renewed.save()
        return
    recording = Recording(place(name).with_suffix(".jsonl"))
    while True:
        try:
            played = play(name, ScriptedModel.answering(recording.reply_to))
        except MissingError as missing:
            if len(sys.argv) > 2:
                recording.add(missing.request, Path(sys.argv.pop()).read_text(encoding="utf-8"))
                continue
            print(f"--- request {missing.request.hash} ({missing.request.step}); the instructions are in")
            print(f"--- src/uac/prompts/{missing.request.step}.md; reply with what they ask for, from this alone:\n")
            print(missing.request.content)
            return
        for outcome in played.outcomes:
            for finding in outcome.findings:
                print("finding:", finding.why, finding.positions, "(asked again)" if outcome.is_open else "(left)")
        print("the conversation is recorded whole")
        print(played.memory.manifest())
        for alert in played.memory.alerts():
            print(alert.severity, alert.constraint, alert.message)
        for answer in played.answers:
            print(answer)
        return


if __name__ == "__main__":
    main()
