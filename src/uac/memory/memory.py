"""One user's memory: the log, the project that follows it, and the alerts that follow that. Here the steps meet.

Every write goes the same way: fold what is new, check against that, run the constraints that the change touches, and
append the change with its alerts at once, on the condition that nobody wrote in between; if somebody did, begin again.
"""

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal, get_args

from uac.constraints.acceptance import Acceptance, Also, accepted, ahead, check_adopted
from uac.constraints.review import Sifted, unreviewed_retractions
from uac.constraints.runner import Unreviewed, Watch, due
from uac.constraints.trace import Why, why
from uac.conversation.ask import Answer, answer_question
from uac.conversation.checks.field_support import assign_field_cites
from uac.conversation.learning import Cadence, Learned, Learning, Outcome
from uac.display.notebook import html_of, summary
from uac.display.plots import Plot, by_category, by_month, plot
from uac.display.tables import Table, record_table
from uac.errors import AlreadyErased, Moved, Refused, Rejected, Repeated, SandboxError, UacError, Unavailable
from uac.log.index import KINDS
from uac.log.log import EMPTY, Log, Stored
from uac.memory.idempotency import Terms
from uac.models import Budget, ModelsFor, chosen_models
from uac.models import parse_budget as chosen_budget
from uac.models.embedder import Embedder
from uac.models.embedders import chosen_embedder
from uac.models.requests import Reply, Request
from uac.models.rerankers import chosen_reranker
from uac.packs import Offer, Pack, chosen_packs, upgrades
from uac.project.alerts import Alert
from uac.project.checkpoint import correct as correct_draft
from uac.project.diff import Change, diff
from uac.project.draft import Draft
from uac.project.explain import Explanation, explain
from uac.project.fold import project as fold
from uac.project.project import EMPTY_PROJECT, Project
from uac.project.render import render, render_manifest
from uac.recall.context import Context, context
from uac.recall.search import Channel, Found, IndexProgress, OnRebuild, Recall, RecallKind, index_progress, read_filter
from uac.sandbox import MissingSandbox, shared_sandbox
from uac.sandbox.compute import Computer, Result
from uac.sandbox.port import Sandbox
from uac.schema.constraints import Constraint
from uac.schema.entries import (
    AlertChange,
    Authority,
    Checkpoint,
    Correction,
    Delivery,
    Entry,
    Observation,
    Retraction,
    Role,
    Tick,
    with_fixed_offsets,
)
from uac.schema.patches import Adopt, Drop, End, Patch, Put
from uac.schema.types import Type, dump_value
from uac.text.tokens import count_tokens

__all__ = ["Memory"]

TICK_AFTER = timedelta(hours=1)
"""A write looks at the clock: if the last tick is older than this, it brings a new one along."""

FOLLOWED = 5  # times that a search begins anew because words were erased meanwhile
DELIVERED = 100  # changes that reach somebody between two entries that say so


