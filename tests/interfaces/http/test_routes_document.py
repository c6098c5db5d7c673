"""The OpenAPI document: everything in it is explained, has examples, and says how it fails."""

import re
from typing import Any

import pytest

from support.openapi_document import Operation, documented_operations

PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}


@pytest.fixture(scope="module")
def operations() -> tuple[Operation, ...]:
    """Of the service; its document is not made when the tests are collected, because every process would do that."""
    found = documented_operations()
    assert len(found) > 50
    return found


@pytest.fixture(scope="module")
def schemas(operations: tuple[Operation, ...]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = operations[0].document["components"]["schemas"]
    return found


def test_every_operation_has_a_short_name_of_its_own_that_starts_with_a_verb(operations: tuple[Operation, ...]) -> None:
    names = [one.told["operationId"] for one in operations]
    assert len(names) == len(set(names))
    assert [name for name in names if not re.fullmatch(r"[a-z]+(_[a-z0-9]+){1,3}", name)] == []
    assert {"list_records", "put_record", "recall_memories", "list_alerts", "define_type"} <= set(names)


def test_every_operation_says_what_it_does_and_what_it_takes(operations: tuple[Operation, ...]) -> None:
    assert [str(one) for one in operations if not one.told["description"] or not one.told["tags"]] == []
    undescribed = [
        f"{one}: {parameter['name']}"
        for one in operations
        for parameter in one.told.get("parameters", [])
        if not parameter.get("description")
    ]
    assert undescribed == []


def test_every_operation_says_how_it_fails(operations: tuple[Operation, ...]) -> None:
    for one in operations:
        failing = {code: told["content"] for code, told in one.told["responses"].items() if code[0] in "45d"}
        assert failing == dict.fromkeys(failing, PROBLEM), one
        expected = {"default"} | (set() if one.is_open else {"401", "403"}) | ({"404"} if "{" in one.path else set())
        expected |= {"409", "412"} if "if-match" in one.names("header") else set()
        expected |= {"422"} if one.body or one.names("query") else set()
        assert expected <= failing.keys(), one
        assert ("304" in one.told["responses"]) == ("if-none-match" in one.names("header")), one


def test_every_schema_is_described(schemas: dict[str, dict[str, Any]]) -> None:
    assert [name for name, schema in schemas.items() if not schema.get("description")] == []


def test_every_field_of_a_request_has_an_example_a_default_or_a_meaning(operations: tuple[Operation, ...]) -> None:
    bodies = [one.body for one in operations if one.body]
    bare = [
        f"{body['title']}.{name}"
        for body in bodies
        for name, schema in body["properties"].items()
        if not {"examples", "default", "description", "$ref", "enum", "type"} & schema.keys()
    ]
    assert bare == []
    required = [
        f"{body['title']}.{name}"
        for body in bodies
        for name in body.get("required", [])
        if not {"examples", "$ref", "enum", "items"} & body["properties"][name].keys()
    ]
    assert required == []


def test_every_part_that_is_referred_to_is_there(
    operations: tuple[Operation, ...], schemas: dict[str, dict[str, Any]]
) -> None:
    def references(part: Any) -> set[str]:
        if isinstance(part, list):
            return {found for item in part for found in references(item)}
        if not isinstance(part, dict):
            return set()
        own = {part["$ref"]} if isinstance(part.get("$ref"), str) else set()
        return own | {found for item in part.values() for found in references(item)}

    assert references(operations[0].document) <= {f"#/components/schemas/{name}" for name in schemas}
