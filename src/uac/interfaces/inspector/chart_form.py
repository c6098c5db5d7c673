"""Questions without code: records of a type counted or summed, by month, by category or over time, in a period.

Pure: a type and the query parameters go in, a chart comes out. `chart_figures` has its code and its drawing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, NamedTuple

from uac.errors import Refused
from uac.project.project import Project, Record
from uac.schema.types import Type, field_types
from uac.schema.values import Money

__all__ = [
    "Chart",
    "Flow",
    "Usable",
    "chart_field_label",
    "chart_flow",
    "chart_period",
    "chart_title",
    "chartable_fields",
    "has_direction",
    "is_chart_noun",
    "read_chart",
    "suggested_form_charts",
]

Shape = Literal["month", "category", "line", "total"]
Flow = Literal["", "spent", "received"]

OFFERED = 3  # charts that are offered for a type
ADDED = ("Money", "timedelta")  # kinds whose sums are meaningful; other numbers may be levels, such as a weight
UNITS = frozenset("mm cm m km mi g kg mg lb l ml h min s pct c f kwh kcal".split())
CURRENCIES = frozenset(
    "aud brl cad chf cny czk dkk eur gbp hkd huf inr jpy krw mxn nok nzd pln sek sgd try usd zar".split()
)
LITTLE = frozenset(
    "about after around as at before between by does due during every for from has how if in into is of off on onto "
    "or otherwise out over per since so than through to under until via what when where which who why with "
    "begins closes contains ends expires holds includes likes lives needs owes paid renews starts uses wants".split()
)
"""Words that need context: a field with such a name makes sense only together with its type."""
NAMING = frozenset("name title number id reference notes note text description reason email phone url".split())
"""Words for fields that identify or describe a record: no two records share their value."""
CATEGORY = "category"  # the field that people mean by "by category"
RECENT = {"30-days": timedelta(days=30), "12-months": timedelta(days=365)}
"""Periods that end today."""


class Usable(NamedTuple):
    """The fields of a type, by how they can be drawn."""

    times: tuple[str, ...]
    numbers: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A question about a type's records: their number, or the sum of `value`, by a field.

    `shape` says how `by` is used: as the month of a day, as a category, or as the position of a point on a line;
    'total' is one figure. `flow` selects the money that went out or came in: as the field `direction` says, else by
    the sign of the amount. Either is drawn as a positive amount.
    """

    type: str
    shape: Shape
    by: str = ""
    value: str = ""
    apart: str = ""
    """The field that splits each month, with a colour for each value."""
    flow: Flow = ""
    when: str = ""
    """The field that the period is about."""
    since: date | None = None
    until: date | None = None

    @property
    def measure(self) -> str:
        """The parameter that says what is shown: 'amount', 'spent:amount'; "" for the number of records."""
        return f"{self.flow}:{self.value}" if self.flow else self.value

    @property
    def group(self) -> str:
        """The parameter that says by what: 'month:start', 'category:city', 'total:'."""
        return f"{self.shape}:{self.by}"


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
    """The most suitable charts for a type, by its fields: money spent, sums by month, by category, and counts."""
    if type_.cardinality == "one":
        return []
    fields, name = chartable_fields(type_), type_.full_name
    kinds = field_types(type_)
    # A field with few values makes a better category than one that identifies records.
    names = sorted(
        (field for field in fields.names if _is_chart_category(field) and kinds[field].kind != "bool"),
        key=lambda field: (
            field != CATEGORY,
            field in type_.key,
            kinds[field].kind == "str",
            fields.names.index(field),
        ),
    )
    numbers = [field for field in fields.numbers if is_chart_noun(field)]
    sums = [field for field in numbers if kinds[field].kind in ADDED]
    levels = [field for field in numbers if kinds[field].kind not in ADDED]
    times = fields.times[:1] if type_.cardinality == "event" else ()
    flow: Flow = "spent" if has_direction(type_) else ""
    charts = [
        *(Chart(name, "category", by, value, flow=flow) for by in names[:1] for value in sums[:1] if flow),
        *(Chart(name, "month", when, value, flow=flow) for when in times for value in sums[:1] if flow),
        *(Chart(name, "month", when, value, flow="received") for when in times for value in sums[:1] if flow),
        *(Chart(name, "month", when, value) for when in times for value in sums[:1]),
        *(Chart(name, "category", by, value) for by in names[:1] for value in sums[:1]),
        *(Chart(name, "line", when, value) for when in times for value in levels[:1]),
        *(Chart(name, "month", when) for when in times),
        *(Chart(name, "category", by) for by in names[:1] if by not in type_.key),
    ]
    return charts[:OFFERED]


def chart_flow(type_: Type, value: str, records: Sequence[Record]) -> tuple[Flow, ...]:
    """Which money of a field can be shown apart: spent and received, by `direction` or by the sign of the amounts."""
    if value not in field_types(type_) or field_types(type_)[value].kind != "Money":
        return ()
    if has_direction(type_):
        return ("spent", "received")
    amounts = [cell.amount for record in records if isinstance(cell := record.values.get(value), Money)]
    has_out, has_in = any(amount < 0 for amount in amounts), any(amount > 0 for amount in amounts)
    return ("spent", *(("received",) if has_in else ())) if has_out else ()


