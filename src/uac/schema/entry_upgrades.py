"""Upgrades of stored entries: each turns the JSON of one kind of entry from one form into the next.

A stored body is never rewritten, because its digest is part of the chain: it is upgraded whenever it is read.
What an old form said stays as it was, so an upgrade has its own copy of every text that it parses.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["UPGRADES", "Body", "Upgrade"]

Body = dict[str, Any]
Upgrade = Callable[[Body], Body]


def _alert_change_to_2(body: Body) -> Body:
    """Form 1 kept a failure, its reason and the tables of a message as text; form 2 has fields for them."""
    new = dict(body)
    change, subject, message = body["change"], body.get("subject", ""), body.get("message", "")
    if change not in ("raised", "updated") and (change == "failed" or subject.startswith("not checked")):
        new["is_failure"] = True
    if not subject:  # in the first logs a failure was not an alert yet
        new |= {"subject": "not checked", "is_failure": True}
    if change == "failed":
        why = body.get("why", "") or message
        new["why"] = why.removeprefix("over the limit: ")
        if new["why"] != why:
            new["reason"] = "limit"
    elif tables := [table for listed in _TABLES.findall(message) for table in listed.split(", ")]:
        new |= {"message": _TABLES.sub("", message), "tables": list(dict.fromkeys(tables))}
    return new


_TABLES = re.compile(r" \[by ([\w.]+ [^\s,\[\]]+(?:, [\w.]+ [^\s,\[\]]+)*)\]", re.ASCII)

UPGRADES: Mapping[int, Mapping[str, Upgrade]] = {1: {"alert_change": _alert_change_to_2}}
"""`UPGRADES[n]` has the kinds of entries that differ between form n and form n + 1."""
