"""Plays the cases of the story with the library, and collects what the page shows of each."""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cache

from uac import Alert, AlertChange, Amend, Checkpoint, Clocks, Explanation, Fact, Memory, Observation, Put, open_store
from uac.display import Markup
from uac.errors import RunError, UacError
from uac.interfaces.inspector import (
    EvidenceQuote,
    Hunk,
    entry_line,
    highlighted_difference,
    highlighted_lines,
    quote_cited_entries,
    readable_alert,
    readable_ids,
)
from uac_bench.report.story_turns import CASES, RIDES, StoryCase, Turn
from uac_bench.systems import NotInstalled, StoredText
from uac_bench.systems.rebuilt import rebuilt_contestants

__all__ = ["PlayedCase", "RetrievedCount", "play_case", "play_story"]

SHOWN_ENTRIES = 14  # of the log of a case; more are counted
SHOWN_LINES = 46  # of a file
SHOWN_QUOTES = 6
TOPS = (20, 50)  # how many texts retrieval returns
LEFT_OUT = {
    "newest first": "",
    "BM25, the user's words": "",
    "the paper's archive": "The paper's archive is not in the table: a chunk of 300 words holds some twenty of these"
    " short sentences, so a few chunks are the whole story.",
}
"""Contestants that do not search, search the same here, or do not return sentences; and the reason for readers."""


class UnexpectedStory(UacError):
    """A case did not go as the page tells it, so the page is not built."""


