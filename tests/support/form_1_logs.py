"""Logs as the first form of the entries had them: the meaning of alert changes was in their texts."""

import os
from collections.abc import Iterable
from typing import Any

import msgspec

from uac.log.chain import body_commitment, chain_digest
from uac.log.clock import log_timestamp
from uac.log.log import Log, Row, Stored
from uac.schema.entries import AlertChange, Entry, kind_of, with_alert_tables

__all__ = ["append_form_1", "copied_as_form_1", "form_1_body"]

Body = dict[str, Any]


def form_1_body(entry: Entry) -> Body:
    """The JSON that form 1 had for an entry that this version wrote."""
    body: Body = msgspec.to_builtins(entry)
    if isinstance(entry, AlertChange):
        for name in ("is_failure", "reason", "tables"):
            body.pop(name, None)
        if entry.reason == "limit":
            body["why"] = f"over the limit: {entry.why}"
        if entry.tables:
            note = " (critical by its author; shown as warning until a person approves the constraint)"
            words = entry.message.removesuffix(note) if entry.capped_from else entry.message
            body["message"] = with_alert_tables(words, entry.tables) + entry.message.removeprefix(words)
    return body


def append_form_1(log: Log, bodies: Iterable[Body], like: Iterable[Stored] | None = None) -> None:
    """Write bodies of form 1, as the program of that time did; the times are those of `like` if it is given."""
    known = [None] * 1_000 if like is None else list(like)
    with log._rows.writing() as writing:
        head = writing.head
        digest, rows = head.digest, list[Row]()
        for position, (body, stored) in enumerate(zip(bodies, known, strict=False), head.position + 1):
            at, salt = log_timestamp(stored.at if stored else log.now()), os.urandom(16)
            text = msgspec.json.encode(body)
            digest = chain_digest(digest, position, at, body["kind"], 1, body_commitment(salt, text))
            rows.append(Row(position, at, body["kind"], 1, text.decode(), salt, digest))
        writing.insert(rows)


def copied_as_form_1(log: Log, into: Log) -> Log:
    """The same log in form 1. Its observations have no keys."""
    stored = [each for each in log.read() if each.entry is not None]
    assert [each.position for each in stored] == [*range(1, len(stored) + 1)]
    append_form_1(into, [form_1_body(each.entry) for each in stored if each.entry is not None], stored)
    assert [row.form for row in into._rows.read(1, None)] == [1] * len(stored)
    assert {kind_of(each.entry) for each in stored if each.entry} == {each.kind for each in into.read()}
    return into
