"""uac-bench cost: what learning costs in a model's tokens, and whether a session costs more the longer the history is.

A user talks for a hundred sessions. A model that is a script reads the real requests and answers them; the real
checks take its replies. So the tokens are those of the requests that a vendor's model would be sent.
"""

import json
import os
import random
import re
import resource
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from statistics import fmean
from time import perf_counter, process_time
from typing import Any, Literal, NamedTuple

import click
import msgspec

from uac.bench.figures import machine
from uac.cli.output import Output, counted
from uac.entries import Fact, Role
from uac.errors import UacError
from uac.extract import TOPICS
from uac.learning import Outcome
from uac.log import Log
from uac.memory import Memory
from uac.models import NO_BUDGET, OneModel
from uac.requests import Reply, Request, Step
from uac.stores.memory import MemoryStore
from uac.stores.sqlite import SqliteStore
from uac.tokens import count_tokens

__all__ = ["FLAT", "Replay", "Scripted", "Session", "conversations", "cost", "growth_of", "marks", "replay", "show"]

FLAT = 1.3
"""The most that a session late in the history may cost, as a multiple of an early one."""
EARLY = range(6, 16)  # the sessions that the last ten are compared with
MARKS = (1, 10, 50, 100)
USER = "ana"
LEARNING: tuple[Step, ...] = ("extract", "checkpoint")


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """What one session cost, and how large the memory was after it."""

    session: int
    turns: int
    requests: dict[str, int]
    input_tokens: dict[str, int]
    output_tokens: dict[str, int]
    parts: dict[str, int]
    """The tokens of the requests by what they are spent on."""
    all_turns: int
    """Tokens of all that was said so far: what a memory sends that puts the whole history into each request."""
    all_facts: int
    """Tokens of all facts so far: what a memory sends that makes its whole state anew from them."""
    entries: int
    facts: int
    records: int
    cpu: float
    sandbox_cpu: float
    wall: float

    @property
    def tokens(self) -> int:
        return sum(self.input_tokens.values()) + sum(self.output_tokens.values())


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """A whole history on one store."""

    store: str
    sessions: tuple[Session, ...]
    offered: int
    """Facts and patches that the model gave."""
    refused: int
    sent_back: int
    """Replies that were to be mended."""
    replies: int
    waiting: int
    """Facts that are in no record at the end, and words that nobody could read."""
    aside: int
    """Facts that the model put into no record because the record or the type they need was not shown."""
    reasons: dict[str, int]