@dataclass(frozen=True, slots=True)
class StoryEntry:
    """An entry of the log in one line; `is_new` if the last turn of the case caused it."""

    position: int
    at: datetime
    kind: str
    speaker: str
    line: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Lines of a file of the project, with the number of the first one."""

    first: int
    lines: tuple[Markup, ...]


@dataclass(frozen=True, slots=True)
class ComputedAnswer:
    """The value that code gave at a time."""

    at: datetime
    value: str


@dataclass(frozen=True, slots=True)
class RetrievedCount:
    """How many of the wanted texts a retrieval found among its `top` best, and what they add up to."""

    system: str
    top: int
    found: int
    other: int
    """Texts among them that are about something else."""
    total: Decimal
    is_right: bool


@dataclass(frozen=True, slots=True)
class PlayedCase:
    """Everything that the page shows of a case."""

    case: StoryCase
    entries: tuple[StoryEntry, ...]
    left_out: int
    """Entries of the kinds shown, before those that are listed."""
    other_entries: int
    """Entries of other kinds: ticks of the clock, calls, tables of packs."""
    blocks: tuple[CodeBlock, ...]
    lines_left_out: int
    hunks: tuple[Hunk, ...]
    rule: CodeBlock
    rule_path: str
    rule_lines: int
    """Lines of the whole file of the rule, with its helpers and cases."""
    alert: Alert
    reason: str
    was_silent: bool
    quotes: tuple[EvidenceQuote, ...]
    quotes_left_out: int
    answers: tuple[ComputedAnswer, ...]
    is_complete: bool
    explanation: Explanation | None
    counts: tuple[RetrievedCount, ...]
    sentences: tuple[str, ...]
    """The sentences behind a count."""
    not_measured: tuple[str, ...]


@cache
def play_story() -> tuple[PlayedCase, ...]:
    """All cases, which go the same way each time."""
    return tuple(play_case(case) for case in CASES)


def play_case(case: StoryCase) -> PlayedCase:
    """Tell a new memory the turns of a case, at their times, and look at what came of it."""
    now = [case.turns[0].said]
    store = open_store("memory:", clock=lambda: now[0])
    with closing(Memory(store.log("ana"), clock=lambda: now[0])) as memory:
        for turn in case.turns[:-1]:
            now[0] = turn.said
            _tell(memory, turn)
        before, earlier = memory.log.head().position, memory.render().get(case.file, "")
        was_silent = not [alert for alert in memory.alerts() if alert.constraint == case.constraint]
        now[0] = case.turns[-1].said
        _tell(memory, case.turns[-1])
        project = memory.project()
        alerts = [alert for alert in memory.alerts() if alert.constraint == case.constraint]
        if len(alerts) != 1:
            raise UnexpectedStory(f"Case {case.name}: {len(alerts)} alerts of {case.constraint}. One is needed.")
        files = memory.render()
        rule_path = f"constraints/{case.constraint}.py"
        blocks, lines_left_out = _filled_blocks(case.file, files[case.file])
        entries, other_entries = _story_entries(memory, before)
        facts = _evidence_facts(memory, case, alerts[0])
        quotes = quote_cited_entries(memory.log, facts, most=len(facts))
        why = memory.why(case.constraint)
        answer = memory.compute(case.question.code)
        counts, not_measured = _retrieved_counts(case) if case.is_counted else ((), ())
        return PlayedCase(
            case=case,
            entries=tuple(entries[-SHOWN_ENTRIES:]),
            left_out=max(len(entries) - SHOWN_ENTRIES, 0),
            other_entries=other_entries,
            blocks=blocks,
            lines_left_out=lines_left_out,
            hunks=_record_hunks(highlighted_difference(case.file, earlier, files[case.file])),
            rule=_function_block(rule_path, files[rule_path], case.constraint),
            rule_path=rule_path,
            rule_lines=files[rule_path].count("\n"),
            alert=readable_alert(alerts[0], project),
            reason=readable_ids(" ".join(why.reasons), project),
            was_silent=was_silent,
            quotes=quotes[-SHOWN_QUOTES:],
            quotes_left_out=max(len(quotes) - SHOWN_QUOTES, 0),
            answers=(*_answer_before(memory, case, before), ComputedAnswer(now[0], str(answer.value))),
            is_complete=answer.is_complete,
            explanation=memory.explain(*case.explained) if case.explained else None,
            counts=counts,
            sentences=tuple(turn.text for turn in case.turns if _is_ride(turn)) if case.is_counted else (),
            not_measured=not_measured,
        )


def _tell(memory: Memory, turn: Turn) -> None:
    """One turn as an agent gives it; records that come back for a second look are given once more."""
    if not turn.facts:
        memory.add(turn.text, said=turn.said, role=turn.role, speaker=turn.speaker)
        return
    facts, records = [{"text": text, "quote": quote} for text, quote in turn.facts], list(turn.records)
    taken = memory.remember(turn.text, facts, records, said=turn.said, role=turn.role, speaker=turn.speaker)
    if taken.to_mend:
        taken = memory.remember(facts=facts, records=records, observations=taken.positions)
    if taken.to_mend:
        raise UnexpectedStory(f"{turn.text!r} was refused: {taken.to_mend}")


def _story_entries(memory: Memory, before: int) -> tuple[list[StoryEntry], int]:
    """What was said, what was made of it and the alerts, in order; and the number of all other entries."""
    project, found, others = memory.project(), list[StoryEntry](), 0
    for stored in memory.log.read():
        entry = stored.entry
        match entry:
            case Observation():
                kind, speaker = ("document" if entry.role == "document" else "said"), entry.speaker
            case Fact():
                kind, speaker = "fact", ""
            case Checkpoint() if any(isinstance(patch, Put | Amend) for patch in entry.patches):
                kind, speaker = "record", ""
            case AlertChange():
                kind, speaker = "alert", ""
            case _:
                others += 1
                continue
        line = entry_line(entry, project)
        found.append(StoryEntry(stored.position, stored.at, kind, speaker, line, stored.position > before))
    return found, others


def _filled_blocks(path: str, text: str) -> tuple[tuple[CodeBlock, ...], int]:
    """The parts of a state file that have records, at most `SHOWN_LINES` lines; and how many lines they have more."""
    plain, shown = text.split("\n"), highlighted_lines(path, text)
    blocks, left, left_out = list[CodeBlock](), SHOWN_LINES, 0
    start: int | None = None
    for number, line in enumerate(plain):
        if line.endswith(("= [", "= Profile(")) and not line.startswith(("from", "import")):
            start = number
        elif start is not None and line in ("]", ")"):
            taken = shown[start : number + 1][: max(left, 0)]
            left, left_out = left - len(taken), left_out + (number + 1 - start - len(taken))
            blocks += [CodeBlock(start + 1, taken)] if taken else []
            start = None
    return tuple(blocks), left_out


def _record_hunks(hunks: Sequence[Hunk]) -> tuple[Hunk, ...]:
    """The parts of a difference in which a field of a record changes; the others only import new types."""
    return tuple(hunk for hunk in hunks if any(line.sign != " " and _is_field(line.code.text) for line in hunk.lines))


def _is_field(code: str) -> bool:
    return re.sub("<[^>]*>", "", code).startswith(8 * " ")


def _function_block(path: str, text: str, name: str) -> CodeBlock:
    """The function of a rule, without its helpers."""
    plain = text.split("\n")
    start = next(number for number, line in enumerate(plain) if line.startswith(f"def {name}("))
    body = (number for number in range(start + 1, len(plain)) if plain[number] and not plain[number].startswith(" "))
    end = next(body, len(plain))
    while not plain[end - 1].strip():
        end -= 1
    return CodeBlock(start + 1, highlighted_lines(path, text)[start:end])


def _evidence_facts(memory: Memory, case: StoryCase, alert: Alert) -> Sequence[int]:
    if not case.is_counted:
        return sorted(alert.cites)
    used = memory.project().used
    return sorted(fact for fact, records in used.items() if any(one.startswith(f"{RIDES}:") for one in records))


def _answer_before(memory: Memory, case: StoryCase, before: int) -> Iterator[ComputedAnswer]:
    """The answer as it was before the last turn, if the question could be asked then."""
    try:
        result = memory.compute(case.question.code, clocks=Clocks(known=before))
    except (RunError, UacError):
        return
    yield ComputedAnswer(case.turns[-2].said, str(result.value))


# -- the count by retrieval --------------------------------------------------------------------------------------------


def _is_ride(turn: Turn) -> bool:
    return any(record.get("type") == RIDES for record in turn.records)


def _ride_total(turns: Sequence[Turn]) -> Decimal:
    amounts = (record["fields"]["amount"] for turn in turns for record in turn.records if record.get("type") == RIDES)
    return sum((Decimal(amount.split()[0]) for amount in amounts), Decimal(0))


def _retrieved_counts(case: StoryCase) -> tuple[tuple[RetrievedCount, ...], tuple[str, ...]]:
    """The same question to retrieval over the same sentences; a perfect reader counts what it returns."""
    counts, missing = list[RetrievedCount](), [why for why in LEFT_OUT.values() if why]
    rides = sum(map(_is_ride, case.turns))
    for contestant in rebuilt_contestants():
        if contestant.name in LEFT_OUT:
            continue
        try:
            retriever = contestant.open()
        except NotInstalled as error:
            missing.append(f"{contestant.name}: {error}")
            continue
        with closing(retriever):
            retriever.add([StoredText(turn.text, turn.said, session=f"{turn.said:%F}") for turn in case.turns])
            for top in TOPS:
                hits = [case.turns[place] for place in retriever.search(case.question.text, top)]
                found = [turn for turn in hits if _is_ride(turn)]
                name = "our own recall" if contestant.is_ours else contestant.name
                right = len(found) == rides
                counts.append(RetrievedCount(name, top, len(found), len(hits) - len(found), _ride_total(found), right))
    return tuple(counts), tuple(missing)
