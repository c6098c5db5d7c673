"""JSON in few tokens that a person can still read."""

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["json_lines"]


def json_lines(content: Mapping[str, Any]) -> str:
    """An object with one line for each item of its lists and objects."""
    lines = []
    for name, value in content.items():
        opening, closing = "[]" if isinstance(value, list) else "{}"
        if isinstance(value, list):
            items = [_json_text(item) for item in value]
        elif isinstance(value, dict):
            items = [f"{_json_text(key)}: {_json_text(item)}" for key, item in value.items()]
        else:
            lines.append(f"{_json_text(name)}: {_json_text(value)}")
            continue
        inside = "\n" + ",\n".join(items) + "\n" if items else ""
        lines.append(f"{_json_text(name)}: {opening}{inside}{closing}")
    return "{" + ",\n".join(lines) + "}"


def _json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
