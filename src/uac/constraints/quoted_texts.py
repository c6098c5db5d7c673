"""Finds the records whose text an alert's message quotes, without reading all records after each change."""

from collections.abc import Iterable

from uac.project.effects import effects_since
from uac.project.project import EMPTY_PROJECT, Project
from uac.project.records import Record, record_type
from uac.schema.persistent_map import Map
from uac.schema.types import parse_type

__all__ = ["QuotedTexts"]

MIN_CHARACTERS = 4  # shorter texts are not searched for in a message
FEW_TEXTS = 200  # up to which it is faster to search for each of them


class QuotedTexts:
    """The texts of records, by type. It follows the project: only records that changed are read again."""

    def __init__(self) -> None:
        self._project = EMPTY_PROJECT
        self._types: dict[str, _TextsOfType] = {}

    def find(self, project: Project, types: Iterable[str], message: str) -> dict[str, set[int]]:
        """The texts of these types' records that occur in the message, each with the facts that its records cite."""
        self._follow(project)
        found: dict[str, set[int]] = {}
        for name in types:
            if name not in self._types:
                self._types[name] = _TextsOfType(project, name)
            table = project.tables[name]
            for text, records in self._types[name].quoted_in(message).items():
                found.setdefault(text, set()).update(cited for record in records for cited in table[record].cites)
        return found

    def _follow(self, project: Project) -> None:
        before, self._project = self._project, project
        if before is project or not self._types:
            return
        # A project without a history is of another clock.
        changed = effects_since(before, project) if before.history and project.history else None
        if changed is None or changed.removed:
            self._types = {}
            return
        for record in changed.written:
            if (texts := self._types.get(record_type(record))) is not None:
                texts.update(record, project.tables[record_type(record)].get(record))


class _TextsOfType:
    """The texts of one type's records, and how long those are that begin alike."""

    def __init__(self, project: Project, type_name: str) -> None:
        fields = project.types[type_name].fields
        self._fields = [part.name for part in fields if parse_type(part.type).kind == "str"]
        self._texts: dict[str, set[str]] = {}
        self._records: dict[str, set[str]] = {}
        self._lengths: dict[str, set[int]] = {}
        for record in project.tables.get(type_name, Map[str, Record]()).values():
            self._add(record)

    def quoted_in(self, message: str) -> dict[str, set[str]]:
        """Each text that occurs in the message, with the ids of its records."""
        if len(self._records) <= FEW_TEXTS:
            return {text: records for text, records in self._records.items() if text in message}
        found: dict[str, set[str]] = {}
        for start in range(len(message) - MIN_CHARACTERS + 1):
            for length in self._lengths.get(message[start : start + MIN_CHARACTERS], ()):
                text = message[start : start + length]
                if text in self._records:
                    found[text] = self._records[text]
        return found

    def update(self, record_id: str, record: Record | None) -> None:
        for text in self._texts.pop(record_id, ()):
            self._records[text].discard(record_id)
            if not self._records[text]:
                del self._records[text]
        if record is not None:
            self._add(record)

    def _add(self, record: Record) -> None:
        values = (record.values.get(name) for name in self._fields)
        texts = {value for value in values if isinstance(value, str) and len(value) >= MIN_CHARACTERS}
        if texts:
            self._texts[record.id] = texts
        for text in texts:
            self._records.setdefault(text, set()).add(record.id)
            self._lengths.setdefault(text[:MIN_CHARACTERS], set()).add(len(text))
