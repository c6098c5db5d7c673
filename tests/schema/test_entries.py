"""Entries come back as they went in; what cannot is refused, and the message says what, where and what is needed."""

import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uac.errors import Damaged, NewerFormat, Refused
from uac.log.log import Log
from uac.log.stores.in_memory import MemoryStore
from uac.schema.entries import (
    MAX_BYTES,
    AlertChange,
    Checkpoint,
    Citation,
    Correction,
    Delivery,
    Entry,
    Erased,
    Erasure,
    Fact,
    ModelCall,
    NextRun,
    Observation,
    Receipt,
    Retraction,
    Tick,
    check,
    cited_positions,
    decode,
    encode,
    kind_of,
    plain_fields,
    redact_entry,
    with_alert_tables,
    with_fixed_offsets,
)
from uac.schema.patches import Gone, Put, SetAside
from uac.schema.periods import Period, check_period

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")

texts = st.text(min_size=1).filter(lambda text: bool(text.strip()))
cites = st.lists(st.integers(1, 99)).map(tuple)
offsets = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(timezones=offsets)
periods = st.sampled_from([Period(), Period("2019-04", "2021"), Period.on("2024"), Period("2024-03-07T09:30:00+01:00")])
citations = st.builds(Citation, position=st.integers(1, 99), quote=texts)
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3))
patches = st.one_of(
    st.builds(Put, type=texts, fields=st.dictionaries(st.text(), values, max_size=3), held=periods, cites=cites),
    st.builds(SetAside, why=texts, domain=st.text(), cites=cites),
    st.just(Gone()),
)
costs = st.none() | st.decimals(allow_nan=False, allow_infinity=False)
entries: st.SearchStrategy[Entry] = st.one_of(
    st.builds(
        Observation,
        text=texts,
        said=moments,
        zone=st.sampled_from(["", "Europe/Berlin", "Etc/GMT+3"]),
        role=st.sampled_from(["user", "person", "assistant", "tool", "document", "system"]),
        speaker=st.text(),
        session=st.text(),
        source=st.text(),
        key=st.text(),
    ),
    st.builds(
        Fact, text=texts, about=texts, authority=st.just("tool"), cites=st.lists(citations).map(tuple), held=periods
    ),
    st.builds(Checkpoint, patches=st.lists(patches, max_size=4).map(tuple), by=st.text()),
    st.builds(Tick, now=moments, zone=st.sampled_from(["", "UTC"])),
    st.builds(
        AlertChange,
        change=st.sampled_from(["raised", "updated", "cleared", "acknowledged", "snoozed", "expired"]),
        constraint=texts,
        subject=texts,
        severity=st.sampled_from(["critical", "warning", "info"]),
        message=st.text(),
        cites=cites,
        until=st.none() | moments,
    ),
    st.builds(Correction, record=texts, field=texts, value=values, why=st.text(), cites=cites),
    st.builds(Retraction, positions=cites, why=texts),
    st.builds(
        Erasure, erased=st.lists(st.builds(Erased, position=st.integers(1, 99), left=st.text())).map(tuple), why=texts
    ),
    st.builds(
        ModelCall,
        model=texts,
        prompt_hash=st.text(),
        request_hash=texts,
        reply=st.text(),
        read=cites,
        input_tokens=st.integers(0, 1 << 70),
        output_tokens=st.integers(0),
        cost=costs,
        currency=st.text(),
    ),
)


@settings(max_examples=400, deadline=None)
@given(entry=entries)
def test_every_entry_comes_back_equal_and_is_written_the_same_again(entry: Entry) -> None:
    assert with_fixed_offsets(entry) is entry
    body = encode(entry)
    assert decode(body.decode()) == entry
    assert encode(decode(body.decode())) == body
    assert json.loads(body)["kind"] == kind_of(entry)


CITATION = Citation(position=1, quote="one")


# Callers are not type-checked, so neither are these.
def observation(**changes: Any) -> Observation:
    return Observation(**{"text": "a", "said": NOW, **changes})


