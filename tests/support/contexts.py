"""Short logs and the contexts that they give."""

from datetime import UTC, datetime

from uac.log.log import Log
from uac.log.stores.in_memory import MemoryStore
from uac.project.fold import fold_entries
from uac.recall.context import Context, build_context
from uac.recall.search import Recall
from uac.schema.entries import Checkpoint, Citation, Entry, Fact, Observation, Role
from uac.schema.patches import Put
from uac.schema.periods import Period

SAID = datetime(2023, 5, 8, 9, tzinfo=UTC)


def turn(
    text: str, *, role: Role = "user", speaker: str = "Ana", session: str = "s1", said: datetime = SAID
) -> Observation:
    return Observation(text=text, said=said, role=role, speaker=speaker, session=session)


def fact(text: str, cited: int, *, held: Period | None = None, about: str = "Ana") -> Fact:
    cites = (Citation(position=cited, quote="words"),)
    return Fact(text=text, about=about, authority="user", cites=cites, held=held or Period())


def put(type_name: str, cited: int, **fields: str) -> Checkpoint:
    return Checkpoint(patches=(Put(type=type_name, fields=fields, cites=(cited,)),))


def log_of(*entries: Entry) -> Log:
    log = MemoryStore(clock=lambda: datetime(2026, 1, 10, tzinfo=UTC)).log("ana")
    log.append(entries)
    return log


def shown(question: str, *entries: Entry, tokens: int = 4000) -> Context:
    log = log_of(*entries)
    return build_context(question, project=fold_entries(log.read()), log=log, recall=Recall(), tokens=tokens)
