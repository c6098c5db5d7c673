"""Patches in the form that was asked for.

Models write numbers as texts, one value for a list of one, a moment for a day and null for what is not known. Where
that can mean one thing only, it is read so, and nothing is asked again."""

import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any

import msgspec

from uac.schema.patches import Amend, Patch, Put
from uac.schema.types import FieldType, Json, Type, field_types
from uac.text.lazy_pattern import lazy_pattern

__all__ = ["plain_patch_item", "with_plain_values", "with_whole_days"]


def plain_patch_item(item: Any) -> Any:
    """An item of a reply with its operation in lower case, and a list of citations with facts as numbers."""
    if not isinstance(item, dict):
        return item
    plain = dict(item)
    if isinstance(op := item.get("op"), str):
        plain["op"] = op.strip().lower()
    if (cites := item.get("cites")) is not None:
        listed = cites if isinstance(cites, list) else [cites]
        plain["cites"] = [_fact_number(cited) for cited in listed]
    if isinstance(when := item.get("when"), str) and (moment := _MOMENT_WITHOUT_ZONE.fullmatch(when.strip())):
        plain["when"] = moment[1]
    return plain


def _fact_number(cited: Any) -> Any:
    named = _FACT_NUMBER.fullmatch(cited.strip()) if isinstance(cited, str) else None
    return int(named[1]) if named else cited


def with_plain_values(patch: Patch, types: Mapping[str, Type]) -> Patch:
    """The patch with each value as its field's type has it; values that fit in no way stay as they are.

    Null says that nothing is known, so such a field is left out: it must not remove what an earlier fact stated. A
    patch that says only that takes the value back on purpose.
    """
    name = patch.type if isinstance(patch, Put) else patch.record.partition(":")[0] if isinstance(patch, Amend) else ""
    if name not in types or not isinstance(patch, Put | Amend):
        return patch
    kinds = field_types(types[name])
    fields = {name: _plain_value(raw, kinds[name]) if name in kinds else raw for name, raw in patch.fields.items()}
    known = {name: raw for name, raw in fields.items() if raw is not None}
    return msgspec.structs.replace(patch, fields=known or fields)


def with_whole_days(fields: Mapping[str, Json], type_: Type | None, said: datetime) -> dict[str, Json]:
    """The fields of something that takes whole days, with midnight for each day that is given without an hour; for an
    end, the midnight after that day, as in calendars. The offset is that of the day of saying."""
    found = dict(fields)
    if type_ is None or type_.field("all_day") is None or fields.get("all_day") is not True:
        return found
    for name, parsed in field_types(type_).items():
        raw = fields.get(name)
        if parsed.kind == "datetime" and isinstance(raw, str) and _DAY.fullmatch(raw.strip()):
            try:
                day = date.fromisoformat(raw.strip()) + timedelta(days=1 if name == "ends" else 0)
            except (ValueError, OverflowError):
                continue  # refused later, as no date that exists
            found[name] = datetime.combine(day, time(), said.tzinfo).isoformat()
    return found


def _plain_value(raw: Json, type_: FieldType) -> Json:
    if type_.kind == "list" and type_.item is not None:
        listed = raw if isinstance(raw, list) else [] if raw is None else [raw]
        return [_plain_value(item, type_.item) for item in listed]
    if isinstance(raw, list) and len(raw) == 1:
        raw = raw[0]
    if isinstance(raw, str):
        return _plain_text(raw, type_)
    match type_.kind:
        case "Decimal" if isinstance(raw, float):
            return str(raw)  # floats of JSON are not exact
        case "int" if isinstance(raw, float) and raw.is_integer() and abs(raw) < 10**15:
            return int(raw)
        case "str" if type(raw) is int:
            return str(raw)
        case "Money" if isinstance(raw, dict) and isinstance(raw.get("amount"), float):
            return {**raw, "amount": str(raw["amount"])}
    return raw


def _plain_text(raw: str, type_: FieldType) -> Json:
    """A text as a value of the type."""
    text = raw.strip()
    if not text and type_.optional:
        return None
    match type_.kind:
        case "int" if re.fullmatch(r"-?[0-9]{1,15}", text):
            return int(text)
        case "float" if re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", text):
            return float(text)
        case "bool" if text.lower() in ("true", "false"):
            return text.lower() == "true"
        case "date" if moment := _MOMENT.fullmatch(text):
            return moment[1]
        case "datetime" if moment := _MOMENT.fullmatch(text):
            return text.replace(" ", "T", 1)
        case "time" if re.fullmatch(r"[0-9]:[0-9]{2}", text):
            return f"0{text}"
        case "Money" if amount := _CODE_FIRST.fullmatch(text):
            return f"{amount[2]} {amount[1]}"
        case "choice":
            fitting = [choice for choice in type_.choices if choice.casefold() == text.casefold()]
            return fitting[0] if len(fitting) == 1 else raw
    return raw


_FACT_NUMBER = lazy_pattern(r"(?:facts?\s*[:#]?\s*|#)?([0-9]{1,15})", re.IGNORECASE | re.ASCII)
_DAY = lazy_pattern(r"\d{4}-\d\d-\d\d", re.ASCII)
_MOMENT = lazy_pattern(r"(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?", re.ASCII)
_MOMENT_WITHOUT_ZONE = lazy_pattern(r"(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?", re.ASCII)
_CODE_FIRST = lazy_pattern(r"([A-Z]{3}) (-?\d+(?:\.\d+)?)", re.ASCII)