def fact(**changes: Any) -> Fact:
    return Fact(**{"text": "a", "about": "Ana", "authority": "user", "cites": (CITATION,), **changes})


def retraction(**changes: Any) -> Retraction:
    return Retraction(**{"positions": (1,), "why": "a slip", **changes})


def call(**changes: Any) -> ModelCall:
    return ModelCall(**{"model": "m", "prompt_hash": "p", "request_hash": "r", "reply": "", **changes})


EVERY: list[Entry] = [
    Observation(text='Zoë: "hi"\n', said=datetime(2026, 7, 1, 9, tzinfo=BERLIN), role="person", key="m1"),
    fact(cites=(Citation(position=1, quote="x"),), held=Period("2019")),
    Checkpoint(patches=(Put(cites=(3,), type="home.Place", fields={"city": "Porto"}), Gone())),
    Tick(now=NOW, zone="Europe/Sofia"),
    AlertChange(change="snoozed", constraint="lease", subject="a", cites=(2,), until=NOW),
    Correction(record="home.Place:1", field="since", value="2019-05", cites=(1,)),
    retraction(positions=(6,)),
    Erasure(erased=(Erased(position=2), Erased(position=4, left="ab")), why="asked"),
    call(reply="{}", read=(1, 2), cost=Decimal("0.10")),
    NextRun(again={"lease": NOW, "visa": None}),
    Delivery(through=3, to="phone"),
    Receipt(key="k", request="digest", first=4, last=6),
]
BODIES = """
{"kind":"observation","text":"Zoë: \\"hi\\"\\n","said":"2026-07-01T09:00:00+02:00","role":"person","key":"m1"}
{"kind":"fact","text":"a","about":"Ana","authority":"user","cites":[{"position":1,"quote":"x"}],"held":{"start":"2019"}}
{"kind":"checkpoint","patches":[{"op":"put","cites":[3],"type":"home.Place","fields":{"city":"Porto"}},{"op":"gone"}]}
{"kind":"tick","now":"2026-03-01T12:00:00Z","zone":"Europe/Sofia"}
{"kind":"alert_change","change":"snoozed","constraint":"lease","subject":"a","cites":[2],"until":"2026-03-01T12:00:00Z"}
{"kind":"correction","record":"home.Place:1","field":"since","value":"2019-05","cites":[1]}
{"kind":"retraction","positions":[6],"why":"a slip"}
{"kind":"erasure","erased":[{"position":2},{"position":4,"left":"ab"}],"why":"asked"}
{"kind":"model_call","model":"m","prompt_hash":"p","request_hash":"r","reply":"{}","read":[1,2],"cost":"0.10"}
{"kind":"look","again":{"lease":"2026-03-01T12:00:00Z","visa":null}}
{"kind":"delivery","to":"phone","through":3}
{"kind":"receipt","key":"k","request":"digest","first":4,"last":6}
"""


def test_a_body_is_json_that_a_person_can_read() -> None:
    assert "\n".join(["", *(encode(entry).decode() for entry in EVERY), ""]) == BODIES


def test_each_kind_of_entry_cites_these_positions_and_this_part_survives_erasure() -> None:
    gone = frozenset({1, 2, 3, 6})
    assert {kind_of(entry): cited_positions(entry) for entry in EVERY} == {
        "observation": (),
        "fact": (1,),
        "checkpoint": (3,),
        "tick": (),
        "alert_change": (2,),
        "correction": (1,),
        "retraction": (6,),
        "erasure": (),
        "model_call": (1, 2),
        "look": (),
        "delivery": (),
        "receipt": (4, 5, 6),
    }
    assert {kind_of(entry): redact_entry(entry, gone) for entry in EVERY} == {
        "observation": None,
        "fact": None,
        "checkpoint": Checkpoint(patches=(Gone(), Gone())),
        "tick": None,
        "alert_change": None,
        "correction": None,
        "retraction": Retraction(positions=(6,), why=""),
        "erasure": None,
        "model_call": call(reply="", read=(1, 2), cost=Decimal("0.10")),
        "look": None,
        "delivery": None,
        "receipt": Receipt(key="k", request="", first=4, last=6),
    }
    assert redact_entry(EVERY[2], frozenset({4})) == EVERY[2]


