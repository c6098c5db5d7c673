"""Lets an exported project run its constraints with nothing installed. Pasted into the project."""

import json
from dataclasses import dataclass
from datetime import datetime, time, timezone

__all__ = ["check", "ended", "fires", "silent"]

COLLECTIONS: dict[str, tuple[str, bool]] = {}
uac_tables: dict[str, object] = {}

# --- below: pasted

from pathlib import Path  # noqa: E402 - pasted with the code that uses it

for path in sorted((Path(__file__).parent / "knowledge").glob("*.json")):
    uac_tables[path.stem] = json.loads(path.read_text(encoding="utf-8"))


@dataclass
class Ended:
    """A record of a case that has ended."""

    record: object
    when: str


class Part:
    """The user or a domain: an object with one attribute per domain or collection."""


def ended(record, when):
    """A record that ended at that time."""
    return Ended(record, when)


def fires(name, now, *records, says=()):
    """A case in which the constraint must raise an alert, with all these texts in one message."""
    return (name, now, records, True, list(says))


def silent(name, now, *records):
    """A case in which the constraint must raise no alert."""
    return (name, now, records, False, [])


def user_of(records):
    """A user who has exactly these records."""
    user = Part()
    for full_name, (collection, is_single) in COLLECTIONS.items():
        domain = full_name.partition(".")[0]
        if not hasattr(user, domain):
            setattr(user, domain, Part())
        setattr(getattr(user, domain), collection, None if is_single else [])
        setattr(getattr(user, domain), f"former_{collection}", [])
    for record in records:
        is_ended = isinstance(record, Ended)
        item = record.record if is_ended else record
        domain = type(item).__module__.split(".")[-2]
        item.uac_id = f"{domain}.{type(item).__name__}:{id(item)}"
        collection, is_single = COLLECTIONS[f"{domain}.{type(item).__name__}"]
        part = getattr(user, domain)
        if is_ended:
            getattr(part, f"former_{collection}").append(item)
        elif is_single:
            setattr(part, collection, item)
        else:
            getattr(part, collection).append(item)
    return user


def check(constraint, cases):
    """Run a constraint on its cases; an AssertionError names the first that fails."""
    for name, now, records, must_fire, says in cases:
        moment = now if isinstance(now, datetime) else datetime.combine(now, time(12), timezone.utc)  # noqa: UP017 - as the prelude has it
        messages = [alert.message for alert in constraint(user_of(records), moment)]
        assert bool(messages) is must_fire, f"{name}: {messages}"
        if must_fire:
            fitting = [all(text.lower() in message.lower() for text in says) for message in messages]
            assert any(fitting), f"{name}: {messages} should say {says}"
