"""The OpenAPI document: everything in it is explained, has examples, and says how it fails."""

from typing import Any

import pytest

from support.openapi_document import Operation, documented_operations

ALL = documented_operations()
DOCUMENT = ALL[0].document
SCHEMAS: dict[str, dict[str, Any]] = DOCUMENT["components"]["schemas"]
PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}


@pytest.mark.parametrize("one", ALL, ids=str)
def test_an_operation_says_what_it_does_and_what_it_takes(one: Operation) -> None:
    assert one.told["description"]
    assert one.told["tags"]
    undescribed = [
        parameter["name"] for parameter in one.told.get("parameters", []) if not parameter.get("description")
    ]
    assert undescribed == []


@pytest.mark.parametrize("one", ALL, ids=str)
def test_an_operation_says_how_it_fails(one: Operation) -> None:
    failing = {code: told["content"] for code, told in one.told["responses"].items() if code[0] in "45d"}
    assert failing == dict.fromkeys(failing, PROBLEM)
    expected = {"default"} | (set() if one.is_open else {"401", "403"}) | ({"404"} if "{" in one.path else set())
    expected |= {"409", "412"} if "if-match" in one.names("header") else set()
    expected |= {"422"} if one.body or one.names("query") else set()
    assert expected <= failing.keys()
    assert ("304" in one.told["responses"]) == ("if-none-match" in one.names("header"))


def test_every_schema_is_described() -> None:
    assert [name for name, schema in SCHEMAS.items() if not schema.get("description")] == []


def test_every_field_of_a_request_has_an_example_a_default_or_a_meaning() -> None:
    bodies = [one.body for one in ALL if one.body]
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


def test_every_part_that_is_referred_to_is_there() -> None:
    def references(part: Any) -> set[str]:
        if isinstance(part, list):
            return {found for item in part for found in references(item)}
        if not isinstance(part, dict):
            return set()
        own = {part["$ref"]} if isinstance(part.get("$ref"), str) else set()
        return own | {found for item in part.values() for found in references(item)}

    assert references(DOCUMENT) <= {f"#/components/schemas/{name}" for name in SCHEMAS}