class Memory:
    """One user's memory. Open it with `Memory(store.log("ana"))`.

    `packs` are the domains on offer (by default those that $UAC_PACKS names, or all that are installed); `unreviewed`
    says what constraints written by a model may do before a person approves them; `embedder` is what recall compares
    meanings with (by default what $UAC_EMBEDDER names; None: nothing); `clock` is asked for ticks.
    """

    def __init__(
        self,
        log: Log,
        *,
        sandbox: Sandbox | None = None,
        packs: Sequence[Pack] | None = None,
        unreviewed: Unreviewed = "mark",
        embedder: Embedder | Literal["chosen"] | None = "chosen",
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        if unreviewed not in get_args(Unreviewed):
            raise Refused(f"unreviewed is {unreviewed!r}, needs one of {', '.join(get_args(Unreviewed))}")
        if packs is not None and not all(isinstance(pack, Pack) for pack in packs):
            raise Refused("packs needs a list of packs, such as load_pack(folder) gives; () for none")
        self.log = log
        self._project = EMPTY_PROJECT
        self._given_sandbox = sandbox
        self._packs = packs
        self._unreviewed: Unreviewed = unreviewed
        self._clock = clock
        self._owner = os.getpid()
        self._computer: Computer | None = None
        self._rules: Computer | None = None  # where reviewed constraints run, and nothing else
        self._unreviewed_rules: Computer | None = None  # where the others run, and nothing else
        self._watch: Watch | None = None
        self._embedder: Embedder | Literal["chosen"] | None = embedder
        self._recall: Recall | None = None
        self._recall_then: Recall | None = None
        self._unproved: dict[str, str] = {}  # constraints of packs that cannot be adopted here, and why
        self._terms: Terms | None = None  # on which the write under way is made
        # What the write under way will make of the project, if constraints are run on it.
        self._expected = EMPTY_PROJECT

    @property
    def sandbox(self) -> Sandbox:
        """Where constraints and queries run; opened when it is first needed."""
        if self._given_sandbox is not None:
            return self._given_sandbox
        try:
            return shared_sandbox()
        except SandboxError as error:  # what is said must be kept all the same; constraints fail, and say why
            return MissingSandbox(str(error))

    @property
    def packs(self) -> Sequence[Pack]:
        """The packs on offer to this user."""
        if self._packs is None:
            self._packs = chosen_packs()
        return self._packs

    @property
    def _acceptance(self) -> Acceptance:  # made anew each time: kept, it would keep this memory alive
        return Acceptance(lambda: self.packs, lambda: self.sandbox, self._clock, self._unproved)

    def __repr__(self) -> str:
        try:
            return f"<Memory {summary(self.project())}>"
        except UacError as error:  # what is shown while something is looked for must not fail itself
            return f"<Memory: {error}>"

    def _repr_html_(self) -> str:
        return html_of(self.project())

    def close(self) -> None:
        """Give the interpreter back. The memory can still be used; it will take another one."""
        for computer in self._computers():
            computer.close()

    def project(self) -> Project:
        """The project as the log stands now. Only entries that are new are folded."""
        head, known = self.log.head(), self._project
        if (head.position, head.digest) != (known.position, known.digest or EMPTY.digest):
            # A user may have been erased, and come back as another.
            is_known = self.log.contains(known.position, known.digest or EMPTY.digest)
            base = known if is_known else EMPTY_PROJECT
            self._project = fold(self.log.read(base.position + 1), base)
        return self._project

    def project_as_of(self, when: int | datetime) -> Project:
        """What was known then."""
        return fold(self.log.as_of(when).read())

    def add(
        self,
        text: str,
        *,
        said: datetime | None = None,
        role: Role = "user",
        speaker: str = "",
        session: str = "",
        source: str = "",
        key: str = "",
    ) -> int:
        """Keep what was said; returns its position once it is durable."""
        entry = Observation(
            text=text,
            said=said or self._clock(),
            role=role,
            speaker=speaker,
            session=session,
            source=source,
            key=key,
        )
        return self.log.append([entry])[0]

    def checkpoint(
        self,
        patches: Sequence[Patch],
        *,
        facts: Sequence[int] = (),
        by: str = "",
        reviewed: bool = False,
        watched: bool = True,
    ) -> int:
        """Put patches through the door: all are accepted, or Rejected says what to mend.

        `reviewed` says that a person stands behind patches of constraints; without it they count as a model's.
        With `watched=False` no constraint is run, which suits the parts of a long import; `look()` makes up for it.
        """

        def prepare(project: Project) -> list[Entry]:
            named = self._with_field_cites(project, patches)
            brought, wrong = self._acceptance.refusals(project, named, facts=facts, reviewed=reviewed)
            if wrong:
                raise Rejected(tuple(reason.told for reason in wrong))
            return [*brought, Checkpoint(patches=named, by=by, is_unwatched=not watched)]

        return self._write(prepare, watched=watched)[-1]

    def accept_part(self, patches: Sequence[Patch], *, by: str, also: Also) -> tuple[int, Sifted]:
        """Put as many of a model's patches through the door as hold together; the position (0: none held) and which.

        Patches that rest on the same fact stand or fall together. `also` makes entries that are appended with them.
        """
        named = self._with_field_cites(self.project(), patches)
        return self._acceptance.part(named, self._write, by=by, also=also)

    def _with_field_cites(self, project: Project, patches: Sequence[Patch]) -> tuple[Patch, ...]:
        """The patches with the facts that each field needs: whoever proposes them does not decide whose word it is."""

        def entry_at(position: int) -> Entry | None:
            return next((stored.entry for stored in self.log.read(position, position + 1)), None)

        def offered() -> Iterator[Type]:
            return (type_ for pack in self.packs for type_ in pack.types)

        return assign_field_cites(patches, project, entry_at=entry_at, offered=offered)

    def put(self, type_name: str, fields: Mapping[str, Any], *, said: datetime | None = None, by: str = "") -> str:
        """Store a typed record that a person or a program states directly; returns the record's id."""
        plain = {name: dump_value(value) for name, value in fields.items()}
        words = f"{type_name} {json.dumps(plain, ensure_ascii=False, separators=(',', ':'), default=repr)}"
        _position, records = self._state(words, lambda cites: Put(type=type_name, fields=plain, cites=cites), said, by)
        return records[0]

    def _state(
        self, words: str, patch: Callable[[tuple[int, ...]], Patch], said: datetime | None, by: str
    ) -> tuple[int, tuple[str, ...]]:
        """Append words that somebody stated as data with the patch that rests on them; the position and the records."""
        moment = said or self._clock()
        records: tuple[str, ...] = ()

        def prepare(project: Project) -> list[Entry]:
            nonlocal records
            observation = with_fixed_offsets(Observation(text=words, said=moment, source="put"))
            change = patch((project.position + 1,))
            brought = self._acceptance.brought(project, [change])
            seen = ahead(project, [observation, *brought], moment)
            held = accepted(seen, [change], moment, offered=self._acceptance.type_names)
            records = held.used[project.position + 1]
            return [observation, *brought, Checkpoint(patches=(change,), by=by)]

        return self._write(prepare)[-1], records

    def end(self, record: str, when: str, *, why: str = "", said: datetime | None = None, by: str = "") -> int:
        """The record no longer holds from that date on: YYYY, YYYY-MM or YYYY-MM-DD."""
        words = f"{record} ended {when}" + (f": {why}" if why else "")
        return self._state(words, lambda cites: End(record=record, when=when, why=why, cites=cites), said, by)[0]

    def drop(self, record: str, *, why: str, by: str = "") -> int:
        """The record should never have been there. Its facts are set aside with the reason."""
        return self.checkpoint([Drop(record=record, why=why)], by=by)

    def correct(self, record: str, field: str, value: Any, *, why: str = "") -> int:
        """The user's own word on a field. It stands above all claims until the user says something newer."""
        entry = Correction(record=record, field=field, value=dump_value(value), why=why)

        def prepare(project: Project) -> list[Entry]:
            correct_draft(Draft(project, bounded=True), entry, project.position + 1, self._clock())
            return [entry]

        return self._write(prepare)[-1]

    def retract(self, positions: Iterable[int], *, why: str, reviewed: bool = False) -> int:
        """Fold as if these entries, and all that rests on them, were absent. Retracting that retraction undoes it.

        What packs and persons did about constraints is taken back only if a person stands behind it (`reviewed`).
        """
        entry = Retraction(positions=tuple(positions), why=why)

        def prepare(project: Project) -> list[Entry]:
            already = [position for position in entry.positions if position in project.gone]
            if already:
                raise Refused(f"retraction: {already[0]} was retracted before")
            if not reviewed and (wrong := unreviewed_retractions(project, entry.positions)):
                raise Refused(f"retraction: {wrong[0]}")
            return [entry]

        return self._write(prepare)[-1]

    def preview(self, patches: Sequence[Patch]) -> tuple[Project, list[Change]]:
        """The project as the patches would make it, and what would change; nothing is written."""
        before = self.project()
        known = ahead(before, self._acceptance.brought(before, patches), self._clock())
        named = self._with_field_cites(before, patches)
        after = accepted(known, named, self._clock(), offered=self._acceptance.type_names)
        return after, diff(before, after)

    def foresee(self, entries: Sequence[Entry]) -> tuple[Project, list[AlertChange]]:
        """The project as these entries would make it, and the alerts that would follow; nothing is written."""
        project = self.project()
        # Sessions of its own: what is only foreseen never stays loaded.
        with closing(Computer(self.sandbox, trusted=True)) as rules, closing(Computer(self.sandbox)) as others:
            watch = Watch(rules, others, unreviewed=self._unreviewed)
            _seen, followed = self._followed_by(project, entries, lambda: watch)
        changes = [entry for entry in followed if isinstance(entry, AlertChange)]
        return ahead(project, entries, self._clock()), changes

    def explain(self, record: str, field: str) -> Explanation:
        return explain(self.project(), self.log, record, field)

    def diff(self, before: int | datetime, after: int | datetime | None = None) -> list[Change]:
        """What changed between two positions or times; `after` is now if it is not given."""
        return diff(self.project_as_of(before), self.project() if after is None else self.project_as_of(after))

    def at(self, valid: date) -> Project:
        """What was true on that day, as far as is known now."""
        return self.project().at(valid=valid)

    def render(self) -> dict[str, str]:
        return render(self.project())

    def manifest(self) -> str:
        return render_manifest(self.project())

    # --- from conversation to records, and back -------------------------------------------------------------------

    def pending(self, *, most: int | None = 10) -> list[Request]:
        """What a model, or an agent in its place, is to be asked next: words to read, or facts to put into records."""
        return Learning(self).pending(most=most)

    def answer(self, request_id: str, reply: Reply | str, *, model: str = "agent") -> Outcome:
        """Take the reply to a pending request: what holds is kept, and the findings say what to mend."""
        if isinstance(reply, str):
            reply = Reply(text=reply, model=model, output_tokens=count_tokens(reply))
        return Learning(self).answer(request_id, reply)

    def learn(
        self,
        models: ModelsFor | None = None,
        *,
        budget: Budget | None = None,
        cadence: Cadence | None = None,
        judged: bool = False,
        told: Callable[[Outcome], None] = lambda _outcome: None,
    ) -> Learned:
        """Let models read what is unread and put what they found into records, until nothing is open.

        `models` and `budget` are by default what the UAC_MODEL… and UAC_BUDGET… settings say. With a `cadence`, facts
        that can wait do; with `judged`, a second reader looks at each fact before it goes into a record.
        """
        return Learning(self).learn(
            chosen_models() if models is None else models,
            budget=chosen_budget() if budget is None else budget,
            cadence=cadence,
            judged=judged,
            now=self._clock(),
            told=told,
        )

    def recall(
        self,
        query: str,
        *,
        tokens: int | None = None,
        k: int | None = None,
        about: str = "",
        between: tuple[date | None, date | None] = (None, None),
        kinds: Collection[RecallKind] = KINDS,
        authorities: Collection[Authority] = (),
        sessions: Collection[str] = (),
        sources: Collection[str] = (),
        former: bool = False,
        as_of: int | datetime | None = None,
        now: datetime | None = None,
        without: Collection[Channel] = (),
    ) -> Found:
        """Search what was said, the facts taken from it and the records: by words, meaning, person and time.

        With `tokens`, as many hits as fit into so many, in reading order; else the best `k` (20), best first. The rest
        narrows it down: what is about a person or thing; about days between two, both included (None: open); facts on
        whose word; in which sessions, from which sources; also facts that no longer hold (`former`); what was known
        then (`as_of`). `now` is what "last week" is read by, and `without` leaves channels out.
        """
        only = read_filter(
            kinds, between, about=about, authorities=authorities, sessions=sessions, sources=sources, former=former
        )
        recall = self.recall_index() if as_of is None else self._recall_as_of(as_of)
        most = 20 if k is None and tokens is None else k
        return recall.find(query, only, k=most, tokens=tokens, now=now, without=without)

    def context(self, question: str, *, tokens: int = 4000) -> Context:
        """What an agent should be shown for a question: alerts, manifest, records, facts and excerpts, in a budget."""
        project, recall = self.project(), self.recall_index()
        return context(question, project=project, log=self.log, recall=recall, tokens=tokens, now=self._clock())

    def ask(
        self,
        question: str,
        models: ModelsFor | None = None,
        *,
        budget: Budget | None = None,
        told: Callable[[Reply], None] = lambda _reply: None,
    ) -> Answer:
        """Let a model answer with compute, recall and the domains, and check what it says."""
        return answer_question(
            question,
            self,
            chosen_models() if models is None else models,
            now=self._clock(),
            budget=chosen_budget() if budget is None else budget,
            on_reply=told,
        )

    def recall_index(self, *, vectors: int | None = None) -> Recall:
        """The index, brought up to date, with vectors for at most so many passages; None: as many as suits a search."""
        recall = self._recalling()
        for _try in range(FOLLOWED):
            try:
                recall.follow(self.log, self.project(), vectors=vectors)
            except Moved:  # somebody erased words meanwhile
                continue
            return recall
        raise Unavailable("the log keeps changing while it is indexed; try again")

    def embed(self, most: int = 512) -> int:
        """Bring the index up to date, and give vectors to at most so many passages; how many have none yet."""
        return self.recall_index(vectors=0).embed(most)

    def reindex(self, *, told: OnRebuild = lambda _what, _done, _of: None) -> IndexProgress:
        """Make the search index anew from the log, with vectors of the present embedder and no others.

        `told` hears what it counts ("entries", then "passages"), how many are done, and of how many.
        """
        self._recalling().rebuild(self.log, self.project(), on_progress=told)
        return index_progress(self.log, self.embedder)

    def _recalling(self) -> Recall:
        if self._recall is None:
            self._recall = Recall(embedder=self.embedder, reranker=chosen_reranker())
        return self._recall

    @property
    def embedder(self) -> Embedder | None:
        """What turns texts into vectors for recall; None if that goes by words, people and times only."""
        if self._embedder == "chosen":
            self._embedder = chosen_embedder()
        return self._embedder

    def _recall_as_of(self, when: int | datetime) -> Recall:
        """A search over what was known then; its index is in memory only, and kept for the next such question."""
        prefix = self.log.as_of(when)
        recall = self._recall_then if self._recall_then is not None else Recall(embedder=self.embedder)
        recall.follow(prefix, self.project_as_of(prefix.position))
        self._recall_then = recall
        return recall

    def compute_as_of(self, code: str, when: int | datetime | None) -> Result:
        """As `compute`, over what was known then."""
        if when is None:
            return self.compute(code)
        computer = Computer(self.sandbox)
        try:
            return computer.run(self.project_as_of(when), code, now=self._clock().replace(second=0, microsecond=0))
        finally:
            computer.close()

    def write(self, prepare: Callable[[Project], list[Entry]]) -> tuple[int, ...]:
        """Append entries that change no record, on the condition that nobody wrote in between."""
        return self._write(prepare, watched=False)

    def table(self, type_name: str, *, former: bool = False) -> Table:
        """The records of a type as a table; with `former` those that have ended."""
        return record_table(self.project(), type_name, former=former, brief=True)

    def plot(
        self, type_name: str, *, when: str | None = None, value: str | None = None, category: str | None = None
    ) -> Plot:
        """The records of a type: by month of the field `when`, or by category; sums of `value`, or how many."""
        records = self.table(type_name)
        if when is not None:
            return by_month(records, when, value, category=category)
        if category is not None:
            return by_category(records, category, value)
        if value is not None:
            raise Refused(f"plot of {value}: needs when or category, the field that it is drawn by")
        return plot(records)

    # --- constraints and alerts -----------------------------------------------------------------------------------

    def tick(self, now: datetime | None = None) -> list[AlertChange]:
        """Let time pass: constraints that depend on it are run. A tick that changes nothing is not written."""
        moment = self._clock() if now is None else now
        if not isinstance(moment, datetime):
            raise Refused(f"now is {moment!r}, needs a datetime")
        made: list[AlertChange] = []

        def prepare(project: Project) -> list[Entry]:
            made.clear()
            if moment.tzinfo is None:
                raise Refused(f"now is {moment.isoformat()}, needs a time zone such as +02:00 or Z")
            if project.now is not None and moment < project.now:
                if now is None:  # somebody else's clock is ahead
                    return []
                raise Refused(f"now is {moment.isoformat()}, needs a time from {project.now.isoformat()} on")
            later = replace(project, now=moment)
            if not (due(later) or project.unwatched or project.rechecks or project.failures):
                return []
            tick = with_fixed_offsets(Tick(now=moment))
            self._expected = ahead(project, [tick], moment)
            changes = self._watched().after(self._expected, [tick])
            made.extend(change for change in changes if isinstance(change, AlertChange))
            return [tick, *changes] if changes else []

        self._write(prepare, watched=False)
        return made

    def look(self) -> list[AlertChange]:
        """Make up for an import: adopt what packs offer for the records that are there, and run what was not run."""
        before = self.log.head().position
        self._write(
            lambda project: self._acceptance.offered(project, {name for name, table in project.tables.items() if table})
        )
        return [change for _stored, change in self.history(before)]

    def alerts(self) -> list[Alert]:
        """The alerts that stand, the most severe first."""
        return self.project().standing()

    def acknowledge(self, constraint: str, subject: str = "", *, why: str = "") -> int:
        """Somebody has seen the alert. It stays, quietly, until it clears; retracting this entry undoes it."""
        return self._say("acknowledged", constraint, subject, why=why)

    def snooze(self, constraint: str, subject: str = "", *, until: datetime, why: str = "") -> int:
        """Be quiet about the alert until then; if it stands then, it is told again."""
        return self._say("snoozed", constraint, subject, until=until, why=why)

    def _say(self, change: Any, constraint: str, subject: str, **more: Any) -> int:
        def prepare(project: Project) -> list[Entry]:
            mine = {about: alert for (name, about), alert in project.alerts.items() if name == constraint}
            chosen = [mine[subject]] if subject in mine else [a for about, a in mine.items() if subject in about]
            if len(chosen) != 1:
                subjects = sorted(about for name, about in project.alerts if name == constraint)
                if not subjects:
                    raise Refused(f"no alert of {constraint} stands; 'uac alerts' lists those that do")
                listed = ", ".join(map(repr, subjects))
                raise Refused(f"{constraint}: which alert is meant? Needs one of these subjects: {listed}")
            alert = chosen[0]
            entry = AlertChange(
                change=change,
                constraint=constraint,
                subject=alert.subject,
                severity=alert.severity,
                cites=alert.cites,
                is_failure=alert.is_failure,
                **more,
            )
            return [with_fixed_offsets(entry)]

        return self._write(prepare, watched=False)[-1]

    def adopt(self, constraint: Constraint, *, by: str = "") -> int:
        """Adopt a constraint that a person or a pack stands behind, in place of the one of its name."""
        if not isinstance(constraint, Constraint):
            raise Refused("needs a Constraint, such as parse_constraint(text, name, origin='person') gives")
        return self.checkpoint([Adopt(constraint=constraint)], by=by, reviewed=True)

    def type_named(self, name: str) -> Type | None:
        """The type of that name in the project, or else the one that a pack offers."""
        offered = (type_ for pack in self.packs for type_ in pack.types if type_.full_name == name)
        return self.project().types.get(name) or next(offered, None)

    def shadowed(self, name: str) -> str:
        """What a type of one's own keeps from running, if a pack offers one of that name; "" if none does."""
        pack = next((pack for pack in self.packs if any(type_.full_name == name for type_ in pack.types)), None)
        mine = self.project().types.get(name)
        if pack is None or mine is None or mine in pack.types:
            return ""
        return (
            f"the pack {pack.name} has a {name} of its own, which its constraints read: they do not run on this one."
            " Records of the pack's type need no definition"
        )

    def offers(self) -> list[Offer]:
        """The constraints of packs that this user's project has not, and why not."""
        return self._acceptance.offers(self.project())

    def upgrade(self) -> tuple[Patch, ...]:
        """Bring what came from packs to what the installed packs have; returns the patches that this took."""
        patches = upgrades(self.packs, self.project())
        if patches:
            self.checkpoint(patches, by="packs", reviewed=True)
        return patches

    def compute(self, code: str, *, now: datetime | None = None) -> Result:
        """The value of Python code over the records; `now` is the clock's if it is not given."""
        return self._computing().run(self.project(), code, now=now or self._clock().replace(second=0, microsecond=0))

    def why(self, constraint: str) -> Why:
        """Why a constraint fired, or did not: what it reads, and the tests it makes with the values it sees."""
        return why(self.project(), constraint, self._computing())

    def history(self, after: int = 0) -> Iterator[tuple[Stored, AlertChange]]:
        """All changes of alerts after a position, oldest first, with the entries that say so."""
        for stored in self.log.read(after + 1):
            if isinstance(stored.entry, AlertChange):
                yield stored, stored.entry

    def deliver(self, to: str, send: Callable[[Stored, AlertChange], None]) -> int:
        """Send every change of alerts that has not reached `to` yet, in order; returns how many were sent.

        What `send` raises ends the delivery; what was sent before is noted in the log, and the rest is sent next time.
        So each change is sent at least once, and again only if the process died before it was noted.
        """
        if not to.strip():
            raise Refused("to is empty, needs a name for who gets the alerts")
        sent, noted, done = 0, 0, self.project().delivered.get(to, 0)
        try:
            for stored, change in self.history(done):
                send(stored, change)
                sent, done = sent + 1, stored.position
                if sent - noted >= DELIVERED:
                    noted = self._note_delivery(to, done, sent)
        finally:
            if sent > noted:
                self._note_delivery(to, done, sent)
        return sent

    def _note_delivery(self, to: str, through: int, sent: int) -> int:
        self._write(lambda _project: [Delivery(to=to, through=through)], watched=False)
        return sent

    # --- how everything is written --------------------------------------------------------------------------------

    @contextmanager
    def once(self, key: str = "", request: str = "", *, after: int | None = None) -> Iterator[Terms]:
        """What one call inside writes is written once for this key, whoever asks again and wherever.

        Asked again, the call raises Repeated, which says where the first one's entries stand; with other words
        (`request`), KeyReused. The last 1,000 keys of a user are known. If all that the first one wrote was erased,
        it raises AlreadyErased, however long ago that was. With `after`, it is written only if the log still ends
        there, else Moved. `add` has keys of its own, and is not bound by this.
        """
        self._terms = terms = Terms.of(key, request, after)
        try:
            self._check_terms(self.project())
            if self.log.is_erased(terms.receipts(1, 1)):
                raise AlreadyErased
            yield terms
        finally:
            self._terms = None

    def _check_terms(self, project: Project) -> None:
        if self._terms is None:
            return
        try:
            self._terms.check(project)
        except Repeated as error:
            if all(stored.entry is None for stored in self.log.read(error.first, error.last + 1)):
                raise AlreadyErased from None
            raise

    def _write(self, prepare: Callable[[Project], list[Entry]], *, watched: bool = True) -> tuple[int, ...]:
        """Append what `prepare` makes of the project, and the alerts that follow; the positions of the former."""
        while True:
            project = self.project()
            self._check_terms(project)  # again, because another process may have carried out the same request
            self._expected = project
            entries = prepare(project)
            alerts = self._follow(project, entries) if watched else []
            if not entries and not alerts:
                self._come_true(project)  # only the time differs
                return ()
            made = [*entries, *alerts]
            first, last = project.position + 1, project.position + len(made)
            if self._terms is not None:
                made += self._terms.receipts(first, last)
            try:
                positions = self.log.append(made, after=project.position)
            except Moved:
                continue
            if self._terms is not None:
                self._terms.first, self._terms.last, self._terms = first, last, None
            if self._expected is not project:
                self._come_true(self.project())
            return positions[: len(entries)] if entries else positions[: len(alerts)]

    def _follow(self, project: Project, entries: list[Entry]) -> list[Entry]:
        """What follows from entries that are about to be written."""
        self._expected, followed = self._followed_by(project, entries, self._watched)
        return followed

    def _followed_by(
        self, project: Project, entries: Sequence[Entry], watch: Callable[[], Watch]
    ) -> tuple[Project, list[Entry]]:
        """What follows from entries for the alerts: a tick where one is due, and changes; and what was looked at."""
        moment = self._clock()
        seen = ahead(project, entries, moment)
        if not (seen.constraints or seen.alerts or seen.disputed or seen.failures):
            return project, []
        ticks: list[Entry] = []
        if seen.now is None or moment - seen.now >= TICK_AFTER:
            ticks = [with_fixed_offsets(Tick(now=moment))]
            seen = ahead(seen, ticks, moment)
        changes = watch().after(seen, [*entries, *ticks])
        check_adopted(entries, changes)
        return seen, [*ticks, *changes] if changes or entries else []

    def _come_true(self, project: Project) -> None:
        """What was loaded as the expected project is this one now."""
        for computer in self._computers():
            computer.follow(self._expected, project)

    def _computers(self) -> list[Computer]:
        mine = (self._computer, self._rules, self._unreviewed_rules)
        return [computer for computer in mine if computer is not None]

    def _computing(self) -> Computer:
        """Where queries run."""
        self._forget_forked()
        if self._computer is None:
            sandbox = self.sandbox
            if isinstance(sandbox, MissingSandbox):
                return Computer(sandbox)
            self._computer = Computer(sandbox)
        return self._computer

    def _watched(self) -> Watch:
        self._forget_forked()
        sandbox = self.sandbox
        if isinstance(sandbox, MissingSandbox):
            return Watch(Computer(sandbox), Computer(sandbox), unreviewed=self._unreviewed)
        if self._watch is None or self._rules is None:
            self._rules = Computer(sandbox, trusted=True)
            self._unreviewed_rules = Computer(sandbox)
            self._watch = Watch(self._rules, self._unreviewed_rules, unreviewed=self._unreviewed)
        return self._watch

    def _forget_forked(self) -> None:
        if self._owner != os.getpid():  # forked: what is loaded belongs to the other process
            self._owner, self._watch = os.getpid(), None
            self._computer = self._rules = self._unreviewed_rules = None
