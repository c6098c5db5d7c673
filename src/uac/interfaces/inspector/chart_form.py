"""Charts without code: records of a type counted or summed by month, by category or over time.

Pure: a type goes in, charts come out; each has the code that computes the same figures, as a starting point.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from uac.display.plots import Plot, by_category, by_month, line
from uac.display.tables import record_table
from uac.errors import Refused
from uac.project.project import Project
from uac.schema.types import Type, field_types

__all__ = [
    "Chart",
    "Usable",
    "chart_code",
    "chart_field_label",
    "chart_title",
    "chartable_fields",
    "draw_chart",
    "is_chart_noun",
    "read_chart",
    "suggested_form_charts",
]

Shape = Literal["month", "category", "line"]

OFFERED = 3  # charts that are offered for a type
ADDED = ("Money", "timedelta")  # kinds whose sums are meaningful; other numbers may be levels, such as a weight
UNITS = frozenset("mm cm m km mi g kg mg lb l ml h min s pct c f kwh kcal".split())
LITTLE = frozenset(
    "about after around as at before between by does due during every for from has how if in into is of off on onto "
    "or otherwise out over per since so than through to under until via what when where which who why with "
    "begins closes contains ends expires holds includes likes lives needs owes paid renews starts uses wants".split()
)
"""Words that need context: a field with such a name makes sense only together with its type."""
NAMING = frozenset("name title number id reference notes note text description reason email phone url".split())
"""Words for fields that identify or describe a record: no two records share their value."""


class Usable(NamedTuple):
    """The fields of a type, by how they can be drawn."""

    times: tuple[str, ...]
    numbers: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A question about a type's records: their number, or the sum of `value`, by a field.

    `shape` says how `by` is used: as the month of a day, as a category, or as the position of a point on a line.
    """

    type: str
    shape: Shape
    by: str
    value: str = ""
    apart: str = ""
    """The field that splits each month, with a colour for each value."""


def chartable_fields(type_: Type) -> Usable:
    times, numbers, names = [], [], []
    for name, kind in field_types(type_).items():
        if kind.kind in ("date", "datetime"):
            times.append(name)
        elif kind.kind in ("int", "float", "Decimal", "Money", "timedelta"):
            numbers.append(name)
        elif kind.kind in ("str", "choice", "ref", "bool"):
            names.append(name)
    return Usable(tuple(times), tuple(numbers), tuple(names))


def suggested_form_charts(type_: Type) -> list[Chart]:
    """The most suitable charts for a type, by its fields: by month, sums by month, by category."""
    if type_.cardinality == "one":
        return []
    fields, name = chartable_fields(type_), type_.full_name
    kinds = field_types(type_)
    # A field with few values makes a better category than one that identifies records.
    names = sorted(
        (field for field in fields.names if _is_chart_category(field) and kinds[field].kind != "bool"),
        key=lambda field: (field in type_.key, kinds[field].kind == "str", fields.names.index(field)),
    )
    numbers = [field for field in fields.numbers if is_chart_noun(field)]
    sums = [field for field in numbers if kinds[field].kind in ADDED]
    levels = [field for field in numbers if kinds[field].kind not in ADDED]
    times = fields.times[:1] if type_.cardinality == "event" else ()
    charts = [
        *(Chart(name, "month", when, value) for when in times for value in sums[:1]),
        *(Chart(name, "category", by, value) for by in names[:1] for value in sums[:1]),
        *(Chart(name, "line", when, value) for when in times for value in levels[:1]),
        *(Chart(name, "month", when) for when in times),
        *(Chart(name, "category", by) for by in names[:1] if by not in type_.key),
    ]
    return charts[:OFFERED]


