"""vCard 2.1, 3.0 and 4.0 as lines: one line, and one record, for each card."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from uac.errors import Refused
from uac.importing.content_lines import Component, Property, read_components, split_property_parts, unescape_property
from uac.importing.files import BadLine, ByteSource, Item, Progress, Skipped, SourceLine, Template

__all__ = ["CARDS", "Contacts"]

CARDS = Template(
    name="people.Contact",
    doc="A person or an organisation in an address book.",
    key=("name",),
    types={
        "name": "str",
        "emails": "list[str]",
        "phones": "list[str]",
        "birthday": "date | None",
        "organisation": "str | None",
        "note": "str | None",
    },
    unions=frozenset({"emails", "phones"}),
)

_BIRTHDAY = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})(?:T.*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Contacts:
    """A .vcf file."""

    path: ByteSource
    noun: str = "line"
    is_text: bool = False
    template: Template | None = CARDS

    def read(self, progress: Progress) -> Iterator[Item]:
        names: set[str] = set()
        is_empty = True
        for component in read_components(self.path, progress):
            is_empty = False
            if isinstance(component, BadLine):
                yield component
            elif component.name != "VCARD":
                yield Skipped(component.line, f"{component.name} component")
            else:
                yield _card_line(component, names)
        if is_empty:
            raise Refused(f"{self.path.name} has no BEGIN:VCARD. Use a vCard file.")


def _card_line(card: Component, names: set[str]) -> SourceLine | BadLine:
    left_out = ["picture or sound"] * card.media
    try:
        birthday = _card_birthday(card.first_property("BDAY"), left_out)
    except ValueError as error:
        return BadLine(card.line, str(error))
    name = _card_name(card)
    if not name:
        return BadLine(card.line, "has no name. Add FN, N or ORG.")
    plain = " ".join(name.casefold().split())
    if plain in names:
        left_out.append("card that was joined with an earlier one of the same name")
    names.add(plain)
    notes = [unescape_property(prop.value).strip() for prop in card.properties_named("NOTE")]
    cells = {
        "name": name,
        "emails": _card_values(card, "EMAIL", "mailto:"),
        "phones": _card_values(card, "TEL", "tel:"),
        "birthday": birthday,
        "organisation": _join_card_parts(card.first_property("ORG"), ", ") or None,
        "note": "\n".join(note for note in notes if note) or None,
    }
    return SourceLine(card.line, card.text, cells, tuple(left_out))


def _card_name(card: Component) -> str:
    formatted = card.first_property("FN")
    if formatted and (name := unescape_property(formatted.value).strip()):
        return name
    family, given, middle, before, after, *_ = [*split_property_parts(card.first_property("N")), *[""] * 5]
    name = " ".join(filter(None, (before, given, middle, family, after)))
    return name or _join_card_parts(card.first_property("ORG"), ", ")


def _card_birthday(prop: Property | None, left_out: list[str]) -> str | None:
    if prop is None or not prop.value.strip():
        return None
    value = prop.value.strip()
    whole = _BIRTHDAY.fullmatch(value)
    if value.startswith("--") or (whole and prop.params.get("X-APPLE-OMIT-YEAR") == whole[1]):
        left_out.append("birthday without a year")
        return None
    if not whole:
        left_out.append("birthday that is not a date")
        return None
    try:
        return date(int(whole[1]), int(whole[2]), int(whole[3])).isoformat()
    except ValueError as error:
        raise ValueError(f"BDAY is {value!r}: {error}. Use a date such as 1990-12-31.") from None


def _card_values(card: Component, name: str, scheme: str) -> list[str]:
    """All distinct values of that name."""
    values = (unescape_property(prop.value).strip() for prop in card.properties_named(name))
    plain = (value[len(scheme) :] if value.lower().startswith(scheme) else value for value in values)
    return list(dict.fromkeys(filter(None, plain)))


def _join_card_parts(prop: Property | None, joiner: str) -> str:
    return joiner.join(filter(None, split_property_parts(prop)))
