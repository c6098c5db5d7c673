"""The JSON schemas of replies: which of them the vendors' strict modes would damage."""

from collections.abc import Iterator, Mapping

__all__ = ["has_free_form_objects"]


def has_free_form_objects(schema: object) -> bool:
    """Whether a reply may have objects with any fields, or values of any kind."""
    return any(_is_free_form_reply(node) for node in _reply_schema_nodes(schema))


def _reply_schema_nodes(schema: object) -> Iterator[Mapping[str, object]]:
    """A schema and all schemas inside it."""
    if not isinstance(schema, dict):
        return
    yield schema
    for word in ("properties", "$defs", "definitions"):
        for inner in (schema.get(word) or {}).values():
            yield from _reply_schema_nodes(inner)
    for word in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for inner in schema.get(word) or ():
            yield from _reply_schema_nodes(inner)
    yield from _reply_schema_nodes(schema.get("items"))


def _is_free_form_reply(node: Mapping[str, object]) -> bool:
    """True for an object with any fields, and for a value of any kind."""
    kinds = node.get("type")
    if kinds == "object" or (isinstance(kinds, list) and "object" in kinds):
        return "properties" not in node or node.get("additionalProperties", False) is not False
    return not node.keys() & {"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"}
