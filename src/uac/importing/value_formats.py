"""Forms: the ways in which text can represent a value, and the choice where several fit."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from typing import Literal, TypeAlias
from zoneinfo import ZoneInfo

from uac.schema.safe_text import is_blank
from uac.schema.types import Json
from uac.schema.values import EARLIEST, LARGEST, LATEST

__all__ = [
    "NUMBERS",
    "Form",
    "Kind",
    "OutOfBoundsError",
    "ReadingOptions",
    "Style",
    "is_missing_cell",
    "local_time_in_zone",
    "plain_amount",
    "preferred_style",
    "value_form",
    "value_forms",
]

Kind: TypeAlias = Literal["bool", "int", "float", "Decimal", "date", "datetime", "time", "Money", "local", "symbol"]
"""The kind of field a form gives. `local` is a time without a zone, `symbol` an amount in an ambiguous currency."""

Style: TypeAlias = Literal["plain", "grouped", "comma", "ymd", "dmy", "mdy"]
"""How numbers (1234.5, 1,234.5, 1.234,5) or days (2024-12-31, 31.12.2024, 12/31/2024) are written."""

NUMBERS: tuple[Style, ...] = ("plain", "grouped", "comma")
DAYS: tuple[Style, ...] = ("ymd", "dmy", "mdy")


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """The user's choices where the text of a file is ambiguous."""

    zone: ZoneInfo | None = None
    """The zone of times that have none."""
    dates: Literal["", "day-first", "month-first"] = ""
    decimal: Literal["", "point", "comma"] = ""
    currency: str = ""
    """The meaning of $, ¥ and kr, and the currency of amounts without one."""
    is_money: bool = False
    """Whether numbers in columns named after a currency become Money."""
    missing: frozenset[str] = frozenset()
    """Texts that mean a missing value."""


@dataclass(frozen=True, slots=True)
class Form:
    """One way to parse text; `read` raises ValueError with the expected form."""

    kind: Kind
    style: Style
    read: Callable[[str], Json]


class OutOfBoundsError(ValueError):
    """A well-formed date that no record may have, such as 9999-12-31."""


def value_form(kind: Kind, style: Style, reading: ReadingOptions, currency: str = "") -> Form:
    """`currency` is for amounts without one."""
    match kind:
        case "bool":
            return Form(kind, style, _parse_bool)
        case "int":
            return Form(kind, style, partial(_parse_int, style))
        case "float":
            return Form(kind, style, partial(_parse_float, style))
        case "Decimal":
            return Form(kind, style, partial(_parse_decimal, style))
        case "date":
            return Form(kind, style, partial(_parse_date, style))
        case "datetime":
            return Form(kind, style, partial(_parse_datetime, style, reading.zone))
        case "local":
            return Form(kind, style, partial(_parse_local_time, style))
        case "time":
            return Form(kind, style, _parse_time_of_day)
        case "Money":
            return Form(kind, style, partial(_parse_money, style, reading.currency, currency or reading.currency))
        case "symbol":
            return Form(kind, style, partial(_parse_money, style, "XXX", ""))


def value_forms(kinds: Sequence[Kind], reading: ReadingOptions, currency: str = "") -> tuple[Form, ...]:
    """All forms of these kinds, in every style."""
    return tuple(
        value_form(kind, style, reading, currency)
        for kind in kinds
        for style in (DAYS if kind in ("date", "datetime", "local") else NUMBERS)
        if style == "plain" or kind not in ("bool", "time")
    )


def preferred_style(styles: Sequence[Style], reading: ReadingOptions) -> Style | None:
    """The style to use if several fit; None if it is ambiguous."""
    wishes: dict[str, tuple[Style, ...]] = {
        "point": ("plain", "grouped"),
        "comma": ("comma",),
        "day-first": ("dmy",),
        "month-first": ("mdy",),
    }
    order = (*wishes.get(reading.decimal, ()), *wishes.get(reading.dates, ()), *NUMBERS[:1], *DAYS[:1])
    choice = next((style for style in order if style in styles), None)
    return styles[0] if choice is None and len(styles) == 1 else choice


_TRUTH = {"true": True, "yes": True, "false": False, "no": False}

_NUMBER = {
    "plain": re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,3})?", re.ASCII),
    "grouped": re.compile(r"-?(0|[1-9]\d*|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?", re.ASCII),
    "comma": re.compile(r"-?(0|[1-9]\d*|[1-9]\d{0,2}(\.\d{3})+)(,\d+)?", re.ASCII),
}
_DAY = {
    "ymd": re.compile(r"(?P<y>\d{4})([-/.])(?P<m>\d{2})\2(?P<d>\d{2})", re.ASCII),
    "dmy": re.compile(r"(?P<d>\d{1,2})([-/.])(?P<m>\d{1,2})\2(?P<y>\d{4})", re.ASCII),
    "mdy": re.compile(r"(?P<m>\d{1,2})([-/])(?P<d>\d{1,2})\2(?P<y>\d{4})", re.ASCII),  # nobody writes 12.31.2024
}
_DAY_SHOWN = {"ymd": "2024-12-31", "dmy": "31.12.2024", "mdy": "12/31/2024"}
_NUMBER_SHOWN = {"plain": "1234.5", "grouped": "1,234.5", "comma": "1.234,5"}
_MOMENT = re.compile(r"(\S+?)[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?) ?(Z|[+-]\d{2}:?\d{2})?", re.ASCII)
_CLOCK = re.compile(r"\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?", re.ASCII)
_MONEY = re.compile(r"(-?)([A-Z]{3}|[€£$¥]|kr)?[ \u00a0]?(-?[\d.,]+)[ \u00a0]?([A-Z]{3}|[€£$¥]|kr)?")
_AMOUNT = re.compile(r"-?\d{1,15}(\.\d{1,12})?", re.ASCII)
_SYMBOLS = {"€": "EUR", "£": "GBP"}


