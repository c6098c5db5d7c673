"""A small pack to start from, as `uac pack new` writes it."""

from pathlib import Path

from uac.errors import Refused
from uac.schema.types import RESERVED_DOMAINS, check_name

__all__ = ["write_template"]

FILES = {
    "pack.toml": """\
name = "{name}"
version = "1"
date = "2026-01-01"
summary = "What this pack is about, in one sentence."
""",
    "types.py": '''\
"""The types of {name}. This file is read, never run."""


@many("name")
class Contract:
    """A contract that must be reviewed from time to time."""

    name: str
    signed: date | None
    review_by: date
    "The day by which it must be reviewed again."
    limits: list[str]
''',
    "helpers.py": '''\
"""What the constraints of {name} share. This file is read, never run."""


def _counted_days(days):
    """1 day, 30 days."""
    return f"{{days}} day" if days == 1 else f"{{days}} days"
''',
    "constraints/{name}_contract_review.py": '''\
from ..helpers import _counted_days


def {name}_contract_review(user, now):
    """A contract must be reviewed within the next thirty days."""
    lead = knowledge("{name}.rules")["lead_days"]
    found = []
    for contract in user.{name}.contracts:
        if due_within(contract.review_by, now, lead):
            left = _counted_days(days_until(contract.review_by, now))
            found.append(
                warning(
                    f"The contract {{contract.name}} must be reviewed by {{contract.review_by}}, in {{left}}. "
                    "Read it and enter the next date.",
                    contract,
                )
            )
    return found


CASES = [
    fires(
        "thirty days ahead",
        date(2026, 5, 2),
        {name}.Contract(name="Hosting", review_by=date(2026, 6, 1)),
        says=["Hosting", "2026-06-01", "30 days"],
    ),
    silent(
        "thirty-one days ahead",
        date(2026, 5, 1),
        {name}.Contract(name="Hosting", review_by=date(2026, 6, 1)),
    ),
    silent(
        "the contract has ended",
        date(2026, 5, 20),
        ended({name}.Contract(name="Hosting", review_by=date(2026, 6, 1)), "2026-04-30"),
    ),
]
''',
    "knowledge/rules.json": """\
{{
  "name": "{name}.rules",
  "version": "1",
  "date": "2026-01-01",
  "source": "where the figures come from",
  "note": "what they do not cover",
  "table": {{"lead_days": 30}}
}}
""",
    "README.md": """\
# {name}

What this pack covers, what it does not, and where its tables come from.
""",
}


def write_template(folder: Path) -> list[Path]:
    """Write the files of a small pack with the name of the folder; nothing is overwritten."""
    name = folder.resolve().name
    check_name(name, "pack", reserved=RESERVED_DOMAINS)
    if not name.islower():
        raise Refused(f"Pack name {name!r} is also the name of a domain. Write it in lower case.")
    if folder.exists() and any(folder.iterdir()):
        raise Refused(f"{folder} is not empty. Choose a new folder.")
    written: list[Path] = []
    for file, text in FILES.items():
        path = folder / file.format(name=name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(name=name), encoding="utf-8")
        written.append(path)
    return written
