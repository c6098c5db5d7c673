"""One user's memory: the log, the project that follows it, and the alerts that follow that.

A facade of short methods. `writing.py` shows the one way in which everything is written.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from uac.errors import Refused, Repeated, UacError
from uac.log.index import KINDS, RecallKind
from uac.log.log import Log, Stored
from uac.memory.delivery import deliver_alert_changes
from uac.memory.idempotency import WriteTerms
from uac.memory.interpreters import Interpreters
from uac.memory.observing import keep_observations
from uac.memory.past_projects import PastProjects
from uac.memory.snapshots import fold_log
from uac.memory.weight import estimated_bytes
from uac.memory.writer import Writer
from uac.project.alerts import Alert
from uac.project.clocks import Clocks
from uac.project.diff import Change, diff
from uac.project.project import EMPTY_PROJECT, Project
from uac.project.unplaced import UnplacedFact
from uac.sandbox.compute import Computer, Result
from uac.sandbox.port import Sandbox
from uac.schema.constraints import Constraint, Unreviewed
from uac.schema.entries import AlertChange, Authority, Checkpoint, Correction, Entry, Observation, Retraction, Role
from uac.schema.patches import Adopt, Drop, End, Merge, Patch, Put
from uac.schema.types import Type
from uac.schema.values import dump_value

if TYPE_CHECKING:
    from uac.constraints.acceptance import AcceptanceResources, Plan
    from uac.constraints.ahead import AheadStart
    from uac.constraints.review import PartialAcceptance
    from uac.constraints.trace import Why
    from uac.conversation.ask import Answer
    from uac.conversation.learning import Cadence, Learned, Outcome
    from uac.display.plots import Plot
    from uac.display.tables import Table
    from uac.memory.learner import Learner
    from uac.memory.recall_indexes import RecallIndexes
    from uac.memory.remembering import RememberCall, Remembered
    from uac.memory.statements import StatedPatch
    from uac.memory.writing import Written
    from uac.models import Budget, ModelsFor
    from uac.models.embedder import Embedder
    from uac.models.requests_and_replies import Reply, Request
    from uac.packs import Offer, Pack
    from uac.project.explain import Explanation
    from uac.recall.context import Context
    from uac.recall.search import Channel, Found, IndexProgress, OnRebuild, Recall

# What only some methods need is imported by them: a command loads what it uses.

__all__ = ["Memory"]

PRESENT = Clocks()


class Memory:
    """One user's memory. Open it with `Memory(store.log("ana"))`.

    `packs` are the available domains (by default those in $UAC_PACKS, or all installed ones); `unreviewed` sets what a
    model's constraints may do before a person approves them; `embedder` compares meanings in recall (by default
    $UAC_EMBEDDER; None: no comparison); `clock` gives the time of ticks.
    """

    def __init__(
        self,
        log: Log,
        *,
        sandbox: Sandbox | None = None,
        packs: "Sequence[Pack] | None" = None,
        unreviewed: Unreviewed = "mark",
        embedder: "Embedder | Literal['chosen'] | None" = "chosen",
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        if unreviewed not in get_args(Unreviewed):
            raise Refused(f"unreviewed is {unreviewed!r}. Use one of {', '.join(get_args(Unreviewed))}.")
        if packs:
            from uac.packs import Pack

            if not all(isinstance(pack, Pack) for pack in packs):
                raise Refused("packs is not a list of packs. Use those of load_pack(folder), or () for none.")
        self.log = log
        self._clock = clock
        self._interpreters = Interpreters(sandbox, unreviewed)
        self._writer = Writer(log, self._interpreters, packs, clock)
        self._embedder: Embedder | Literal["chosen"] | None = embedder
        self._past = PastProjects()
        self._unplaced: tuple[Project, tuple[UnplacedFact, ...]] = (EMPTY_PROJECT, ())

    @property
    def sandbox(self) -> Sandbox:
        """Runs constraints and queries; opened on first use."""
        return self._interpreters.sandbox

    @property
    def packs(self) -> "Sequence[Pack]":
        """The packs that this user can adopt from."""
        return self._writer.packs

    def __repr__(self) -> str:
        from uac.display.notebook import summary

        try:
            return f"<Memory {summary(self.project())}>"
        except UacError as error:  # a debugger that shows the memory must not fail itself
            return f"<Memory: {error}>"

    def _repr_html_(self) -> str:
        from uac.display.notebook import html_of

        return html_of(self.project())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the interpreter. The memory can still be used; it opens another one."""
        self._interpreters.close()

    def forget_caches(self) -> None:
        """Close, and let go of everything that is made from the log; it is made again when it is needed."""
        self.close()
        self._writer.forget_project()
        self._indexes.forget()
        self._past = PastProjects()
        self._unplaced = (EMPTY_PROJECT, ())

    def weight(self) -> int:
        """The bytes that this memory keeps in the process, estimated from its entries and records."""
        return estimated_bytes(self._writer.known_project, has_index=self._indexes.is_open)

    def project(self) -> Project:
        """The project at the end of the log. Only new entries are folded."""
        return self._writer.project()

    @property
    def known_project(self) -> Project:
        """The project as the last operation read it; the log may have more by now."""
        return self._writer.known_project

    def project_as_of(self, when: int | datetime) -> Project:
        """The project as it was at a position or a time: `project_at(Clocks(known=when))`."""
        return fold_log(self.log.as_of(when))

    def project_at(self, clocks: Clocks) -> Project:
        """What was true on a day (`valid`), had been said by a day (`told`), and was known at a time (`known`).

        Without a valid day, records are current or former as of the others, or of now: one whose own last day (`ends`,
        `ended`, `until`) is past is former, although nobody ended it.
        """
        return self._past.at(clocks, self.log, self.project(), today=self._clock().date())

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
        """Store an observation verbatim; returns its position once it is durable."""
        moment = said or self._clock()
        observation = Observation(
            text=text, said=moment, role=role, speaker=speaker, session=session, source=source, key=key
        )
        return keep_observations(self.log, observation)[0]

    def remember(
        self,
        text: str | Sequence[Observation] = "",
        facts: Sequence[Any] | None = None,
        records: Sequence[Any] | None = None,
        *,
        constraints: Sequence[Any] | None = None,
        observations: Sequence[int] = (),
        said: datetime | None = None,
        role: Role = "user",
        speaker: str = "",
        session: str = "",
        source: str = "",
        key: str = "",
        model: str = "agent",
    ) -> "Remembered":
        """Store words together with the facts and records that an agent made of them, in one write.

        `text` is one turn, or several observations. Facts quote them; `records` and `constraints` cite facts by their
        number in this call, from 1. Valid parts are stored, the turns in any case; `to_mend` says what to fix. To fix
        it, give the positions of the turns as `observations` instead of the words. With `key`, it is done once.
        """
        from uac.memory.remembering import RememberCall

        turns = text
        if isinstance(turns, str):
            moment = said or self._clock()
            turn = Observation(text=turns, said=moment, role=role, speaker=speaker, session=session, source=source)
            turns = [turn] if turns else []
        made, changes, rules = (None if each is None else list(each) for each in (facts, records, constraints))
        call = RememberCall(tuple(turns), tuple(observations), made, changes, rules, model)
        return self.remember_call(call, key=key)

    def remember_call(self, call: "RememberCall", *, key: str = "") -> "Remembered":
        """As `remember`, with the whole call as one value; a `once` block around it applies."""
        from uac.memory.remembering import Remembering

        try:
            with self.once(key, call.identity) if key else nullcontext():
                return Remembering(self._writer, lambda: self.recall_index(vectors=0)).remember(call)
        except Repeated as error:
            return self.remembered(call, error.first, error.last)

    def remembered(self, call: "RememberCall", first: int, last: int) -> "Remembered":
        """What an earlier call with the same key wrote, at these positions."""
        from uac.memory.remembering import read_remembered

        before, after = self.project_as_of(first - 1), self.project_as_of(last)
        return read_remembered(call, self.log, before, after, last)._replace(is_repeated=True)

    def checkpoint(
        self,
        patches: Sequence[Patch],
        *,
        facts: Sequence[int] = (),
        by: str = "",
        reviewed: bool = False,
        watched: bool = True,
    ) -> int:
        """Validate patches and write them together: all are accepted, or Rejected says what to fix.

        `reviewed` means that a person approves the patches of constraints; otherwise they count as a model's.
        With `watched=False` no constraint is run, as in the parts of a long import; `look()` runs them later.
        """

        from uac.constraints.acceptance import plan_patches

        def prepare(start: "AheadStart") -> "Plan":
            named = self._writer.with_field_cites(start.project, patches)
            resources, is_unwatched = self._writer.resources, not watched
            return plan_patches(
                start, named, resources, by=by, facts=facts, reviewed=reviewed, is_unwatched=is_unwatched
            )

        return self._writer.write(prepare, watched=watched).positions[-1]

    def write_plan(self, plan: "Callable[[AheadStart, AcceptanceResources], Plan]") -> "Written":
        """Write what `plan` makes of the current project, with the alerts that follow. It is called again if another
        process writes meanwhile."""
        return self._writer.write(lambda start: plan(start, self._writer.resources))

    def accept_part(
        self, patches: Sequence[Patch], *, by: str, also: "Callable[[Project, PartialAcceptance], Sequence[Entry]]"
    ) -> "tuple[int, PartialAcceptance]":
        """Write the valid ones of a model's patches. Returns the checkpoint's position (0: none), and which they are.

        Patches that cite the same fact are accepted or refused together. `also` makes entries to append with them.
        """
        written = self._writer.accept_part(patches, by=by, follow_up=lambda project: partial(also, project))
        placed = zip(written.positions, written.plan.entries, strict=False)
        positions = [position for position, entry in placed if isinstance(entry, Checkpoint)]
        accepted = written.plan.accepted
        return positions[-1] if accepted.kept else 0, accepted

    def put(
        self,
        type_name: str,
        fields: Mapping[str, Any],
        *,
        said: datetime | None = None,
        by: str = "",
        words: str = "",
        cites: Sequence[int] = (),
    ) -> str:
        """Store a typed record that a person or a program states directly; returns the record's id.

        Its evidence is the sentence in `words`, or the entries at `cites`; by default the values themselves.
        """
        from uac.memory.statements import put_cited_record, statement_text

        plain = {name: dump_value(value) for name, value in fields.items()}
        if not cites:
            words = words or statement_text(type_name, plain)
            return self._state_patch(words, lambda own: Put(type=type_name, fields=plain, cites=own), said, by).record
        if words or said is not None:
            raise Refused(
                "Both cites and words (or said) are given. The cited entries have their words and their time."
            )
        return put_cited_record(self._writer, Put(type=type_name, fields=plain, cites=tuple(cites)), by=by)

    def _state_patch(
        self, words: str, patch: Callable[[tuple[int, ...]], Patch], said: datetime | None, by: str
    ) -> "StatedPatch":
        from uac.memory.statements import state_patch

        observation = Observation(text=words, said=said or self._clock(), source="put")
        return state_patch(self._writer, observation, patch, by=by)

    def end(self, record: str, when: str, *, why: str = "", said: datetime | None = None, by: str = "") -> int:
        """End a record: it no longer holds from that date on (YYYY, YYYY-MM or YYYY-MM-DD)."""
        words = f"{record} ended {when}" + (f": {why}" if why else "")
        return self._state_patch(
            words, lambda cites: End(record=record, when=when, why=why, cites=cites), said, by
        ).position

    def drop(self, record: str, *, why: str, by: str = "") -> int:
        """Remove a record that should never have existed. Its facts are set aside with the reason."""
        return self.checkpoint([Drop(record=record, why=why)], by=by)

    def merge(self, record: str, into: str, *, by: str = "") -> int:
        """Make two records of one type one: the claims of `record`, and references to it, go to `into`."""
        words = f"{record} and {into} are one"
        return self._state_patch(words, lambda cites: Merge(record=record, into=into, cites=cites), None, by).position

    def correct(self, record: str, field: str, value: Any, *, why: str = "") -> int:
        """Set a field to the user's own value. It outranks all claims until the user says something newer."""
        from uac.memory.statements import plan_correction

        entry = Correction(record=record, field=field, value=dump_value(value), why=why)
        return self._writer.write(lambda start: plan_correction(start, entry)).positions[-1]

    def retract(self, positions: Iterable[int], *, why: str, reviewed: bool = False) -> int:
        """Fold as if these entries, and all that depend on them, were absent. Retracting that retraction undoes it.

        Decisions of packs and persons on constraints are retracted only with a person's approval (`reviewed`).
        """
        from uac.memory.statements import plan_retraction

        entry = Retraction(positions=tuple(positions), why=why)
        return self._writer.write(lambda start: plan_retraction(start, entry, reviewed=reviewed)).positions[-1]

    def erase(self, positions: Iterable[int], *, why: str) -> tuple[int, ...]:
        """Destroy the words of these entries and of all that depend on them, for good, and run the constraints on what
        is left. Returns the positions that lost their words."""
        erased = self.log.erase(tuple(positions), why=why)
        self.look()
        return erased

    def preview(self, patches: Sequence[Patch]) -> tuple[Project, list[Change]]:
        """The project as the patches would make it, and what would change; nothing is written."""
        from uac.constraints.acceptance import preview_acceptance

        start = self._writer.start(brings_tick=False)
        named = self._writer.with_field_cites(start.project, patches)
        after = preview_acceptance(start, named, self._writer.resources).project
        return after, diff(start.project, after)

    def foresee(self, entries: Sequence[Entry]) -> tuple[Project, list[AlertChange]]:
        """The project as these entries would make it, and the alerts that would follow; nothing is written."""
        from uac.constraints.acceptance import Plan
        from uac.memory.writing import run_write_constraints

        start = self._writer.start()
        with self._interpreters.separate_watch() as watch:
            _ahead, changes = run_write_constraints(start, Plan(entries=tuple(entries)), lambda: watch)
        after = replace(start, brings_tick=False).ahead(entries).project
        return after, [change for change in changes if isinstance(change, AlertChange)]

    def explain(self, record: str, field: str, *, clocks: Clocks = PRESENT) -> "Explanation":
        from uac.project.explain import explain

        return explain(self.project_at(clocks), self.log, record, field)

    def diff(self, before: int | datetime | Clocks, after: int | datetime | Clocks | None = None) -> list[Change]:
        """The changes between two positions or times, or two clocks of any kind; `after` defaults to now."""
        old, new = (each if isinstance(each, Clocks) else Clocks(known=each) for each in (before, after))
        return diff(self.project_at(old), self.project_at(new))

    def at(self, valid: date) -> Project:
        """The project as it was on that day, by current knowledge: `project_at(Clocks(valid=valid))`."""
        return self.project_at(Clocks(valid=valid))

    def render(self, *, clocks: Clocks = PRESENT) -> dict[str, str]:
        from uac.project.render import render

        return render(self.project_at(clocks))

    def manifest(self, *, clocks: Clocks = PRESENT) -> str:
        from uac.project.render_manifest import render_manifest

        return render_manifest(self.project_at(clocks))

    # --- from conversation to records, and back -------------------------------------------------------------------

    def pending(self, *, most: int | None = 10) -> "list[Request]":
        """The next requests to a model or an agent: turns to read, or facts to put into records."""
        return self.learner.pending(limit=most)

    def answer(self, request_id: str, reply: "Reply | str", *, model: str = "agent") -> "Outcome":
        """Take the reply to a pending request: valid parts are stored, and the findings say what to fix."""
        from uac.models.requests_and_replies import Reply
        from uac.text.token_count import count_tokens

        if isinstance(reply, str):
            reply = Reply(text=reply, model=model, output_tokens=count_tokens(reply))
        return self.learner.answer(request_id, reply)

    def learn(
        self,
        models: "ModelsFor | None" = None,
        *,
        budget: "Budget | None" = None,
        cadence: "Cadence | None" = None,
        judged: bool = False,
        on_outcome: "Callable[[Outcome], None] | None" = None,
        told: "Callable[[Outcome], None] | None" = None,
    ) -> "Learned":
        """Let models read new observations and put the facts into records, until no request is open.

        `models` and `budget` default to the UAC_MODEL… and UAC_BUDGET… settings. With a `cadence`, facts that can wait
        do; with `judged`, a second model checks each fact first. `on_outcome` is called after each reply; `told` is its
        former name.
        """
        from uac.models import chosen_models
        from uac.models import parse_budget as chosen_budget

        return self.learner.learn(
            chosen_models() if models is None else models,
            budget=chosen_budget() if budget is None else budget,
            cadence=cadence,
            judged=judged,
            now=self._clock(),
            on_outcome=on_outcome or told or (lambda _outcome: None),
        )

    def retry_stuck(self, *, why: str = "what is stuck is asked about once more") -> int:
        """Request all stuck entries again, as if for the first time; returns how many there are."""
        stuck = len(self.project().progress.stuck)
        if calls := self.learner.stuck_calls():
            self.retract(calls, why=why)
        return stuck

    @property
    def learner(self) -> "Learner":
        """The learning loop, for programs that keep each reply before it is written (`uac work`)."""
        from uac.memory.learner import Learner

        return Learner(self._writer, lambda: self.recall_index(vectors=0))

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
        clocks: Clocks = PRESENT,
        now: datetime | None = None,
        without: "Collection[Channel]" = (),
        queries: Sequence[str] = (),
        within: str = "",
        after: int | None = None,
        outline: bool | None = None,
        recent: bool = False,
    ) -> "Found":
        """Search what was said, the facts taken from it and the records: by words, meaning, person and time.

        With `tokens`, as many hits as fit that budget, in reading order; otherwise the best `k` (20), best first.
        `queries` are up to three other queries for the same question, merged with it by rank. `within` is the session
        in which it is asked (or the turns after the position `after`): its last turns count. With `tokens`, `outline`
        gives all matching turns of people, shortened; by default if the question asks for an order or a summary. With
        `recent`, what was said lately counts more.
        Filters: `about` a person or thing; `between` two days, inclusive (None: open); `authorities` of facts;
        `sessions`; `sources`; `former` includes facts that are no longer true. `clocks` searches what was told or known
        then, and records as they were on the valid day; `as_of` is short for `known`. `now` resolves "last week";
        `without` disables channels.
        """
        from uac.recall.question_options import read_question_options
        from uac.recall.search import read_filter

        only = read_filter(
            kinds, between, about=about, authorities=authorities, sessions=sessions, sources=sources, former=former
        )
        recall = self.recall_at(clocks if as_of is None else replace(clocks, known=as_of))
        most = 20 if k is None and tokens is None else k
        options = read_question_options(queries, within, after, outline, recent=recent)
        return recall.find(query, only, k=most, tokens=tokens, now=now, without=without, options=options)

    def context(
        self,
        question: str,
        *,
        tokens: int = 4000,
        clocks: Clocks = PRESENT,
        queries: Sequence[str] = (),
        within: str = "",
        after: int | None = None,
        outline: bool | None = None,
        recent: bool = False,
    ) -> "Context":
        """The context for a question, within a budget: alerts, manifest, records, facts and excerpts.

        `queries`, `within`, `after`, `outline` and `recent` are those of `recall`.
        """
        from uac.recall.context import build_context
        from uac.recall.question_options import read_question_options

        options = read_question_options(queries, within, after, outline, recent=recent)
        project, recall = self.project_at(clocks), self.recall_at(clocks)
        log = self.log if clocks.is_present else self.log.as_of(project.position)
        return build_context(
            question, project=project, log=log, recall=recall, tokens=tokens, now=self._clock(), options=options
        )

    def recall_at(self, clocks: Clocks) -> "Recall":
        """The index of what was told or known on these clocks."""
        if clocks.is_present:
            return self.recall_index()
        return self._indexes.past(self.log, self.project_at(clocks))

    def ask(
        self,
        question: str,
        models: "ModelsFor | None" = None,
        *,
        budget: "Budget | None" = None,
        on_reply: "Callable[[Reply], None] | None" = None,
        told: "Callable[[Reply], None] | None" = None,
    ) -> "Answer":
        """Let a model answer with compute, recall and the domains, and check the answer.

        `on_reply` is called with each of its replies; `told` is its former name.
        """
        from uac.conversation.ask import answer_question
        from uac.models import chosen_models
        from uac.models import parse_budget as chosen_budget

        return answer_question(
            question,
            self,
            chosen_models() if models is None else models,
            now=self._clock(),
            budget=chosen_budget() if budget is None else budget,
            on_reply=on_reply or told or (lambda _reply: None),
        )

    def recall_index(self, *, vectors: int | None = None) -> "Recall":
        """The up-to-date index, with at most `vectors` new vectors; None: as many as a search can wait for."""
        return self._indexes.current(self.log, self.project, vectors=vectors)

    def embed(self, most: int = 512) -> int:
        """Update the index and embed at most `most` passages; returns how many have no vector yet."""
        return self.recall_index(vectors=0).embed(most)

    def reindex(self, *, on_progress: "OnRebuild | None" = None, told: "OnRebuild | None" = None) -> "IndexProgress":
        """Rebuild the search index from the log, with vectors of the current embedder only.

        `on_progress` is called with the unit ("entries", then "passages"), how many are done, and the total; `told` is
        its former name.
        """
        report = on_progress or told or (lambda _unit, _done, _total: None)
        return self._indexes.rebuild(self.log, self.project(), report)

    @cached_property
    def _indexes(self) -> "RecallIndexes":
        from uac.memory.recall_indexes import RecallIndexes

        return RecallIndexes(self._embedder)

    @property
    def embedder(self) -> "Embedder | None":
        """Turns texts into vectors for recall; None if recall uses words, people and times only."""
        return self._indexes.embedder

    def compute_as_of(self, code: str, when: int | datetime | None) -> Result:
        """As `compute`, over the project as it was then: `compute(code, clocks=Clocks(known=when))`."""
        return self.compute(code, clocks=Clocks(known=when))

    def write(self, prepare: Callable[[Project], list[Entry]]) -> tuple[int, ...]:
        """Append entries that change no record; prepared again if another process wrote meanwhile."""
        return self._writer.append(prepare).positions

    def table(self, type_name: str, *, former: bool = False, clocks: Clocks = PRESENT) -> "Table":
        """The records of a type as a table; with `former` those that have ended."""
        from uac.display.tables import record_table

        return record_table(self.project_at(clocks), type_name, former=former, brief=True)

    def plot(
        self,
        type_name: str,
        *,
        when: str | None = None,
        value: str | None = None,
        category: str | None = None,
        clocks: Clocks = PRESENT,
    ) -> "Plot":
        """The records of a type: by month of the field `when`, or by category; sums of `value`, or how many."""
        from uac.display.plots import plot_of

        return plot_of(self.table(type_name, clocks=clocks), when=when, value=value, category=category)

    # --- constraints and alerts -----------------------------------------------------------------------------------

    def tick(self, now: datetime | None = None) -> list[AlertChange]:
        """Advance the time and run the constraints that depend on it. A tick that changes nothing is not written."""
        moment = self._clock() if now is None else now
        if not isinstance(moment, datetime):
            raise Refused(f"now is {moment!r}. Use a datetime.")

        from uac.memory.alert_changes import plan_tick

        plan = partial(plan_tick, moment=moment, is_clock_time=now is None)
        return self._writer.write(plan, now=moment).alerts

    def look(self) -> list[AlertChange]:
        """Catch up after an import: adopt the packs' constraints for the new types, and run all that were skipped."""

        from uac.constraints.acceptance import plan_pack_acceptance

        def prepare(start: "AheadStart") -> "Plan":
            used = {name for name, table in start.project.tables.items() if table}
            return plan_pack_acceptance(start, used, self._writer.resources)

        return self._writer.write(prepare).alerts

    def alerts(self) -> list[Alert]:
        """The active alerts, the most severe first."""
        return self.project().standing()

    def acknowledge(self, constraint: str, subject: str = "", *, why: str = "") -> int:
        """Mark an alert as seen. It stays active, unreported, until it clears; retracting this entry undoes it."""
        return self._change_alert("acknowledged", constraint, subject, why=why)

    def snooze(self, constraint: str, subject: str = "", *, until: datetime, why: str = "") -> int:
        """Do not report an alert until then; if it is still active, it is reported again."""
        return self._change_alert("snoozed", constraint, subject, until=until, why=why)

    def _change_alert(self, change: Any, constraint: str, subject: str, **more: Any) -> int:
        from uac.memory.alert_changes import change_of_alert

        written = self._writer.append(lambda project: [change_of_alert(project, change, constraint, subject, **more)])
        return written.positions[-1]

    def adopt(self, constraint: Constraint, *, by: str = "") -> int:
        """Adopt a constraint of a person or a pack; it replaces one of the same name."""
        if not isinstance(constraint, Constraint):
            raise Refused("This is not a Constraint. Use the result of parse_constraint(text, name, origin='person').")
        return self.checkpoint([Adopt(constraint=constraint)], by=by, reviewed=True)

    def type_named(self, name: str) -> Type | None:
        """The type of that name in the project, or else the one that a pack offers."""
        if (known := self.project().types.get(name)) is not None:
            return known  # without reading the packs
        return next((type_ for pack in self.packs for type_ in pack.types if type_.full_name == name), None)

    def pack_domains(self) -> set[str]:
        """The domains that packs offer, with or without records."""
        return {type_.domain for pack in self.packs for type_ in pack.types}

    def shadowed(self, name: str) -> str:
        """A warning that constraints of a pack do not run on the user's own type of that name; "" if there are none."""
        pack = next((pack for pack in self.packs if any(type_.full_name == name for type_ in pack.types)), None)
        mine = self.project().types.get(name)
        if pack is None or mine is None or mine in pack.types:
            return ""
        return (
            f"the pack {pack.name} has a {name} of its own, which its constraints read: they do not run on this one."
            " Records of the pack's type need no definition"
        )

    def offers(self) -> "list[Offer]":
        """The constraints of packs that this project does not have, and why not."""
        from uac.constraints.acceptance import offers_to_accept

        return offers_to_accept(self.project(), self._writer.resources)

    def upgrade(self) -> tuple[Patch, ...]:
        """Update types, tables and constraints of packs to the installed versions; returns the patches."""
        from uac.packs import upgrade_patches

        patches = upgrade_patches(self.packs, self.project())
        if patches:
            self.checkpoint(patches, by="packs", reviewed=True)
        return patches

    def compute(self, code: str, *, now: datetime | None = None, clocks: Clocks = PRESENT) -> Result:
        """Run Python code over the records, those of the present or on other clocks; `now` is the clock's time by
        default."""
        moment = now or self._clock().replace(second=0, microsecond=0)
        if clocks.is_present:
            project = self._past.at(clocks, self.log, self.project(), today=moment.date())
            return self._interpreters.computer().run(
                project, code, now=moment, unplaced=self.unplaced_facts, offered=self.pack_domains
            )
        computer = Computer(self.sandbox)
        try:
            later = self.project().owners()
            return computer.run(self.project_at(clocks), code, now=moment, later=later, unplaced=self.unplaced_facts)
        finally:
            computer.close()

    def unplaced_facts(self, project: Project) -> tuple[UnplacedFact, ...]:
        """The facts that are in no record of a project of this log, with the types to which each may belong."""
        if not (project.waiting or project.aside or project.progress.stuck):
            return ()
        if self._unplaced[0] is not project:
            from uac.conversation.unplaced_facts import unplaced_facts

            self._unplaced = (project, unplaced_facts(project, self.log, self.packs))
        return self._unplaced[1]

    def why(self, constraint: str) -> "Why":
        """Why a constraint fired, or did not: the records it reads, and its conditions with their values."""
        from uac.constraints.trace import trace_constraint

        return trace_constraint(self.project(), constraint, self._interpreters.computer())

    def history(self, after: int = 0) -> Iterator[tuple[Stored, AlertChange]]:
        """All changes of alerts after a position, oldest first, each with its stored entry."""
        for stored in self.log.read(after + 1):
            if isinstance(stored.entry, AlertChange):
                yield stored, stored.entry

    def deliver(self, to: str, send: Callable[[Stored, AlertChange], None]) -> int:
        """Send every change of alerts that was not delivered to `to` yet, in order; returns how many were sent.

        An error of `send` ends the delivery; changes sent before are noted in the log, the others are sent next time.
        So each change is sent at least once, and again only if the process died before it was noted.
        """
        return deliver_alert_changes(
            to, send, log=self.log, done=self.project().delivered.get(to, 0), append=self._writer.append
        )

    def once(self, key: str = "", request: str = "", *, after: int | None = None) -> AbstractContextManager[WriteTerms]:
        """Make the first write inside the block idempotent: it is made once for this key, in any process.

        A repeated call raises Repeated with the positions of the first one's entries, or KeyReused if its `request`
        differs. The last 1,000 keys of a user are known. If all entries of the first call were erased, it raises
        AlreadyErased, however long ago that was. With `after`, it raises Moved unless the log still ends there.
        `add` has keys of its own, and is not affected.
        """
        return self._writer.once(WriteTerms.of(key, request, after))