def _parse_bool(text: str) -> bool:
    truth = _TRUTH.get(text.strip().lower())
    if truth is None:
        raise ValueError("Use true, false, yes or no.")
    return truth


def _normalize_number(style: Style, text: str) -> str:
    """The number with a decimal point and no group separators."""
    text = text.strip()
    if not _NUMBER[style].fullmatch(text):
        raise ValueError(f"Use a number such as {_NUMBER_SHOWN[style]}.")
    if style == "comma":
        return text.replace(".", "").replace(",", ".")
    return text.replace(",", "")


def _parse_int(style: Style, text: str) -> int:
    number = _normalize_number(style, text)
    if not number.lstrip("-").isdigit() or len(number) > 18:
        raise ValueError("Use a whole number of at most 18 digits.")
    return int(number)


def _parse_float(style: Style, text: str) -> float:
    number = _normalize_number(style, text)
    if sum(map(str.isdigit, number.lower().partition("e")[0].lstrip("-0."))) > 15:
        raise ValueError("Use at most 15 digits, as many as a float has.")
    if abs(float(number)) >= LARGEST:
        raise ValueError("Use a number below 10**15 in size.")
    return float(number)


def _parse_decimal(style: Style, text: str) -> str:
    number = _normalize_number(style, text)
    number = format(Decimal(number), "f") if "e" in number.lower() else number
    if not _AMOUNT.fullmatch(number):
        raise ValueError("Use at most 15 digits before the point and 12 after it.")
    return number


def _parse_day(style: Style, text: str) -> date:
    match = _DAY[style].fullmatch(text)
    try:
        day = date(int(match["y"]), int(match["m"]), int(match["d"])) if match else None
    except ValueError:
        day = None
    if day is None:
        raise ValueError(f"Use a date that exists, such as {_DAY_SHOWN[style]}.")
    if not EARLIEST <= day <= LATEST:
        raise OutOfBoundsError(f"Use a date from {EARLIEST} to {LATEST}, or --missing for texts that mean no date.")
    return day


def _parse_date(style: Style, text: str) -> str:
    return _parse_day(style, text.strip()).isoformat()


def _parse_local_time(style: Style, text: str) -> datetime:
    """The time as written, without a zone unless the text has one."""
    match = _MOMENT.fullmatch(text.strip())
    if not match:
        raise ValueError(f"Use a time such as {_DAY_SHOWN[style]} 09:30.")
    day, clock, zone = match.groups()
    written = f"{_parse_day(style, day).isoformat()}T{clock}{zone or ''}"
    try:
        return datetime.fromisoformat(written)
    except ValueError as error:
        raise ValueError(f"Use a time that exists ({error}).") from None


def _parse_datetime(style: Style, zone: ZoneInfo | None, text: str) -> str:
    moment = _parse_local_time(style, text)
    if moment.tzinfo is None:
        if zone is None:
            raise ValueError("Add a zone such as +01:00 or Z, or use --zone.")
        moment = local_time_in_zone(moment, zone)
    if (moment.utcoffset() or timedelta()) % timedelta(minutes=1):
        raise ValueError("has an offset with seconds. Use whole minutes.")
    return moment.isoformat()


def local_time_in_zone(moment: datetime, zone: ZoneInfo) -> datetime:
    """A local time in its zone; if clocks go back and it occurs twice, the first."""
    there = moment.replace(tzinfo=zone)
    if there.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != moment:
        raise ValueError(f"That time does not exist in {zone.key}: the clocks were put forward. Use another.")
    return there


def _parse_time_of_day(text: str) -> str:
    text = text.strip()
    if not _CLOCK.fullmatch(text):
        raise ValueError("Use a time of day, HH:MM.")
    try:
        return time.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError("Use a time of day that exists, HH:MM.") from None


def _parse_money(style: Style, symbol: str, currency: str, text: str) -> str:
    match = _MONEY.fullmatch(text.strip())
    wanted = "Use an amount and a currency such as 12.50 EUR"
    if not match:
        raise ValueError(f"{wanted}.")
    sign, before, amount, after = match.groups()
    if (before and after) or (sign and amount.startswith("-")):
        raise ValueError(f"{wanted}.")
    name = before or after or currency
    if not name:
        raise ValueError(f"{wanted}.")
    code = _SYMBOLS.get(name) or (name if len(name) == 3 else symbol)
    if not code:
        raise ValueError(f"{wanted}, or say with --currency what {name} is.")
    return f"{sign}{_parse_decimal(style, amount)} {code}"


def plain_amount(text: str) -> str:
    """An amount with its sign in front, as in -45.90: banks also write 45.90-, (45.90), +45.90 and −45.90."""
    text = text.strip().replace("\u2212", "-").removeprefix("+")
    if text.startswith("(") and text.endswith(")"):
        return f"-{text[1:-1]}"
    return f"-{text[:-1].strip()}" if text.endswith("-") and len(text) > 1 else text


def is_missing_cell(raw: Json, reading: ReadingOptions) -> bool:
    """Whether a cell has no value: empty, nothing visible, or a text that means a missing value."""
    return raw is None or (isinstance(raw, str) and (is_blank(raw) or raw in reading.missing))
