"""The filters of mem0: conditions on the fields of a memory."""

from collections.abc import Mapping
from typing import Any

from uac.interfaces.mem0.arguments import Invalid

__all__ = ["matches_filters"]


def matches_filters(payload: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    """Whether a memory with these fields satisfies all conditions; AND, OR and NOT take lists of conditions."""
    return all(_matches_filter(payload, name, wanted) for name, wanted in filters.items())


def _matches_filter(payload: Mapping[str, Any], name: str, wanted: Any) -> bool:
    if name in ("AND", "OR", "NOT"):
        wanted = [wanted] if name == "NOT" and isinstance(wanted, Mapping) else wanted
        if not isinstance(wanted, list) or not all(isinstance(part, Mapping) for part in wanted):
            raise Invalid(f"filters: {name} is {wanted!r}. Use a list of conditions.")
        results = [matches_filters(payload, part) for part in wanted]
        return all(results) if name == "AND" else any(results) if name == "OR" else not any(results)
    if not isinstance(wanted, Mapping):
        if wanted == "*":
            return payload.get(name) is not None
        return _compare_filter_values("in" if isinstance(wanted, list) else "eq", payload.get(name), wanted)
    return all(_compare_filter_values(operator, payload.get(name), value) for operator, value in wanted.items())


def _compare_filter_values(operator: str, value: Any, wanted: Any) -> bool:
    """A missing value equals nothing, and differs from everything."""
    values = value if isinstance(value, list) else [value]  # a list matches if one of its values does
    match operator:
        case "eq":
            return value == wanted or wanted in values
        case "ne":
            return not (value == wanted or wanted in values)
        case "in":
            return value is not None and any(one in wanted for one in values)
        case "nin":
            return not any(one in wanted for one in values)
        case "contains":
            return value is not None and str(wanted) in _filter_value_text(value)
        case "icontains":
            return value is not None and str(wanted).casefold() in _filter_value_text(value).casefold()
        case "gt" | "gte" | "lt" | "lte":
            return _compare_filter_order(operator, value, wanted)
    raise Invalid(f"filters: {operator!r} is not a comparison. Use eq, ne, in, nin, gt, gte, lt, lte or contains.")


def _filter_value_text(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _compare_filter_order(operator: str, value: Any, wanted: Any) -> bool:
    try:
        return bool(
            value > wanted
            if operator == "gt"
            else value >= wanted
            if operator == "gte"
            else value < wanted
            if operator == "lt"
            else value <= wanted
        )
    except TypeError:  # a number and a text, or a missing value
        return False
