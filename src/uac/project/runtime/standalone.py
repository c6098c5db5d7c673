"""What the files of a rendered project need to run their constraints with nothing installed. It is pasted there."""

import json
from dataclasses import dataclass
from datetime import datetime, time, timezone

__all__ = ["check", "ended", "fires", "silent"]

COLLECTIONS: dict[str, tuple[str, bool]] = {}
uac_tables: dict[str, object] = {}

# --- below: what is pasted

from pathlib import Path  # noqa: E402 - it is pasted with what needs it

for path in sorted((Path(__file__).parent / "knowledge").glob("*.json")):
    uac_tables[path.stem] = json.loads(path.read_text(encoding="utf-8"))


@dataclass
class Ended:
    """A record of a case that is over."""

    record: object
    when: str


class Part:
    """The user, or a domain of theirs: an object with one attribute per domain or collection."""


def ended(record, when):
    """A record that ended then."""
    return Ended(record, when)


def fires(name, now, *records, says=()):
    """A case in which the constraint must fire, with all these texts in one message."""
    return (name, now, records, True, list(says))


def silent(name, now, *records):
    """A case in which the constraint must stay silent."""
    return (name, now, records, False, [])


def user_of(records):
    """A user who has just these records."""
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
    """Run a constraint on its cases; an AssertionError names the first that does not come out."""
    for name, now, records, must_fire, says in cases:
        moment = now if isinstance(now, datetime) else datetime.combine(now, time(12), timezone.utc)  # noqa: UP017 - as the prelude has it
        messages = [alert.message for alert in constraint(user_of(records), moment)]
        assert bool(messages) is must_fire, f"{name}: {messages}"
        if must_fire:
            told = [all(text.lower() in message.lower() for text in says) for message in messages]
            assert any(told), f"{name}: {messages} should say {says}"
