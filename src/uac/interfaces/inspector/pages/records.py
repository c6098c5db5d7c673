"""The records of a type as a table: sorted, searched and paged."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from heapq import nlargest

from starlette.responses import Response

from uac.display.tables import Cell, Table, cell_text, number_of, record_table
from uac.errors import Refused
from uac.interfaces.inspector.page import Page, PageView
from uac.interfaces.inspector.record_names import RecordLink, record_link_maker
from uac.project.project import Project
from uac.schema.types import Type
from uac.schema.values import Money

__all__ = ["PAGES"]

SHOWN = 50
LATEST = 4  # records of a type that are named beside it


@dataclass(frozen=True, slots=True)
class FilledType:
    """A type with the number of its records, and the latest of them."""

    type: Type
    count: int
    latest: tuple[RecordLink, ...]


def records_page(view: PageView) -> Response:
    """All types, or the records of one: `?type=travel.Trip&sort=start&down=1&q=paris&page=2&former=1`.

    `&valid=2026-03-01&told=2026-03-01&known=120` shows them on other clocks.
    """
    with view.memory() as memory:
        project = memory.project_at(view.clocks())
    name = view.query("type")
    if not name:
        return view.render_template(
            "types.html",
            filled=_records_page_types(project),
            empty=[name for name in sorted(project.types) if not project.count(name)],
        )
    former, down = view.query("former") == "1", view.query("down") == "1"
    wanted, sort = view.query("q").strip(), view.query("sort")
    table = record_table(project, name, former=former)
    table, blank = _without_empty_columns(table, sort)
    rows = _sort_records_table(_search_records_table(table, wanted), sort, down=down)
    pages = max(-(-len(rows.rows) // SHOWN), 1)
    page = min(max(view.query_number("page", 1), 1), pages)

    def to(sort: str = sort, *, down: bool = down, former: bool = former, page: int = 1) -> str:
        """The URL of the same table with other options."""
        options = {"down": "1" if down else "", "former": "1" if former else "", "page": str(page) if page > 1 else ""}
        return view.page_url("records", type=name, sort=sort, q=wanted, **options, **view.clock_query())

    return view.render_template(
        "records.html",
        to=to,
        type=project.types[name],
        table=rows,
        blank=blank,
        rows=rows.rows[(page - 1) * SHOWN : page * SHOWN],
        numbers=[_is_records_column_numeric(table, place) for place in range(len(table.columns))],
        total=len(table),
        page=page,
        pages=pages,
        former=former,
        has_former=_records_page_has_former(project, name),
        wanted=wanted,
        sort=sort,
        down=down,
        name_of=lambda id_: record_link_maker(project)(id_).name,
    )


def _records_page_types(project: Project) -> list[tuple[str, list[FilledType]]]:
    """The types that have records, by domain, each with its latest records."""
    link = record_link_maker(project)
    domains = []
    for name in project.domains:
        filled = [one for one in project.types_of(name) if project.count(one.full_name)]
        types = [
            FilledType(one, project.count(one.full_name), tuple(link(id_) for id_ in _latest_ids(project, one)))
            for one in filled
        ]
        domains += [(name, types)] if types else []
    return domains


def _latest_ids(project: Project, type_: Type) -> list[str]:
    latest = nlargest(LATEST, project.tables[type_.full_name].values(), key=lambda record: record.order)
    return [record.id for record in latest]


def _without_empty_columns(table: Table, sort: str) -> tuple[Table, list[str]]:
    """The table without empty columns, and their names."""
    if not table.rows:
        return table, []
    places = [
        n for n, name in enumerate(table.columns) if name == sort or any(row[n] not in (None, "") for row in table)
    ]
    blank = [name for n, name in enumerate(table.columns) if n not in places]
    rows = tuple(tuple(row[n] for n in places) for row in table)
    return Table(tuple(table.columns[n] for n in places), rows, table.title), blank


def _search_records_table(table: Table, wanted: str) -> Table:
    if not wanted:
        return table
    sought = wanted.casefold()
    rows = tuple(row for row in table.rows if any(sought in cell_text(cell).casefold() for cell in row))
    return Table(table.columns, rows, table.title)


def _sort_records_table(table: Table, column: str, *, down: bool) -> Table:
    """Sorted by a column; rows without a value come last in either direction, and equal rows keep their order."""
    if not column:
        return table
    if column not in table.columns:
        raise Refused(f"sort is {column!r}. Use one of {', '.join(table.columns)}.")
    place = table.columns.index(column)
    filled = [row for row in table.rows if row[place] is not None]
    blank = [row for row in table.rows if row[place] is None]
    ordered = sorted(filled, key=lambda row: _records_cell_order(row[place]), reverse=down)
    return Table(table.columns, (*ordered, *blank), table.title)


def _records_cell_order(cell: Cell) -> tuple[int, float, str]:
    """Sort key for cells of one column, whatever their type: numbers by size, times by time, text ignoring case."""
    if isinstance(cell, Money):
        return 0, float(cell.amount), cell.currency
    if isinstance(cell, bool | int | float | Decimal):
        return 0, number_of(int(cell) if isinstance(cell, bool) else cell) or 0.0, ""
    if isinstance(cell, timedelta):
        return 0, cell.total_seconds(), ""
    if isinstance(cell, datetime):
        return 1, cell.timestamp(), ""
    if isinstance(cell, date):
        return 1, float(cell.toordinal()), ""
    if isinstance(cell, time):
        return 1, 0.0, cell.isoformat()
    return 2, 0.0, (cell or "").casefold()


def _is_records_column_numeric(table: Table, place: int) -> bool:
    filled = [row[place] for row in table.rows[:SHOWN] if row[place] is not None]
    return bool(filled) and all(number_of(cell) is not None for cell in filled)


def _records_page_has_former(project: Project, name: str) -> bool:
    return any(record.ended is not None for record in project.tables[name].values())


PAGES = (Page("/users/{user}/records", records_page, title="Records", letter="r", group="Known"),)
