"""Every kind of entry in one sentence."""

from datetime import MAXYEAR, UTC, datetime
from decimal import Decimal
from typing import get_args

import pytest

from uac.schema.constraints import Constraint, Knowledge
from uac.schema.entries import (
    AlertChange,
    Authorship,
    Checkpoint,
    Citation,
    Correction,
    Delivery,
    Entry,
    Erased,
    Erasure,
    Fact,
    Finding,
    Grant,
    Membership,
    ModelCall,
    NextRun,
    Observation,
    Receipt,
    Retraction,
    Tick,
)
from uac.schema.entry_text import entry_author, entry_text
from uac.schema.patches import (
    AddField,
    Adopt,
    Amend,
    Approve,
    Define,
    Drop,
    Gone,
    Learn,
    MergeTypes,
    Patch,
    Put,
    SetAside,
    Switch,
)
from uac.schema.types import Field, Type

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
EXAMPLES: list[tuple[Entry, str, str]] = [
    (Membership(member="ana", right="admin", name="Ana"), "ana is a member called Ana, and may admin", ""),
    (Membership(member="ben", right="", by="ana"), "ben left the group", "ana"),
    (Membership(member="ben", right="erased"), "ben was erased", ""),
    (Grant(group="lunch", joined="0f"), "shares with the group lunch: nothing", ""),
    (Grant(group="lunch", joined="0f", shares=("a.B", "a.C")), "shares with the group lunch: a.B, a.C", ""),
    (Authorship(member="ana", first=3, last=4), "entries 3 to 4 are by ana", ""),
    (
        Authorship(member="ana", first=3, last=3, record="a.B:x", digest="0f"),
        "entries 3 to 3 are by ana, a copy of a.B:x",
        "",
    ),
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


FIELD = Field(name="city", type="str")
TABLE = Knowledge(name="health.drugs", version="1", date="", source="", note="", packed="")


@pytest.mark.parametrize(
    ("patch", "text"),
    [
        (Gone(), "something erased"),
        (SetAside(why="chat"), "set facts aside"),
        (Define(type=Type(domain="travel", name="Trip", fields=(FIELD,))), "defined travel.Trip"),
        (Adopt(constraint=Constraint(name="rule", code="", cases=(), origin="person")), "adopted rule"),
        (Learn(knowledge=TABLE), "learned the table health.drugs"),
        (MergeTypes(types=("a.B", "a.C"), into="a.B"), "merged into a.B"),
        (AddField(type="travel.Trip", field=FIELD), "added a field to travel.Trip"),
        (Switch(constraint="rule", on=False), "switched rule"),
        (Approve(constraint="rule"), "approved rule"),
    ],
)
def test_a_checkpoint_names_the_subject_of_each_change(patch: Patch, text: str) -> None:
    assert entry_text(Checkpoint(patches=(patch,))) == text


def test_a_checkpoint_without_patches_says_so() -> None:
    assert entry_text(Checkpoint(patches=())) == "nothing left"


def test_the_next_run_is_a_day_or_a_change_of_records() -> None:
    entry = NextRun(again={"a": NOON, "b": datetime(MAXYEAR, 1, 1, tzinfo=UTC)})
    assert entry_text(entry) == "constraints to run again: a 2026-03-01, b when its records change"


def test_a_model_call_without_details_has_a_short_sentence_and_a_price() -> None:
    call = ModelCall(model="m", prompt_hash="p", request_hash="r", reply="", cost=Decimal("0.10"), currency="USD")
    assert entry_text(call) == "m: 0 tokens in, 0 out, 0.10 USD"


def test_a_snoozed_alert_says_until_when() -> None:
    change = AlertChange(change="snoozed", constraint="c", subject="s", severity="info", until=NOON)
    assert entry_text(change) == "snoozed info c / s until 2026-03-01T12:00+00:00"
