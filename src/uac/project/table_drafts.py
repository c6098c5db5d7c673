"""The tables of a project that is being changed."""

from collections.abc import Iterator, Mapping, MutableMapping

from uac.project.records import Record
from uac.project.stored_map import AnyMap, AnyMutation

__all__ = ["TableDrafts"]


class TableDrafts(MutableMapping[str, AnyMutation[str, Record]]):
    """A table is opened for changes when it is first used: most changes touch one of many."""

    def __init__(self, tables: Mapping[str, AnyMap[str, Record]]) -> None:
        self._tables: dict[str, AnyMap[str, Record] | None] = dict(tables)
        """In order; None for one that is not in the project."""
        self._opened: dict[str, AnyMutation[str, Record]] = {}

    def __getitem__(self, name: str) -> AnyMutation[str, Record]:
        opened = self._opened.get(name)
        if opened is None:
            table = self._tables[name]
            assert table is not None
            opened = self._opened[name] = table.mutate()
        return opened

    def __setitem__(self, name: str, table: AnyMutation[str, Record]) -> None:
        self._tables.setdefault(name, None)
        self._opened[name] = table

    def __delitem__(self, name: str) -> None:
        del self._tables[name]
        self._opened.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._tables

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def current(self, name: str) -> AnyMap[str, Record]:
        """The records of a table as they are now, to iterate over."""
        opened = self._opened.pop(name, None)
        table = self._tables[name] if opened is None else opened.finish()
        assert table is not None
        self._tables[name] = table
        return table

    def finish(self) -> dict[str, AnyMap[str, Record]]:
        """All tables as they are now; one that was not opened is the same object."""
        for name in tuple(self._opened):
            self.current(name)
        return {name: table for name, table in self._tables.items() if table is not None}
