"""An entry of an older form is read as the entry that today's program would have written."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.form_1_logs import form_1_body
from uac.errors import Damaged
from uac.schema.entries import FORM, AlertChange, Entry, Kind, decode, redact_entry
from uac.schema.entry_upgrades import UPGRADES

NOTE = " (critical by its author; shown as warning until a person approves the constraint)"

words = st.text(st.characters(codec="utf-8", exclude_characters="[]"), min_size=1, max_size=30)
reasons = words.filter(lambda text: not text.startswith("over the limit: "))
subjects = words.filter(lambda text: bool(text.strip()) and not text.startswith("not checked"))
table_names = st.from_regex(r"[a-z]{1,8}\.[a-z_]{1,8} [0-9]{1,4}(\.[0-9])?", fullmatch=True)
tables = st.lists(table_names, max_size=3, unique=True).map(tuple)
findings = st.builds(
    AlertChange,
    change=st.sampled_from(["raised", "updated"]),
    constraint=words,
    subject=subjects,
    severity=st.just("warning"),
    message=words | words.map(lambda text: text + NOTE),
    records=st.just(("health.Medication:iron",)),
    tables=tables,
).map(lambda change: msgspec.structs.replace(change, capped_from="critical" if NOTE in change.message else None))
failures = st.builds(
    AlertChange,
    change=st.just("failed"),
    constraint=words,
    subject=st.just("not checked") | words.map("not checked: {}".format),
    message=words,
    why=reasons,
    is_failure=st.just(True),
    reason=st.sampled_from(["", "limit"]),
)
ends = st.builds(
    AlertChange,
    change=st.sampled_from(["cleared", "expired", "acknowledged", "snoozed"]),
    constraint=words,
    subject=subjects | st.just("not checked: health.Medication:iron"),
    why=st.text(max_size=10),
).map(lambda change: msgspec.structs.replace(change, is_failure=change.subject.startswith("not checked")))


@given(findings | failures | ends)
def test_an_alert_change_of_form_1_is_read_as_form_2_would_have_written_it(change: AlertChange) -> None:
    assert decode(msgspec.json.encode(form_1_body(change)).decode(), 1) == change


def upgraded(**body: Any) -> AlertChange:
    entry = decode(msgspec.json.encode({"kind": "alert_change", "constraint": "c", **body}).decode(), 1)
    assert isinstance(entry, AlertChange)
    return entry


@pytest.mark.parametrize(
    ("message", "left", "tables"),
    [
        (
            "Not with milk. [by food.pairs 2026.2, health.drugs 2026.2] Nor tea. [by food.pairs 2026.2]",
            "Not with milk. Nor tea.",
            ("food.pairs 2026.2, health.drugs 2026.2".split(", ")),
        ),
        (f"Iron. [by health.drugs 3]{NOTE}", f"Iron.{NOTE}", ["health.drugs 3"]),
        ("Seen [by Mia]", "Seen [by Mia]", []),
        ("Paid [by card, today", "Paid [by card, today", []),
        ("[by]", "[by]", []),
        ("", "", []),
    ],
)
def test_the_tables_of_a_message_become_a_field(message: str, left: str, tables: list[str]) -> None:
    change = upgraded(change="raised", subject="s", message=message)
    assert change == AlertChange(change="raised", constraint="c", subject="s", message=left, tables=tuple(tables))


def test_a_failure_of_the_first_logs_which_had_no_subject_is_read_as_one_of_the_whole_constraint() -> None:
    assert upgraded(change="failed", message="over the limit: stopped") == AlertChange(
        change="failed",
        constraint="c",
        subject="not checked",
        message="over the limit: stopped",
        why="stopped",
        is_failure=True,
        reason="limit",
    )
    assert upgraded(change="cleared") == AlertChange(
        change="cleared", constraint="c", subject="not checked", is_failure=True
    )


def test_an_alert_whose_subject_only_looks_like_a_failure_is_none() -> None:
    assert not upgraded(change="raised", subject="not checked: the tyres", message="m").is_failure


@pytest.mark.parametrize("body", ['{"kind":"alert_change"}', '{"kind":"alert_change","change":"failed","why":5}'])
def test_a_damaged_alert_change_of_form_1_is_damage(body: str) -> None:
    with pytest.raises(Damaged, match="form 1 cannot be decoded: "):
        decode(body, 1)


def test_every_form_has_its_upgrade_and_none_of_an_entry_that_an_erasure_rewrites() -> None:
    assert [*UPGRADES] == [*range(1, FORM)]
    # An erasure encodes what it leaves of an entry in today's form, under the form that the digest covers.
    rewritten: set[Kind] = {"checkpoint", "retraction", "model_call", "receipt"}
    assert all(rewritten.isdisjoint(kinds) for kinds in UPGRADES.values())
    entry: Entry = AlertChange(change="raised", constraint="c", subject="s", cites=(1,))
    assert redact_entry(entry, frozenset({1})) is None
