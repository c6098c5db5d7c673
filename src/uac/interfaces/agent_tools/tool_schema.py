"""The JSON schemas of tools: without references, and described in words for a refusal."""

from typing import Any

import msgspec

__all__ = ["describe_tool_schema", "tool_json_schema", "tool_subschema"]


def tool_json_schema(kind: type) -> dict[str, Any]:
    """The JSON schema without references: some clients do not follow them."""
    (schema,), parts = msgspec.json.schema_components([kind], ref_template="{name}")
    whole = _inline_tool_references(schema, parts)
    assert isinstance(whole, dict)
    return whole


def _inline_tool_references(schema: Any, parts: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inline_tool_references(item, parts) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return {**_inline_tool_references(parts[schema["$ref"]], parts), **_inline_tool_references(rest, parts)}
    found = {
        key: _inline_tool_references(value, parts)
        for key, value in schema.items()
        if key != "title" or isinstance(value, dict)
    }
    return {"type": "string", **found} if "enum" in found and "type" not in found else found


def tool_subschema(schema: dict[str, Any], steps: list[str]) -> dict[str, Any]:
    """The schema of the part at a path."""
    for step in steps:
        below = schema.get("items") if step.startswith("[") else schema.get("properties", {}).get(step.lstrip("."))
        if not isinstance(below, dict):
            return {}
        schema = below
    return schema


def describe_tool_schema(schema: dict[str, Any]) -> str:
    if "properties" in schema:
        required = schema.get("required", [])
        names = [name + ("" if name in required else "?") for name in schema["properties"]]
        return f"an object with {', '.join(names)} (? may be left out)"
    kind = f"one of {', '.join(schema['enum'])}" if "enum" in schema else str(schema.get("type", ""))
    limits = [f"{name} {schema[name]}" for name in _LIMITS if name in schema]
    return ". ".join(
        part for part in (", ".join([*filter(None, [kind]), *limits]), schema.get("description", "")) if part
    )


_LIMITS = ("minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum")