@pytest.fixture
def log() -> Log:
    log = MemoryStore(clock=lambda: NOW).log("ana")
    log.append([Observation(text="one", said=NOW)])
    return log


def refusal(log: Log, entry: Any) -> str:
    """Why the log does not take the entry; nothing is stored then."""
    with pytest.raises(Refused) as refused:
        log.append([Observation(text="before", said=NOW), entry])
    assert log.head().position == 1
    return str(refused.value)


NAIVE = datetime(2026, 3, 1, 12)  # noqa: DTZ001 - the point of it
ODD = timezone(timedelta(seconds=90))
TOO_LATE = NOW + timedelta(days=1, microseconds=1)
SURROGATE = "is a lone surrogate. Use text that can be encoded as UTF-8."
DECLARED = "and would change when stored. Use a value of its declared type."
FINITE = "Use a finite Decimal or None."
NO_ENTRY = "is not an entry. Use one such as Observation(text=…, said=…)."


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (observation(text=""), "observation: text is empty. Give it a value."),
        (observation(text=" \n\u2003"), "observation: text is empty. Give it a value."),
        (observation(text="ab\ud800"), f"observation: character 2 of 'ab\\ud800' {SURROGATE}"),
        (observation(key="\udfff"), f"observation: character 0 of '\\udfff' {SURROGATE}"),
        (observation(text=5), "observation: Expected `str`, got `int` - at `$.text`"),
        (observation(text=b"x"), f"observation: text is b'x' {DECLARED}"),
        (observation(said="yesterday"), "observation: Invalid RFC3339 encoded datetime - at `$.said`"),
        (observation(said="2026-03-01T12:00:00Z"), f"observation: said is '2026-03-01T12:00:00Z' {DECLARED}"),
        (observation(said=date(2026, 3, 1)), "observation: Invalid RFC3339 encoded datetime - at `$.said`"),
        (observation(said=None), "observation: Expected `datetime`, got `null` - at `$.said`"),
        (observation(key=5), "observation: Expected `str`, got `int` - at `$.key`"),
        (observation(zone=5), "observation: Expected `str`, got `int` - at `$.zone`"),
        (observation(role="king"), "observation: Invalid enum value 'king' - at `$.role`"),
        (observation(zone="my zone"), "zone is 'my zone'. Use an IANA name such as Europe/Berlin."),
        (observation(said=NAIVE), "observation: said is 2026-03-01T12:00:00. Add a time zone such as +02:00 or Z."),
        (
            observation(said=NOW.astimezone(ODD)),
            "observation: said is 2026-03-01T12:01:30+00:01:30. Use an offset of whole minutes.",
        ),
        (
            observation(said=datetime(1930, 1, 1, tzinfo=ZoneInfo("Europe/Amsterdam"))),
            "observation: said is 1930-01-01T00:00:00+00:19:32. Use an offset of whole minutes.",
        ),
        (
            observation(said=TOO_LATE),
            f"observation: said {TOO_LATE.isoformat()} is in the future. Use a time up to {(NOW + timedelta(days=1)).isoformat()}.",
        ),
        (Tick(now=NAIVE), "tick: now is 2026-03-01T12:00:00. Add a time zone such as +02:00 or Z."),
        (fact(text=" "), "fact: text is empty. Give it a value."),
        (fact(about=""), "fact: about is empty. Give it a value."),
        (fact(cites=()), "fact: cites nothing. Cite at least one observation, with the quoted words."),
        (fact(cites=(Citation(position=1, quote=""),)), "fact: the citation of 1 has no quote. Quote the words."),
        (fact(cites=(Citation(position=3, quote="x"),)), "fact at 3: cites position 3. Cite an earlier entry."),
        (fact(authority="god"), "fact: Invalid enum value 'god' - at `$.authority`"),
        (fact(cites="one"), "fact: Expected `array`, got `str` - at `$.cites`"),
        (fact(cites=[1]), "fact: Expected `object`, got `int` - at `$.cites[0]`"),
        (fact(held="2024"), "fact: Expected `object`, got `str` - at `$.held`"),
        (fact(held=Period("2025", "2024")), "period 2025 to 2024 ends before it starts. Swap the two dates."),
        (retraction(positions=()), "retraction: positions is empty. Name at least one."),
        (retraction(why=""), "retraction: why is empty. Give it a value."),
        (retraction(positions=(0,)), "retraction at 3: cites position 0. Cite an earlier entry."),
        (retraction(positions=[1]), f"retraction: positions is [1] {DECLARED}"),
        (retraction(positions=("1",)), "retraction: Expected `int`, got `str` - at `$.positions[0]`"),
        (retraction(positions=(True,)), "retraction: Expected `int`, got `bool` - at `$.positions[0]`"),
        (call(cost=0.5), f"model_call: cost is 0.5. {FINITE}"),
        (call(cost=float("nan")), f"model_call: cost is nan. {FINITE}"),
        (call(cost=Decimal("sNaN")), f"model_call: cost is Decimal('sNaN'). {FINITE}"),
        (call(input_tokens=1.5), "model_call: Expected `int`, got `float` - at `$.input_tokens`"),
        (
            AlertChange(change="raised", constraint="", subject="s"),
            "alert_change: constraint is empty. Give it a value.",
        ),
        (AlertChange(change="cleared", constraint="c"), "alert_change: subject is empty. Give it a value."),
        (
            AlertChange(change="raised", constraint="c", subject="s", follows=3),
            "alert_change: follows is 3. Use an earlier position.",
        ),
        (
            AlertChange(change="snoozed", constraint="c", subject="s", until=NAIVE),
            "alert_change: until is 2026-03-01T12:00:00. Add a time zone such as +02:00 or Z.",
        ),
        (call(read=(1,), answers=(2,)), "model_call: answers has entries that are not in read. Add them to read."),
        (Delivery(through=3, to="phone"), "delivery: through is 3. Use an earlier position."),
        (Delivery(through=1, to=""), "delivery: to is empty. Give it a value."),
        (Receipt(key="", request="d", first=1, last=1), "receipt: key is empty. Give it a value."),
        (Receipt(key="k", request="d", first=2, last=3), "receipt at 3: cites position 3. Cite an earlier entry."),
        (NextRun(again={"c": NAIVE}), "look: c is 2026-03-01T12:00:00. Add a time zone such as +02:00 or Z."),
        (
            Tick(now=datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))),
            "tick: now is 0001-01-01T00:00:00+01:00. Use a time between the years 1 and 9999 in UTC.",
        ),
        (
            AlertChange(change="failed", constraint="c", subject="s"),
            "alert_change: `failed` without `is_failure`. Set `is_failure=True`.",
        ),
        (Erasure(erased=(), why="forged"), "erasure: A marker is written by erase() only. Call erase() instead."),
        ("hello", f"'hello' {NO_ENTRY}"),
        (None, f"None {NO_ENTRY}"),
    ],
)
def test_an_unfit_entry_is_refused_and_the_message_says_why(log: Log, entry: Any, message: str) -> None:
    assert refusal(log, entry) == message


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2024-03-07T18:00:00Z", "2024-03-07T09:00:00Z"),
        ("2024-03-07", "2024-03-06"),
        ("2024-04", "2024-03"),
        ("2024-W10-4T09:00:00Z", ""),
    ],
)
def test_a_period_that_ends_before_it_starts_or_is_no_date_is_refused(log: Log, start: str, end: str) -> None:
    entry = Fact(
        text="t", about="a", authority="user", cites=(Citation(position=1, quote="q"),), held=Period(start, end)
    )
    assert refusal(log, entry).startswith("period ")