def read_chart(project: Project, name: str, by: str, value: str, apart: str) -> Chart:
    """A chart from query parameters: `by` is 'month:start', 'line:start', 'category:city' or 'total:'.

    `value` is the name of a field, 'spent:amount' or 'received:amount'; "" counts the records.
    """
    type_ = project.types.get(name)
    if type_ is None:
        raise Refused(f"No type {name!r}. Choose one of the project.")
    fields = chartable_fields(type_)
    shape, _colon, field = by.partition(":")
    shapes: dict[str, tuple[Shape, tuple[str, ...]]] = {
        "month": ("month", fields.times),
        "line": ("line", fields.times),
        "category": ("category", fields.names),
        "total": ("total", ("",)),
    }
    if shape not in shapes or field not in shapes[shape][1]:
        raise Refused(f"by is {by!r}. Use a field of {name} such as {_chart_parameter_examples(fields)}.")
    flow, value = _read_measure(type_, fields, value)
    if apart and apart not in fields.names:
        raise Refused(f"apart is {apart!r}. Use one of {', '.join(fields.names) or 'none'}.")
    if shape == "line" and not value:
        raise Refused("A line has no number to show. Choose one under 'Show'.")
    return Chart(
        name, shapes[shape][0], field, value, apart if shape in ("month", "line") and apart != field else "", flow
    )


def _read_measure(type_: Type, fields: Usable, text: str) -> tuple[Flow, str]:
    flows: dict[str, Flow] = {"spent": "spent", "received": "received"}
    flow, colon, value = text.partition(":")
    if not colon:
        flow, value = "", text
    elif flow not in flows or value not in fields.numbers or field_types(type_)[value].kind != "Money":
        raise Refused(f"value is {text!r}. Use spent or received with a field of money, such as spent:amount.")
    if value and value not in fields.numbers:
        raise Refused(f"value is {value!r}. Use one of {', '.join(fields.numbers) or 'none'}.")
    return flows.get(flow, ""), value


def chart_period(period: str, since: str, until: str, today: date) -> tuple[date | None, date | None]:
    """The first and the last day of a period: '2025', '12-months' or '30-days'; days given as such have precedence."""
    first, last = _chart_day("since", since), _chart_day("until", until)
    if first and last and first > last:
        raise Refused(f"The period begins on {first} and ends on {last}. Choose a later end.")
    if first or last or not period:
        return first, last
    if period in RECENT:
        return today - RECENT[period] + timedelta(days=1), today
    if len(period) == len("2025") and period.isascii() and period.isdecimal() and int(period):
        return date(int(period), 1, 1), date(int(period), 12, 31)
    raise Refused(f"period is {period!r}. Use a year such as 2025, or one of {', '.join(RECENT)}.")


def _chart_day(name: str, text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise Refused(f"{name} is {text!r}. Use a day such as 2026-03-01.") from None


def chart_title(type_: Type, chart: Chart) -> str:
    """'Trips by month', 'Cost of trips by city', 'Spending by category, from transactions, in 2025'."""
    records = type_.collected_as.replace("_", " ")
    what = f"{chart_field_label(chart.value)} of {records}" if chart.value else records
    if chart.flow:
        what = {"spent": "spending", "received": "money received"}[chart.flow]
    how = {"month": " by month", "line": " over time", "category": f" by {chart_field_label(chart.by)}", "total": ""}
    apart = f" and {chart_field_label(chart.apart)}" if chart.apart else ""
    source = f", from {records}" if chart.flow else ""
    text = f"{what}{how[chart.shape]}{apart}{source}{_period_text(chart.since, chart.until)}"
    return ("Number of " if chart.shape == "total" and not chart.value else "") + (
        text if chart.shape == "total" and not chart.value else text[:1].upper() + text[1:]
    )


def _period_text(since: date | None, until: date | None) -> str:
    if since and until and (since, until) == (date(since.year, 1, 1), date(since.year, 12, 31)):
        return f" in {since.year}"
    return "".join([f" from {since}" if since else "", f" to {until}" if until else ""])


def chart_field_label(name: str) -> str:
    """The name of a field inside a sentence; in quotes if it does not read well there."""
    words = name.replace("_", " ").strip()
    lead, _space, last = words.rpartition(" ")
    if lead and last in CURRENCIES:
        return lead
    if lead and last in UNITS:
        return f"{lead} ({last})"
    return words if is_chart_noun(name) else f"“{words}”"


def is_chart_noun(name: str) -> bool:
    """Whether the name of a field is a noun: cost, city; not on, every, booked, highest_m."""
    lead, _underscore, last = name.rpartition("_")
    last = lead.rpartition("_")[2] if lead and last in CURRENCIES else last
    is_done = last.endswith("ed") and not last.endswith(("eed", "bed"))  # booked, owed; but speed
    return last not in LITTLE and last not in UNITS and not is_done


def has_direction(type_: Type) -> bool:
    """Whether the field `direction` says which money went out and which came in."""
    direction = field_types(type_).get("direction")
    return direction is not None and {"in", "out"} <= set(direction.choices)


def _is_chart_category(field: str) -> bool:
    return is_chart_noun(field) and field.rpartition("_")[2] not in NAMING


def _chart_parameter_examples(fields: Usable) -> str:
    examples = [*(f"month:{name}" for name in fields.times[:1]), *(f"category:{name}" for name in fields.names[:1])]
    return " or ".join(examples) or "one that holds days or text"
