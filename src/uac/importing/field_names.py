"""Field names derived from column names."""

import re
import unicodedata
from collections.abc import Iterable

from uac.errors import Refused
from uac.schema.types import RESERVED, check_name

__all__ = ["field_name_for", "field_names"]


MAX_NAME = 63


def field_name_for(column: str, number: int) -> str:
    """The field name for a column: "Cost (USD)" gives cost_usd, "startDate" start_date, "id" id_, "?" column_3."""
    text = unicodedata.normalize("NFKD", column.replace("ß", "ss")).encode("ascii", "ignore").decode()
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", text)
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    if not name:
        name = f"column_{number}"
    elif name[0].isdigit():
        name = f"column_{name}"
    name = name[:MAX_NAME].rstrip("_")
    return f"{name}_" if name in RESERVED else name


def field_names(columns: Iterable[str]) -> dict[str, str]:
    """A unique name for each column: columns that are valid names keep them, and the others avoid those."""
    listed = list(columns)
    plain = {column: field_name_for(column, number) for number, column in enumerate(listed, 1)}
    taken = {column for column in listed if is_field_name(column)}
    names: dict[str, str] = {column: column for column in taken}
    for column in listed:
        if column in taken:
            continue
        name, number = plain[column], 2
        while name in taken or name in names.values():
            name = f"{plain[column][: MAX_NAME - 6]}_{number}"
            number += 1
        names[column] = name
    return {column: names[column] for column in listed}


def is_field_name(column: str) -> bool:
    """Whether a column name is already a valid field name; capital letters are reserved for types."""
    try:
        check_name(column, "field", reserved=RESERVED)
    except Refused:
        return False
    return column == column.lower()
