"""What every adapter does with a conversation: look up before a turn, store after it."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

from uac.errors import Refused
from uac.interfaces.adapters.locks import memory_lock
from uac.memory.memory import Memory
from uac.memory.observing import keep_observations
from uac.models import chosen_models
from uac.schema.entries import Observation, Role
from uac.text.memory_block import own_words

if TYPE_CHECKING:
    from uac.interfaces.adapters.tools import AgentTool
    from uac.interfaces.client.transports import WaitingWire
    from uac.interfaces.client.user import User
    from uac.memory.background import Background

__all__ = ["TOKENS", "Message", "TurnMemory"]

TOKENS = 2000
"""The default size of a context, in tokens."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. `id` is the framework's own id, if it has one: it is stored once."""

    role: Role
    text: str
    speaker: str = ""
    id: str = ""
    said: datetime | None = None


class _StoredTurn(NamedTuple):
    """A message as it is stored: by the client, or as an observation."""

    text: str
    role: Role
    speaker: str
    session: str
    said: datetime | None
    key: str


class TurnMemory:
    """One user's memory around the turns of a conversation. It is thread-safe.

    `memory` is a `Memory`, or a user of a service (`Client(address).user("ana")`). With a `Memory` and a configured
    model (UAC_MODEL), a background thread learns from what is stored; a service learns by itself. `learns=False`
    leaves learning to you. Close it, or use it in a `with` block, to stop that thread; the memory stays open.
    """

    def __init__(self, memory: "Memory | User[WaitingWire]", *, tokens: int = TOKENS, learns: bool = True) -> None:
        self._memory = memory
        self._tokens = tokens
        self._learns = learns
        self._learner: Background | None = None
        self._lock = memory_lock(memory)

    def before_turn(self, messages: Sequence[Message], *, session: str = "") -> str:
        """The context for the answer to the last message of the user: alerts first, then what memory knows about it.

        The text is empty if there is no message of the user.
        """
        question = next((said.text for said in reversed(messages) if said.role in ("user", "person")), "")
        if not question.strip():
            return ""
        return self._context(question, session)

    def overview(self) -> str:
        """What is known before anything is asked: the alerts, and the manifest."""
        return self._context("What is known about me?")

    def after_turn(self, messages: Sequence[Message], *, session: str = "", is_whole: bool = False) -> int:
        """Store messages in one write, and return how many were sent.

        A message with an id is stored once. With `is_whole`, the messages are the whole conversation so far, and those
        that were stored before are known by their role, their words, and how often the same words came before.
        Messages of the system, and text that memory itself produced, are not stored.
        """
        now = datetime.now(UTC)
        turns = [*_turns_to_store(messages, session, is_whole=is_whole)]
        if not turns:
            return 0
        with self._lock:
            if isinstance(self._memory, Memory):
                keep_observations(self._memory.log, *(_observation(turn, now) for turn in turns))
            else:
                from uac.interfaces.client.user import Turn  # a hook is local: it does without the client

                self._memory.add_all([Turn(**turn._asdict()) for turn in turns])
        self.learn()
        return len(turns)

    def _context(self, question: str, session: str = "") -> str:
        with self._lock:
            if isinstance(self._memory, Memory):
                self._memory.tick()
            return self._memory.context(question, tokens=self._tokens, within=session).text

    def learn(self) -> None:
        """Let the background thread learn what is new, if a model is configured."""
        with self._lock:
            if not self._learns or not isinstance(self._memory, Memory) or not chosen_models().names:
                return
            if self._learner is None:
                from uac.memory.background import Background

                self._learner = Background(self._memory.log, embedder=self._memory.embedder)
                self._learner.start()
            self._learner.wake()

    def tools(self, names: tuple[str, ...] | None = None, *, session: str = "") -> "list[AgentTool]":
        """The tools that let an agent search, compute and remember by itself; those that it needs most by default."""
        if not isinstance(self._memory, Memory):
            raise Refused("A user of a service has no tools here. Start an MCP server for the agent: uac mcp USER.")
        from uac.interfaces.adapters.tools import DEFAULT_TOOLS, agent_tools  # a hook needs none, and must be fast

        return agent_tools(self._memory, DEFAULT_TOOLS if names is None else names, session=session)

    def close(self) -> None:
        with self._lock:
            if self._learner is not None:
                self._learner.stop()
                self._learner = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _turns_to_store(messages: Sequence[Message], session: str, *, is_whole: bool) -> Iterator[_StoredTurn]:
    seen: Counter[str] = Counter()
    for message in messages:
        text = "".join(message.text[first:last] for first, last in own_words(message.text)).strip()
        if message.role == "system" or not text:
            continue
        words = hashlib.sha256(f"{message.role}\0{text}".encode()).hexdigest()[:32]
        seen[words] += 1
        known = message.id or (f"{words}.{seen[words]}" if is_whole else "")
        yield _StoredTurn(
            text=text,
            role=message.role,
            speaker=message.speaker,
            session=session,
            said=message.said,
            key=f"{session}/{known}" if known else "",
        )


def _observation(turn: _StoredTurn, now: datetime) -> Observation:
    return Observation(
        text=turn.text,
        said=turn.said or now,
        role=turn.role,
        speaker=turn.speaker,
        session=turn.session,
        key=turn.key,
    )
