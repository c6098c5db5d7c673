"""Every kind of entry in one sentence."""

from datetime import UTC, datetime
from typing import get_args

import pytest

from uac.schema.entries import (
    AlertChange,
    Checkpoint,
    Citation,
    Correction,
    Delivery,
    Entry,
    Erased,
    Erasure,
    Fact,
    Finding,
    ModelCall,
    NextRun,
    Observation,
    Receipt,
    Retraction,
    Tick,
)
from uac.schema.entry_text import entry_author, entry_text
from uac.schema.patches import Amend, Drop, Put

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
EXAMPLES: list[tuple[Entry, str, str]] = [
    (Observation(text="I am back.", said=NOON, speaker="Ana"), "I am back.", "Ana"),
    (Observation(text="Welcome.", said=NOON, role="assistant"), "Welcome.", "assistant"),
    (
        Fact(text="Ana is back.", about="Ana", authority="user", cites=(Citation(position=1, quote="back"),), by="m"),
        "Ana is back.",
        "m",
    ),
    (
        Checkpoint(
            patches=(
                Put(type="travel.Trip", fields={}, cites=(3,)),
                Put(type="travel.Trip", fields={}, cites=(3,)),
                Amend(record="travel.Trip:a", fields={}, cites=(3,)),
            )
        ),
        "put travel.Trip ×2, amended travel.Trip:a",
        "",
    ),
    (
        Checkpoint(patches=tuple(Drop(record=f"t.T:{number}", why="", cites=(3,)) for number in range(22))),
        ", ".join(f"dropped t.T:{number}" for number in range(20)) + " and 2 more",
        "",
    ),
    (Correction(record="a.B:c", field="d", value="e", why="typo"), "corrected a.B:c.d to e: typo", ""),
    (Retraction(positions=(3, 4), why="a joke"), "retracted 3, 4: a joke", ""),
    (Erasure(erased=(Erased(position=3),), why="asked to"), "erased 3: asked to", ""),
    (
        AlertChange(change="raised", constraint="c", subject="s", severity="critical", message="m", why="w"),
        "raised critical c / s: m; w",
        "",
    ),
    (
        ModelCall(
            model="m",
            step="extract",
            prompt_hash="p",
            request_hash="r",
            reply="",
            answers=(1, 2),
            input_tokens=1234,
            output_tokens=5,
            is_open=True,
            findings=(Finding(why="no quote"),),
        ),
        "extract by m for 1, 2: 1,234 tokens in, 5 out; 1 finding, to be asked again: no quote",
        "m",
    ),
    (Tick(now=NOON), "now is 2026-03-01T12:00:00+00:00", ""),
    (NextRun(again={"c": None}), "constraints to run again: c on every tick", ""),
    (Delivery(through=7, to="phone"), "alerts up to 7 reached phone", ""),
    (Receipt(key="k", request="d", first=3, last=4), "entries 3 to 4 carry out one request", ""),
]


@pytest.mark.parametrize(("entry", "text", "author"), EXAMPLES)
def test_an_entry_is_one_sentence(entry: Entry, text: str, author: str) -> None:
    assert (entry_text(entry), entry_author(entry)) == (text, author)


def test_an_erased_entry_has_no_text_and_no_author() -> None:
    assert (entry_text(None), entry_author(None)) == ("(erased)", "")


def test_every_kind_of_entry_is_covered() -> None:
    assert {type(entry) for entry, _text, _author in EXAMPLES} == set(get_args(Entry))
