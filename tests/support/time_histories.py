"""Generated histories of a few records, as logs and as a slow and simple account of what is valid on a day."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from hypothesis import strategies as st

from support.short_logs import Story, type_of
from uac import Period
from uac.project.project import Project
from uac.schema.entries import Authority
from uac.schema.patches import Amend, End, Patch, Put

PLAN = type_of("shop.Plan", key=["name"], name="str", price="int | None", note="str | None")
FIRST = date(2024, 1, 1)
CALENDAR = range(-3, 45)
DAYS = st.integers(0, 40)


@dataclass(frozen=True)
class Said:
    """One statement: about which record and on which day it was said; `held` is the day it names."""

    what: str
    """start (again, for one that ended), change, correct, or end."""
    record: int
    said: int
    held: int | None
    price: int
    retracted: bool


STATEMENTS = st.builds(
    Said,
    what=st.sampled_from(["start", "start", "change", "change", "correct", "end", "end"]),
    record=st.integers(0, 1),
    said=DAYS,
    held=st.one_of(st.none(), DAYS),
    price=st.integers(1, 9),
    retracted=st.sampled_from([False, False, False, True]),
)


@dataclass
class Account:
    """One record as the law describes it: what was said about it that counts, and the stretches in which it was over."""

    said: list[tuple[int, Said]] = field(default_factory=list)
    over: list[tuple[int, int | None]] = field(default_factory=list)

    def prices(self, day: int) -> list[int | None]:
        """The price on a day (None: unknown) in a list, or an empty list if the record was not valid."""
        if any(first <= day and (back is None or day < back) for first, back in self.over):
            return []
        dated = [said for _order, said in self.said if said.held is not None]
        if self.said[0][1].held is not None and not any(day in stated_days(said) for said in dated):
            return []
        valid = [(order, said) for order, said in self.said if day in self.counted()[order]]
        return [standing(valid)[1].price if valid else None]

    def counted(self) -> dict[int, set[int]]:
        """The days for which each statement may give the value."""
        earliest = min(self.said, key=lambda each: (each[1].said, each[0]))[0]
        days: dict[int, set[int]] = {}
        for number, (order, said) in enumerate(self.said):
            if said.held is not None:
                days[order] = stated_days(said)
            elif said.what == "correct" and number:
                days[order] = days[standing(self.said[:number])[0]]
            elif order == earliest:
                days[order] = set(CALENDAR)
            else:
                days[order] = {day for day in CALENDAR if day >= said.said}
        return days


def stated_days(said: Said) -> set[int]:
    """From the day that is named on; if it was still to come, from the day on which that was said."""
    assert said.held is not None
    return {day for day in CALENDAR if day >= min(said.held, said.said)}


def standing(said: list[tuple[int, Said]]) -> tuple[int, Said]:
    """The statement that gives the value: nothing said before the last correction counts against it."""
    corrections = [each for each in said if each[1].what == "correct"]
    if corrections:
        last = corrections[-1]
        said = [last, *(each for each in said if each[0] > last[0] and each[1].said > last[1].said)]
    return max(
        said,
        key=lambda each: (min(each[1].held if each[1].held is not None else 99, each[1].said), each[1].said, each[0]),
    )


def accounts(history: list[Said]) -> dict[int, Account]:
    """Every statement in the order of the log, as if the retracted ones had never been made."""
    known: dict[int, Account] = {}
    for order, said in enumerate(history):
        account = known.get(said.record)
        if said.retracted or (account is None and said.what != "start"):
            continue
        account = known.setdefault(said.record, Account())
        if said.what == "end":
            if account.over and account.over[-1][1] is None:
                account.over.pop()  # a record ends once: the last statement counts
            account.over.append((said.held if said.held is not None else said.said, None))
            continue
        account.said.append((order, said))
        if said.what == "start" and account.over and account.over[-1][1] is None:
            back = said.said if said.held is None else min(said.held, said.said)
            account.over[-1] = (account.over[-1][0], back)
    return known


def day_text(day: int) -> str:
    return (FIRST + timedelta(days=day)).isoformat()


def told(history: list[Said], *, batch: int = 1) -> Story:
    """The history as a log: each statement is a fact and a patch, accepted in batches. A statement about a record that
    does not exist is a fact only."""
    story = Story()
    story.types(PLAN)
    gone: list[int] = []
    begun: set[int] = set()
    waiting: list[Patch] = []
    for number, said in enumerate(history, 1):
        held = Period() if said.held is None or said.what == "end" else Period.on(day_text(said.held))
        authority: Authority = "correction" if said.what == "correct" else "user"
        fact = story.fact(f"{said}", at=moment(day_text(said.said)), held=held, authority=authority)
        gone += [fact] if said.retracted else []
        begun |= {said.record} if said.what == "start" else set()
        waiting += [patch_of(said, fact)] if said.record in begun else []
        if waiting and (number % batch == 0 or number == len(history)):
            story.change(*waiting)
            waiting = []
    if gone:
        story.memory.retract(gone, why="taken back")
    return story


def patch_of(said: Said, fact: int) -> Patch:
    record = f"shop.Plan:p{said.record}"
    match said.what:
        case "start":
            return Put(type="shop.Plan", fields={"name": f"p{said.record}", "price": said.price}, cites=(fact,))
        case "end":
            when = day_text(said.held if said.held is not None else said.said)
            return End(record=record, when=when, cites=(fact,))
        case _:
            return Amend(record=record, fields={"price": said.price}, cites=(fact,))


def moment(day: str) -> datetime:
    return datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC).replace(hour=12)


def current(project: Project, type_name: str) -> list[dict[str, object]]:
    return [dict(record.values) for record in project.records(type_name) if record.ended is None]
