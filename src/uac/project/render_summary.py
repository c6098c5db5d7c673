"""What an exported project prints when it is run: `python3 FOLDER`. The text is the same for every user."""

__all__ = ["SUMMARY"]

SUMMARY = '''\
"""Prints what is known of this user, with nothing installed: python3 THIS_FOLDER."""

from dataclasses import fields, is_dataclass
from importlib import import_module

import manifest

SHOWN = 5  # records of each collection


def line(record: object) -> str:
    """A record without its empty fields."""
    values = [(part.name, getattr(record, part.name)) for part in fields(record)]
    told = [f"{name}={value!r}" for name, value in values if value not in (None, [])]
    return f"{type(record).__name__}({', '.join(told)})"


def escaped(text: str) -> str:
    """The text on one line, with unprintable characters escaped, so that no text can drive a terminal."""
    return "".join(map(visible, text))


def visible(sign: str) -> str:
    return sign if sign.isprintable() else sign.encode("unicode_escape").decode()


now = getattr(manifest, "NOW", None) or "at no time yet"
print(f"What is known: {now[:16]}, after entry {manifest.POSITION}")
for alert in getattr(manifest, "ALERTS", []):
    print(f"  ! {escaped(alert)}")
for domain in getattr(manifest, "RECORDS", {}):
    for name, value in sorted(vars(import_module(f"domains.{domain}")).items()):
        records = value if isinstance(value, list) else [value]
        if not records or isinstance(value, type) or not is_dataclass(records[0]):
            continue
        print(f"{domain}.{name}: {len(records)}")
        for record in records[:SHOWN]:
            print(f"  {line(record)}")
        if len(records) > SHOWN:
            print(f"  and {len(records) - SHOWN} more")
'''