def read_chart(project: Project, name: str, by: str, value: str, apart: str) -> Chart:
    """A chart from query parameters: `by` is 'month:start', 'line:start' or 'category:city'."""
    type_ = project.types.get(name)
    if type_ is None:
        raise Refused(f"No type {name!r}. Choose one of the project.")
    fields = chartable_fields(type_)
    shape, _colon, field = by.partition(":")
    shapes: dict[str, tuple[Shape, tuple[str, ...]]] = {
        "month": ("month", fields.times),
        "line": ("line", fields.times),
        "category": ("category", fields.names),
    }
    if shape not in shapes or field not in shapes[shape][1]:
        raise Refused(f"by is {by!r}. Use a field of {name} such as {_chart_parameter_examples(fields)}.")
    if value and value not in fields.numbers:
        raise Refused(f"value is {value!r}. Use one of {', '.join(fields.numbers) or 'none'}.")
    if apart and apart not in fields.names:
        raise Refused(f"apart is {apart!r}. Use one of {', '.join(fields.names) or 'none'}.")
    if shape == "line" and not value:
        raise Refused("A line has no number to show. Choose one under 'Show'.")
    return Chart(name, shapes[shape][0], field, value, "" if shape == "category" else apart)


def chart_title(type_: Type, chart: Chart) -> str:
    """'Trips by month', 'Cost of trips by city'."""
    records = type_.collected_as.replace("_", " ")
    what = f"{chart_field_label(chart.value)} of {records}" if chart.value else records
    how = {"month": "by month", "line": "over time", "category": f"by {chart_field_label(chart.by)}"}[chart.shape]
    apart = f" and {chart_field_label(chart.apart)}" if chart.apart else ""
    text = f"{what} {how}{apart}"
    return text[:1].upper() + text[1:]


def chart_field_label(name: str) -> str:
    """The name of a field inside a sentence; in quotes if it does not read well there."""
    words = name.replace("_", " ").strip()
    lead, _space, last = words.rpartition(" ")
    if lead and last in UNITS:
        return f"{lead} ({last})"
    return words if is_chart_noun(name) else f"“{words}”"


def is_chart_noun(name: str) -> bool:
    """Whether the name of a field is a noun: cost, city; not on, every, booked, highest_m."""
    last = name.rpartition("_")[2]
    is_done = last.endswith("ed") and not last.endswith(("eed", "bed"))  # booked, owed; but speed
    return last not in LITTLE and last not in UNITS and not is_done


def chart_code(type_: Type, chart: Chart) -> str:
    """The code that computes the figures of a chart."""
    records = f"{type_.domain}.{type_.collected_as}"
    kinds = field_types(type_)
    if chart.shape == "line":
        names = [chart.by, chart.value, *([chart.apart] if chart.apart else [])]
        row = ", ".join(f"{name!r}: one.{name}" for name in names)
        return f"[{{{row}}} for one in {records}]"
    day = f"month_of(one.{chart.by})" if chart.shape == "month" else f"one.{chart.by}"
    key = f"({day}, one.{chart.apart})" if chart.apart else day
    those = f"[one for one in {records} if one.{chart.by}]" if kinds[chart.by].optional else records
    groups = f"group_by({those}, lambda one: {key})"
    if not chart.value:
        figure = "len(ones)"
    elif kinds[chart.value].kind == "Money":
        figure = f"total(one.{chart.value} for one in ones)"
    else:
        figure = f"sum(one.{chart.value} for one in ones if one.{chart.value} is not None)"
        if kinds[chart.value].kind == "timedelta":
            figure = f"sum((one.{chart.value} for one in ones if one.{chart.value} is not None), timedelta())"
    name = "month" if chart.shape == "month" and not chart.apart else "name"
    items = "sorted(groups.items())" if name == "month" else "groups.items()"
    return f"groups = {groups}\n{{{name}: {figure} for {name}, ones in {items}}}"


def draw_chart(project: Project, chart: Chart) -> Plot:
    """The plot over all active records."""
    rows, type_ = record_table(project, chart.type), project.types[chart.type]
    title, value, apart = chart_title(type_, chart), chart.value or None, chart.apart or None
    match chart.shape:
        case "month":
            return by_month(rows, chart.by, value, category=apart, title=title)
        case "line":
            return line(rows, chart.by, value, category=apart, title=title)
        case "category":
            return by_category(rows, chart.by, value, title=title)


def _is_chart_category(field: str) -> bool:
    return is_chart_noun(field) and field.rpartition("_")[2] not in NAMING


def _chart_parameter_examples(fields: Usable) -> str:
    examples = [*(f"month:{name}" for name in fields.times[:1]), *(f"category:{name}" for name in fields.names[:1])]
    return " or ".join(examples) or "one that holds days or text"