def test_instants_are_compared_across_zones(log: Log) -> None:
    held = Period("2024-03-08T00:30:00+14:00", "2024-03-07T20:00:00-10:00")
    log.append([Fact(text="t", about="a", authority="user", cites=(Citation(position=1, quote="q"),), held=held)])


def test_words_up_to_a_day_ahead_of_the_clock_are_taken(log: Log) -> None:
    assert log.append([observation(said=NOW + timedelta(days=1))]) == (2,)


@pytest.mark.parametrize("value", [float("nan"), (1, 2), b"x", NOW, {1: 2}, {"a": {3}}, object()])
def test_a_patch_value_that_json_would_change_is_refused(log: Log, value: Any) -> None:
    put = Put(type="t", fields={"f": value})
    assert refusal(log, Checkpoint(patches=(put,))).startswith("checkpoint: ")


def test_wrong_types_are_refused_by_each_step_alone() -> None:
    with pytest.raises(Refused, match=r"Expected `datetime`, got `int` - at `\$.said`"):
        with_fixed_offsets(observation(said=5))
    with pytest.raises(Refused, match=r"Expected `str`, got `int` - at `\$.text`"):
        check(observation(text=5), position=2, at=NOW)


def test_the_largest_body_is_accepted_and_one_byte_more_is_not() -> None:
    room = MAX_BYTES - len(encode(Observation(text="", said=NOW)))
    assert len(encode(Observation(text="é" * (room // 2) + "x" * (room % 2), said=NOW))) == MAX_BYTES
    with pytest.raises(Refused) as refused:
        encode(Observation(text="x" * (room + 1), said=NOW))
    assert str(refused.value) == "observation: 16,777,217 bytes, and at most 16,777,216 are allowed. Send it in parts."


@pytest.mark.parametrize(
    ("moment", "text", "zone"),
    [
        (datetime(2026, 7, 1, 9, tzinfo=BERLIN), "2026-07-01T09:00:00+02:00", "Europe/Berlin"),
        (datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN), "2026-10-25T02:30:00+02:00", "Europe/Berlin"),
        (datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1), "2026-10-25T02:30:00+01:00", "Europe/Berlin"),
        (datetime(2026, 1, 1, tzinfo=ZoneInfo("UTC")), "2026-01-01T00:00:00+00:00", "UTC"),
        (datetime(2026, 1, 1, tzinfo=ZoneInfo("Asia/Kathmandu")), "2026-01-01T00:00:00+05:45", "Asia/Kathmandu"),
    ],
)
def test_a_named_zone_moves_into_its_field_and_the_offset_stays(moment: datetime, text: str, zone: str) -> None:
    settled = with_fixed_offsets(Observation(text="a", said=moment))
    assert isinstance(settled, Observation)
    assert (settled.said.isoformat(), settled.said.fold, settled.zone) == (text, 0, zone)
    assert settled.said.timestamp() == moment.timestamp()
    assert decode(encode(settled).decode()) == settled
    assert with_fixed_offsets(Tick(now=moment)) == Tick(now=settled.said, zone=zone)
    assert with_fixed_offsets(AlertChange(change="snoozed", constraint="c", subject="s", until=moment)) == AlertChange(
        change="snoozed", constraint="c", subject="s", until=settled.said
    )
    assert with_fixed_offsets(Observation(text="a", said=moment, zone="Etc/UTC")) == Observation(
        text="a", said=settled.said, zone="Etc/UTC"
    )


@pytest.mark.parametrize(
    "body", ["", "{}", "[]", "null", '{"kind":"fact"}', '{"kind":"tick","now":"soon"}', '{"kind":5}']
)
def test_a_body_that_is_no_entry_is_damage(body: str) -> None:
    with pytest.raises(Damaged, match="an entry of form 2 cannot be decoded: "):
        decode(body)
    with pytest.raises(NewerFormat, match="an entry has form 3, and this version of user-as-code reads forms up to 2"):
        decode(body, 3)


@pytest.mark.parametrize(
    ("period", "first", "last"),
    [
        (Period(), None, None),
        (Period("2024"), date(2024, 1, 1), None),
        (Period("", "2024-02"), None, date(2024, 2, 29)),
        (Period.on("2024-02-29"), date(2024, 2, 29), date(2024, 2, 29)),
        (Period("2024-03-07T23:30:00+01:00", "2024-03"), date(2024, 3, 7), date(2024, 3, 31)),
        (Period("2024-12", "2024-01"), date(2024, 12, 1), date(2024, 1, 31)),
    ],
)
def test_a_period_reaches_from_its_first_possible_day_to_its_last(
    period: Period, first: date | None, last: date | None
) -> None:
    assert (period.first, period.last) == (first, last)


@pytest.mark.parametrize(
    ("period", "message"),
    [
        (Period("2024-02-30"), r"period 2024-02-30 to …: day "),
        (Period("", "2024-13"), r"period … to 2024-13: month must be in 1\.\.12"),
        (Period("2025", "2024"), r"period 2025 to 2024 ends before it starts"),
        (Period("2024-12", "2024-01"), r"period 2024-12 to 2024-01 ends before it starts"),
        (Period("0000"), r"period 0000 to …: year "),
        (Period("soon"), r"'soon' is not a valid date. Use YYYY, YYYY-MM, YYYY-MM-DD or a time with its zone\."),
        (Period("2024-3"), r"'2024-3' is not a valid date. Use YYYY"),
        (Period("٢٠٢٤"), r"'٢٠٢٤' is not a valid date. Use YYYY"),
        (Period("2024-03-07T09:30:00"), r"'2024-03-07T09:30:00' is not a valid date. Use .* or a time with its zone"),
        (Period("2024-03-07T25:00:00Z"), r"period 2024-03-07T25:00:00Z to …: "),
    ],
)
def test_a_period_that_cannot_be_is_refused(period: Period, message: str) -> None:
    with pytest.raises(Refused, match=message):
        check_period(period)


@given(
    start=st.dates(),
    days=st.integers(0, 5000),
    start_length=st.sampled_from([4, 7, 10]),
    length=st.sampled_from([4, 7, 10]),
)
def test_a_period_of_any_precision_covers_the_days_it_was_made_from(
    start: date, days: int, start_length: int, length: int
) -> None:
    end = min(start.toordinal() + days, date.max.toordinal())
    period = Period(start.isoformat()[:start_length], date.fromordinal(end).isoformat()[:length])
    check_period(period)
    assert all(period.covers(date.fromordinal(day)) for day in (start.toordinal(), end))


def test_plain_fields_leave_out_later_additions_at_their_default() -> None:
    change = AlertChange(change="raised", constraint="c", subject="s", follows=2)
    plain = plain_fields(change)
    assert plain["follows"] == 2
    assert {"capped_from", "is_failure", "tables"}.isdisjoint(plain)
    assert plain_fields(Tick(now=NOW)) == {"now": "2026-03-01T12:00:00Z", "zone": ""}


def test_an_alert_names_the_tables_that_it_depends_on() -> None:
    assert with_alert_tables("No nuts.", ["drugs 3", "foods 1"]) == "No nuts. [by drugs 3, foods 1]"
    assert with_alert_tables("No nuts.", []) == "No nuts."


def test_an_entry_of_an_old_form_without_an_upgrade_path_is_damage() -> None:
    body = encode(Tick(now=NOW)).decode()
    with pytest.raises(Damaged, match="an entry has form 1, but there is no upgrade from form 1"):
        decode(body, 1, upgrades={}, newest=2)
    assert decode(body, 1, upgrades={1: {"fact": lambda plain: plain}}, newest=2) == Tick(now=NOW)