@click.command()
@click.option(
    "--sessions", type=click.IntRange(min=20), default=100, show_default=True, help="How long the history is."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed is another user.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def cost(context: click.Context, sessions: int, seed: int, as_json: bool) -> None:
    """Measure what a session costs in tokens while the history grows.

    The history is made up, the model is a script, the requests and the checks are real. Beside it
    stands what it would cost to send the whole history each time. Ends with 1 if a late session
    costs more than 1.3 times an early one.
    """
    out = Output(as_json=as_json)
    load = os.getloadavg()[0]
    try:
        replays = _replayed(sessions, seed, out)
    except UacError as error:
        raise click.ClickException(str(error)) from error
    notes = [f"{machine()}, load {load:.1f} to {os.getloadavg()[0]:.1f}"]
    context.exit(0 if show(replays, out, notes) else 1)


def show(replays: Sequence[Replay], out: Output, notes: Sequence[str] = ()) -> bool:
    """Print what was measured; whether the line is flat."""
    found = replays[0]
    growth = growth_of(found)
    is_flat = all(ratio <= FLAT for ratio in growth.values())
    notes = [*_notes(replays), *notes, _verdict(growth)]
    if out.as_json:
        out.json(_plain(replays, growth, is_flat, notes))
        return is_flat
    out.table(HEADS, [_cells(found.sessions[mark - 1]) for mark in marks(len(found.sessions))])
    out.table(("", "request", "early", "late", "ratio", "share"), _part_rows(found))
    out.table(("", "", "store", "early", "late", "ratio"), _time_rows(replays))
    for note in notes:
        out.line(note)
    return is_flat


def _replayed(sessions: int, seed: int, out: Output) -> list[Replay]:
    """The same history on both stores."""
    now = [START]
    out.note(f"{sessions} sessions in memory …")
    with closing(MemoryStore(clock=lambda: now[0])) as store:
        replays = [replay("memory", store.log(USER), now, sessions, seed)]
    out.note(f"{sessions} sessions on SQLite …")
    with tempfile.TemporaryDirectory(prefix="uac-bench-") as folder:
        now = [START]
        with closing(SqliteStore(Path(folder) / "cost.db", clock=lambda: now[0])) as kept:
            replays.append(replay("SQLite", kept.log(USER), now, sessions, seed))
    return replays


def replay(store: str, log: Log, now: list[datetime], sessions: int, seed: int = 1) -> Replay:
    """Live through the sessions: the words are added, then learned. `now` is the clock of the log, and is moved."""
    memory = Memory(log, clock=lambda: now[0])
    model = Scripted()
    found: list[Session] = []
    every: list[Outcome] = []
    said = noted = turns = 0
    try:
        for number, talk in enumerate(islice(conversations(seed), sessions), 1):
            outcomes: list[Outcome] = []
            before = _Clocks.read(model)
            for turn in talk:
                now[0] = turn.said
                memory.add(turn.text, said=turn.said, role=turn.role, session=f"session {number}")
            now[0] += timedelta(minutes=5)
            learned = memory.learn(OneModel(model), budget=NO_BUDGET, told=outcomes.append)
            if learned.stopped:
                raise click.ClickException(f"session {number}: {learned.stopped}")
            clocks = _Clocks.read(model)
            every += outcomes
            turns += len(talk)
            said += sum(count_tokens(f"{turn.role}: {turn.text}") for turn in talk)
            noted += sum(count_tokens(text) for text in _texts(memory.log, outcomes))
            project = memory.project()
            found.append(
                Session(
                    session=number,
                    turns=turns,
                    requests=_by_step(outcomes, lambda _outcome: 1),
                    input_tokens=_by_step(outcomes, lambda outcome: outcome.reply.input_tokens),
                    output_tokens=_by_step(outcomes, lambda outcome: outcome.reply.output_tokens),
                    parts=_parts(outcomes),
                    all_turns=said,
                    all_facts=noted,
                    entries=project.position,
                    facts=sum(len(outcome.facts) for outcome in every),
                    records=sum(project.count(name) for name in project.types),
                    cpu=clocks.cpu - before.cpu,
                    sandbox_cpu=clocks.workers - before.workers,
                    wall=clocks.wall - before.wall,
                )
            )
    finally:
        memory.close()
    return _summed_up(store, found, every, memory)


class _Clocks(NamedTuple):
    """Seconds so far, without those of the scripted model."""

    cpu: float
    workers: float
    wall: float

    @classmethod
    def read(cls, model: "Scripted") -> "_Clocks":
        return cls(process_time() - model.seconds, _workers(), perf_counter() - model.seconds)


def _workers() -> float:
    """The CPU seconds of all processes that this one started, those that have ended too; only the latter off Linux."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    ticks: dict[int, int] = {}
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            name, _mark, rest = path.read_text().rpartition(") ")
            fields, process = rest.split(), int(name.split()[0])
            children.setdefault(int(fields[1]), []).append(process)
            ticks[process] = sum(map(int, fields[11:15]))
    found, queue = 0, [os.getpid()]
    while queue:
        started = children.get(queue.pop(), [])
        found += sum(ticks[process] for process in started)
        queue += started
    return ended.ru_utime + ended.ru_stime + found / os.sysconf("SC_CLK_TCK")


def _texts(log: Log, outcomes: Sequence[Outcome]) -> Iterator[str]:
    for position in (position for outcome in outcomes for position in outcome.facts):
        for stored in log.read(position, position + 1):
            if isinstance(stored.entry, Fact):
                yield stored.entry.text


def _by_step(outcomes: Sequence[Outcome], count: Callable[[Outcome], int]) -> dict[str, int]:
    return {step: sum(count(o) for o in outcomes if o.request.step == step) for step in LEARNING}


PARTS: Mapping[str, str] = {
    "manifest": "manifest",
    "types": "types",
    "offered": "types",
    "more_types": "types",
    "constraints": "constraints",
    "records": "records",
    "facts": "facts",
    "turns": "turns",
    "known_names": "known names",
    "look": "rest",
}


def _parts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """What the tokens of requests are spent on; marks around the parts count as the rest."""
    found: Counter[str] = Counter()
    for request in (outcome.request for outcome in outcomes):
        found["prompt"] += count_tokens(request.prompt)
        content: dict[str, Any] = json.loads(request.content)
        sizes = {name: count_tokens(json.dumps(part, ensure_ascii=False, indent=1)) for name, part in content.items()}
        for name, size in sizes.items():
            found[PARTS.get(name, "sent back")] += size
        found["rest"] += count_tokens(request.content) - sum(sizes.values())
    return dict(found)


def _summed_up(store: str, found: Sequence[Session], outcomes: Sequence[Outcome], memory: Memory) -> Replay:
    project = memory.project()
    wrong = [finding for outcome in outcomes for finding in outcome.findings]
    replies = [json.loads(outcome.reply.text) for outcome in outcomes]
    patches = [patch for reply in replies for patch in reply.get("patches", ())]
    return Replay(
        store=store,
        sessions=tuple(found),
        offered=len(patches) + sum(len(reply.get("facts", ())) for reply in replies),
        refused=sum(1 for finding in wrong if finding.part),
        sent_back=sum(1 for outcome in outcomes if outcome.findings and outcome.is_open),
        replies=len(outcomes),
        waiting=len(project.waiting) + len(project.progress.stuck) + len(project.progress.unread),
        aside=sum(len(patch["cites"]) for patch in patches if patch["op"] == "set_aside"),
        reasons=dict(Counter(re.sub(r"\d+", "…", finding.why) for finding in wrong).most_common(10)),
    )


# -- what is printed ---------------------------------------------------------------------------------------------------


HEADS = (
    *("", "session", "extract: requests", "input", "output", "checkpoint: requests", "input", "output", "tokens"),
    *("entries", "facts", "records", "all turns", "times ours", "all facts", "times ours"),
)


def marks(sessions: int) -> list[int]:
    """The sessions that are shown: some on the way, and the last."""
    return sorted({*(mark for mark in MARKS if mark <= sessions), sessions})


def growth_of(found: Replay) -> dict[str, float]:
    """How many times as much a late session costs: one of the same plan as the tenth, and the last ten on average."""
    late = len(found.sessions) // PLANS * PLANS
    early_ten, last_ten = _ten(found.sessions)
    one = found.sessions[late - 1].tokens / found.sessions[9].tokens
    ten = fmean(each.tokens for each in last_ten) / fmean(each.tokens for each in early_ten)
    return {f"session {late} / session 10": one, "last ten / sessions 6 to 15": ten}


def _ten(sessions: Sequence[Session]) -> tuple[Sequence[Session], Sequence[Session]]:
    return [each for each in sessions if each.session in EARLY], sessions[-10:]


def _cells(each: Session) -> tuple[str, ...]:
    steps = [
        f"{figures[step]:,}" for step in LEARNING for figures in (each.requests, each.input_tokens, each.output_tokens)
    ]
    sizes = [f"{size:,}" for size in (each.tokens, each.entries, each.facts, each.records)]
    whole = [cell for size in (each.all_turns, each.all_facts) for cell in (f"{size:,}", f"{size / each.tokens:.1f}")]
    return ("cost", str(each.session), *steps, *sizes, *whole)


def _shares(found: Replay) -> list[tuple[str, float, float]]:
    """The parts of the requests of an average session, early and late."""
    early, late = (
        {part: fmean(each.parts.get(part, 0) for each in ten) for part in {p for each in ten for p in each.parts}}
        for ten in _ten(found.sessions)
    )
    return sorted(((part, early.get(part, 0.0), late.get(part, 0.0)) for part in early | late), key=lambda row: -row[2])


def _part_rows(found: Replay) -> Iterator[tuple[str, ...]]:
    rows = _shares(found)
    total = sum(late for _part, _early, late in rows)
    for part, early, late in rows:
        ratio = f"{late / early:.2f}" if early else "–"
        yield "part", part, f"{early:,.0f}", f"{late:,.0f}", ratio, f"{late / total:.0%}"


class _Time(NamedTuple):
    what: str
    store: str
    early: float
    late: float


def _times(replays: Sequence[Replay]) -> Iterator[_Time]:
    for found in replays:
        ten = _ten(found.sessions)
        yield _Time("CPU", found.store, *(fmean(each.cpu for each in some) for some in ten))
        yield _Time("CPU of sandboxes", found.store, *(fmean(each.sandbox_cpu for each in some) for some in ten))
        yield _Time("wall", found.store, *(fmean(each.wall for each in some) for some in ten))


def _time_rows(replays: Sequence[Replay]) -> Iterator[tuple[str, ...]]:
    for what, store, early, late in _times(replays):
        ratio = f"{late / early:.2f}" if early else "–"
        yield "time", what, store, f"{early * 1000:.0f} ms", f"{late * 1000:.0f} ms", ratio


def _notes(replays: Sequence[Replay]) -> Iterator[str]:
    found = replays[0]
    yield (
        "cost: tokens are estimates (uac.tokens), the same for every model. Every tenth session has the same plan with"
        " other things in it, so that sessions can be compared. All turns: what a request would hold that sends the"
        " whole history each time; all facts: one that makes the state anew from all facts, not counting the state"
        " that is written again. Both without instructions."
    )
    yield (
        "part: tokens in the requests of a session, the average of sessions 6 to 15 (early) and of the last ten (late)."
        " time: averages of the same, without the scripted model. Constraints run in sandboxes, which are processes of"
        " their own; their CPU is known on Linux only."
    )
    kept = 1 - found.refused / found.offered
    yield (
        f"Of {found.offered:,} facts and patches {kept:.1%} were accepted. Sent back: {found.sent_back} of"
        f" {found.replies:,} replies. Waiting at the end: {found.waiting} facts or turns. Set aside, because what"
        f" it is about was not shown: {counted(found.aside, 'fact')}."
    )
    for why, times in found.reasons.items():
        yield f"Refused {times} times: {why}"
    agree = len({tuple(each.tokens for each in other.sessions) for other in replays}) == 1
    yield "All stores cost the same tokens." if agree else "The stores do NOT cost the same tokens."


def _verdict(growth: Mapping[str, float]) -> str:
    judged = "; ".join(f"{what}: {ratio:.2f}" for what, ratio in growth.items())
    verdict = "met" if all(ratio <= FLAT for ratio in growth.values()) else "not met"
    return f"Growth of a session's tokens, {judged}. Goal, at most {FLAT:g}: {verdict}."


def _plain(replays: Sequence[Replay], growth: Mapping[str, float], is_flat: bool, notes: Sequence[str]) -> Any:
    found = replays[0]
    summary = msgspec.structs.asdict(found)
    del summary["sessions"]
    return {
        "sessions": [{**msgspec.structs.asdict(each), "tokens": each.tokens} for each in found.sessions],
        "marks": marks(len(found.sessions)),
        "growth": growth,
        "at_most": FLAT,
        "is_flat": is_flat,
        "parts": [{"part": part, "early": early, "late": late} for part, early, late in _shares(found)],
        "time": [time._asdict() for time in _times(replays)],
        "replies": summary,
        "notes": notes,
    }


# -- the history -------------------------------------------------------------------------------------------------------


START = datetime(2025, 1, 6, 18, 30, tzinfo=UTC)
PLANS = 10
"""After so many sessions the plans come again: as many turns, and of the same kinds."""


class Spoken(NamedTuple):
    """One turn."""

    role: Role
    text: str
    said: datetime


def conversations(seed: int = 1) -> Iterator[tuple[Spoken, ...]]:
    """Sessions without end, two a week, of 8 to 14 turns; the same for the same seed."""
    chance = random.Random(seed)
    plans = [_plan(chance, turns) for turns in (8, 10, 12, 14, 10, 12, 8, 14, 12, 10)]
    life = Life(chance)
    day = START
    while True:
        for plan in plans:
            turns: list[Spoken] = []
            moment = day + timedelta(minutes=chance.randrange(120))
            for kind in plan:
                turns.append(Spoken("user", life.say(kind, moment.date()), moment))
                turns.append(Spoken("assistant", chance.choice(ANSWERS), moment + timedelta(minutes=1)))
                moment += timedelta(minutes=3)
            yield tuple(turns)
            day += timedelta(days=chance.choice((3, 4)))


def _plan(chance: random.Random, turns: int) -> list[str]:
    """What the user speaks of in a session: something small, and different things that matter."""
    kinds = ["small talk", *chance.sample(KINDS, turns // 2 - 1)]
    chance.shuffle(kinds)
    return kinds


KINDS = (
    *("purchase", "price", "trip", "back", "visit", "medicine", "dose", "stop", "person", "move", "appointment"),
    *("preference", "preference"),
)


class Life:
    """What happens to the user, in words. Later sentences change what earlier ones told."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._things = self._mixed([f"{how} {what}" for how in LOOKS for what in THINGS])
        self._names = self._mixed([f"{name} {family}" for name in NAMES for family in FAMILIES])
        self._bought: list[str] = []
        self._people: list[str] = []
        self._trips: list[tuple[str, date]] = []
        self._taken: list[str] = []
        self._next_trip = START.date()

    def say(self, kind: str, day: date) -> str:
        pick = self._chance.choice
        text = self._told(kind, day)
        before, after = ("", "") if kind == "small talk" else (pick(BEFORE), pick(AFTER))
        return f"{before}{text}{after}"

    def _told(self, kind: str, day: date) -> str:
        pick, number = self._chance.choice, self._chance.randint
        match kind:
            case "price" if self._bought:
                return f"I was wrong about the {pick(self._bought[-8:])}, it cost {number(5, 190)} euros."
            case "purchase" | "price":
                self._bought.append(next(self._things))
                cost, when = f"{number(5, 190)}.{number(10, 99)}", pick(("today", "yesterday"))
                return f"I bought the {self._bought[-1]} at {pick(SHOPS)} for {cost} euros {when}."
            case "back" if self._trips:
                city, end = self._trips[-1]
                return f"I will come back from {city} later, on {_written(end + timedelta(days=number(1, 3)))}."
            case "trip" | "back":
                first = max(self._next_trip, day) + timedelta(days=number(10, 20))
                city, last = pick(CITIES), first + timedelta(days=number(2, 7))
                self._next_trip = last + timedelta(days=4)
                self._trips.append((city, last))
                return f"I booked a trip to {city} from {_written(first)} to {_written(last)}."
            case "visit":
                return f"I saw Dr. {pick(FAMILIES)} {pick(('today', 'yesterday'))} about my {pick(TROUBLES)}."
            case "dose" if self._taken:
                return f"I take {number(1, 9) * 50} mg of {pick(self._taken)} from today on."
            case "stop" if len(self._taken) > 1:
                return f"I stopped taking {self._taken.pop(0)} today."
            case "medicine" | "dose" | "stop":
                if len(self._taken) > 4:
                    self._taken.pop(0)
                name = pick([name for name in MEDICINES if name not in self._taken])
                self._taken.append(name)
                return f"I take {number(1, 9) * 50} mg of {name} from today on."
            case "move" if self._people:
                return f"{pick(self._people)} lives in {pick(CITIES)} now."
            case "person" | "move":
                self._people.append(next(self._names))
                return f"{self._people[-1]} is my {pick(RELATIONS)}, and lives in {pick(CITIES)} now."
            case "appointment":
                when = _written(day + timedelta(days=number(5, 40)))
                return f"My appointment for the {pick(ERRANDS)} is on {when} at {number(13, 17)}:{pick(('15', '30'))}."
            case "preference":
                return f"I prefer {pick(CHOICES)} for {pick(OCCASIONS)} now."
            case _:
                return pick(SMALL)

    def _mixed(self, values: list[str]) -> Iterator[str]:
        """All values in some order, and then in another, without end."""
        while True:
            self._chance.shuffle(values)
            yield from values


def _written(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


LOOKS = "blue green small heavy wooden plain round striped folding quiet second-hand bright narrow woollen".split()
THINGS = "kettle lamp raincoat bookshelf printer backpack blender carpet mirror toaster suitcase tent chair".split()
SHOPS = "Ikea Brandt Lidl Decathlon Hornbach Manufactum Globus Saturn".split()
CITIES = "Lisbon Vienna Oslo Porto Ghent Turin Krakow Bergen Bilbao Zagreb Malmo Trieste Leipzig Nantes".split()
NAMES = "Mara Jonas Ines Pavel Greta Tomas Leila Bruno Edith Yusuf Clara Viktor".split()
FAMILIES = "Keller Novak Santos Lindqvist Marchetti Okafor Brenner Duval Kowalski Hansen".split()
TROUBLES = ("left knee", "lower back", "stomach", "right shoulder", "hay fever", "sleep", "left wrist")
MEDICINES = ("magnesium", "omeprazole", "loratadine", "metformin", "cetirizine", "pantoprazole", "melatonin", "biotin")
RELATIONS = ("colleague", "neighbour", "cousin", "tennis partner", "landlord", "old friend", "music teacher")
ERRANDS = ("haircut", "eye test", "boiler check", "tax advice", "car inspection", "bank interview", "piano lesson")
CHOICES = ("porridge", "black tea", "rye bread", "lentil soup", "a quiet room", "the early train", "swimming", "chess")
OCCASIONS = ("breakfast", "lunch", "long journeys", "rainy evenings", "the weekend", "work days")
BEFORE = ("", "By the way: ", "Before I forget it: ", "One more thing. ", "For your notes: ")
AFTER = ("", " Please remember that.", " It was about time, I think.", " I nearly forgot to tell you.")
SMALL = (
    "What a grey evening, but the walk home through the park was lovely all the same.",
    "Well, the neighbours are loud again and I cannot hear myself think, but never mind.",
    "Thank you for your patience with me, you are good company on a long evening like this.",
    "Sometimes I wonder where all the hours of a day go, do you know that feeling as well?",
)
ANSWERS = (
    "I have noted that for you. Is there anything else that I should keep in mind for the coming weeks?",
    "Thank you for telling me. Shall I remind you of it when the time comes, or would you rather not hear of it again?",
    "Good to know. I will keep it in mind when we plan the next days. What else is going on at the moment?",
    "Understood, and I hope that all goes well. Tell me when something about it changes, and I will see to the rest.",
)


# -- the model ---------------------------------------------------------------------------------------------------------


class Scripted:
    """Answers requests as a model would, from their content alone: by regular expressions."""

    name = "scripted"

    def __init__(self) -> None:
        self.seconds = 0.0

    def ask(self, request: Request) -> Reply:
        start = perf_counter()
        content: dict[str, Any] = json.loads(request.content)
        said = _patches(content) if request.step == "checkpoint" else _facts(content)
        text = json.dumps(said, ensure_ascii=False)
        reply = Reply(text=text, model=self.name, input_tokens=request.tokens, output_tokens=count_tokens(text))
        self.seconds += perf_counter() - start
        return reply


class _Kind(NamedTuple):
    """A kind of sentence: how it is said, the fact that is noted of it, and the record that comes of the fact."""

    said: str
    noted: str
    type: str
    fields: Mapping[str, str]
    keys: int = 1
    """How many of the fields, the first ones, tell which record it is."""
    does: Literal["put", "amend", "end"] = "put"
    """'put' is 'amend' where the record is shown; 'amend' and 'end' need it shown."""


DAY = r"(?P<when>today|yesterday)"
DATE = r"\d{1,2} [A-Z][a-z]+ \d{4}"
NAME = r"(?P<person>[A-Z]\w+ [A-Z]\w+)"
SENTENCES = (
    _Kind(
        rf"I bought the (?P<item>[\w -]+) at (?P<shop>\w+) for (?P<cost>[\d.]+) euros {DAY}",
        "The user bought the {item} at {shop} for {cost} euros on {start}.",
        "household.Purchase",
        {"item": "{item}", "bought": "{start}", "shop": "{shop}", "price": "{cost} EUR"},
        keys=2,
    ),
    _Kind(
        r"I was wrong about the (?P<item>[\w -]+), it cost (?P<cost>\d+) euros",
        "The {item} cost {cost} euros.",
        "household.Purchase",
        {"item": "{item}", "price": "{cost} EUR"},
        does="amend",
    ),
    _Kind(
        rf"I booked a trip to (?P<city>\w+) (?P<when>from (?P<first>{DATE}) to (?P<last>{DATE}))",
        "The user booked a trip to {city} from {start} to {end}.",
        "travel.Trip",
        {"destination": "{city}", "departs": "{start}", "returns": "{end}", "state": "booked"},
        keys=2,
    ),
    _Kind(
        rf"I will come back from (?P<city>\w+) later, on (?P<when>{DATE})",
        "The user will come back from the trip to {city} on {start}.",
        "travel.Trip",
        {"destination": "{city}", "returns": "{start}"},
        does="amend",
    ),
    _Kind(
        rf"I saw Dr\. (?P<doctor>\w+) {DAY} about my (?P<trouble>[\w ]+)",
        "The user saw Dr. {doctor} about the {trouble} on {start}.",
        "health.Visit",
        {"what": "{trouble}", "day": "{start}", "doctor": "Dr. {doctor}"},
        keys=2,
    ),
    _Kind(
        r"I take (?P<dose>\d+ mg) of (?P<name>\w+) from (?P<when>today) on",
        "The user takes {dose} of {name} from {start} on.",
        "health.Medication",
        {"name": "{name}", "dose": "{dose}", "started": "{start}"},
    ),
    _Kind(
        rf"I stopped taking (?P<name>\w+) {DAY}",
        "The user stopped taking {name} on {start}.",
        "health.Medication",
        {"name": "{name}", "when": "{start}"},
        does="end",
    ),
    _Kind(
        rf"{NAME} is my (?P<relation>[\w ]+), and lives in \w+ now",
        "{person} is the user's {relation}.",
        "people.Person",
        {"name": "{person}", "relation": "{relation}"},
    ),
    _Kind(
        rf"{NAME} (?:is my [\w ]+, and )?lives in (?P<city>\w+) now",
        "{person} lives in {city}.",
        "people.Person",
        {"name": "{person}", "lives_in": "{city}"},
    ),
    _Kind(
        rf"My appointment for the (?P<what>[\w ]+) is on (?P<when>{DATE}) at (?P<time>\d\d:\d\d)",
        "The user's appointment for the {what} is on {start} at {time}.",
        "calendar.Appointment",
        {"what": "{what}", "starts": "{start}T{time}:00+00:00"},
        keys=2,
    ),
    _Kind(
        r"I prefer (?P<choice>[\w ]+) for (?P<occasion>[\w ]+) now",
        "The user prefers {choice} for {occasion}.",
        "preferences.Preference",
        {"occasion": "{occasion}", "choice": "{choice}"},
    ),
)


def _facts(content: Mapping[str, Any]) -> dict[str, Any]:
    """The facts that the turns state. What was refused is given up: a script has no second thought."""
    if "refused" in content or "problem" in content:
        return {"facts": []}
    found: list[dict[str, Any]] = []
    for turn in content["turns"]:
        if turn.get("context") or not turn["who"].startswith("user"):
            continue
        for kind in SENTENCES:
            found += [_stated(turn, kind, match) for match in re.finditer(kind.said, turn["text"])]
    return {"facts": found}


def _stated(turn: Mapping[str, Any], kind: _Kind, match: re.Match[str]) -> dict[str, Any]:
    words, domain = match.groupdict(), kind.type.partition(".")[0]
    when = _meant(words, date.fromisoformat(turn["said"].split()[1]))
    fact: dict[str, Any] = {"text": kind.noted.format(**words, **when), "about": words.get("person", "user")}
    fact |= {"cites": [{"turn": turn["turn"], "quote": match[0]}], "topic": domain if domain in TOPICS else "other"}
    if when:
        fact |= {"when": words["when"], **when}
    if match[0].startswith("I was wrong"):
        fact["corrects"] = True
    return fact


def _meant(words: Mapping[str, str], said: date) -> dict[str, str]:
    """What the phrase of time means: its first and its last day."""
    match words.get("when"):
        case None:
            return {}
        case "today":
            first = last = said
        case "yesterday":
            first = last = said - timedelta(days=1)
        case phrase:
            first, last = (_day(words.get(name, phrase)) for name in ("first", "last"))
    return {"start": first.isoformat(), "end": last.isoformat()}


def _day(text: str) -> date:
    return datetime.strptime(text, "%d %B %Y").replace(tzinfo=UTC).date()


PREFERENCE = {
    "domain": "preferences",
    "name": "Preference",
    "doc": "What the user prefers on an occasion.",
    "cardinality": "many",
    "key": ["occasion"],
    "fields": [{"name": "occasion", "type": "str"}, {"name": "choice", "type": "str | None"}],
}


def _patches(content: Mapping[str, Any]) -> dict[str, Any]:
    """A patch for each fact, with the types and the records that are shown; else it is set aside."""
    refused = [item["patch"] for item in content.get("refused", ())]
    given_up = {cited for patch in refused for cited in patch.get("cites", ())}
    types = {type_["type"] for name in ("types", "offered") for type_ in content[name]}
    types |= {line.partition(":")[0] for line in content.get("more_types", ())}
    patches: list[dict[str, Any]] = []
    if any(fact["text"].startswith("The user prefers") for fact in content["facts"]):
        if "preferences.Preference" not in types and not any(patch["op"] == "define" for patch in refused):
            patches.append({"op": "define", "type": PREFERENCE})
        types.add("preferences.Preference")
    for fact in content["facts"]:
        if fact["fact"] in given_up:
            patches.append(_aside(fact, "the patch for it was refused"))
        elif not _joined(fact, patches):
            patches.append(_patch(fact, types, content["records"]))
    return {"patches": patches, "constraints": []}


def _joined(fact: Mapping[str, Any], patches: Sequence[dict[str, Any]]) -> bool:
    """Whether the fact changes a record that this reply puts, and has been added to that patch."""
    for kind, fields in _read(fact):
        key = [*fields.items()][: kind.keys]
        for patch in patches:
            is_it = patch["op"] == "put" and patch["type"] == kind.type and kind.does == "amend"
            if is_it and all(patch["fields"].get(name) == value for name, value in key):
                patch["fields"] |= fields
                patch["cites"].append(fact["fact"])
                return True
    return False


def _read(fact: Mapping[str, Any]) -> Iterator[tuple[_Kind, dict[str, str]]]:
    for kind in SENTENCES:
        # The fact's sentence, with whatever stands where the kind has a word in braces.
        match = re.fullmatch(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(kind.noted)), fact["text"])
        if match is not None:
            yield kind, {name: value.format(**match.groupdict()) for name, value in kind.fields.items()}


def _patch(fact: Mapping[str, Any], types: set[str], records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    for kind, fields in _read(fact):
        record = _shown(kind, fields, records)
        cites = [fact["fact"]]
        if record is not None and kind.does == "end":
            return {"op": "end", "record": record, "when": fields["when"], "why": "stopped", "cites": cites}
        if record is not None:
            told = dict([*fields.items()][kind.keys :])
            return {"op": "amend", "record": record, "fields": told, "cites": cites}
        if kind.does != "put":
            return _aside(fact, "the record is not shown")
        if kind.type not in types:
            return _aside(fact, "no type for it is shown")
        return {"op": "put", "type": kind.type, "fields": fields, "cites": cites}
    return _aside(fact, "not understood")


def _shown(kind: _Kind, fields: Mapping[str, str], records: Sequence[Mapping[str, Any]]) -> str | None:
    """The record that the fact is about; of several trips to a city, or things of a name, the latest."""
    key = [*fields.items()][: kind.keys]
    found = [
        record
        for record in records
        if record["record"].startswith(f"{kind.type}:")
        and "ended" not in record
        and all(record["fields"].get(name) == value for name, value in key)
    ]
    found.sort(key=lambda record: str(record["fields"].get("departs", record["fields"].get("bought", ""))))
    return str(found[-1]["record"]) if found else None


def _aside(fact: Mapping[str, Any], why: str) -> dict[str, Any]:
    return {"op": "set_aside", "cites": [fact["fact"]], "why": why}
