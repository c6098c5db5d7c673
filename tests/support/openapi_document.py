"""Requests made from the OpenAPI document: one right request for each operation, with what the document gives as examples."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from fastapi import FastAPI

from support.http_service import app_over
from uac.interfaces.http.docs_page import schema_example
from uac.interfaces.http.openapi import resolve_schema
from uac.log.stores.in_memory import MemoryStore

METHODS = ("get", "post", "put", "delete", "patch")


@dataclass(frozen=True)
class Operation:
    """An operation of the document."""

    method: str
    path: str
    told: dict[str, Any] = field(repr=False)
    document: dict[str, Any] = field(repr=False)

    def __str__(self) -> str:
        return f"{self.method.upper()} {self.path}"

    @property
    def is_open(self) -> bool:
        """Whether it takes no key."""
        return not self.told.get("security")

    @property
    def body(self) -> dict[str, Any]:
        """The schema of the body; empty if it takes none."""
        content = self.told.get("requestBody", {}).get("content", {})
        return resolve_schema(content["application/json"]["schema"], self.document) if content else {}

    def names(self, place: str) -> dict[str, dict[str, Any]]:
        """The parameters in the path, the query or the headers, with their schemas."""
        told = self.told.get("parameters", [])
        return {one["name"]: {**one["schema"], **one} for one in told if one["in"] == place}

    def request(self, values: dict[str, Any]) -> dict[str, Any]:
        """What an HTTP client sends: the values given, by the names of parameters and fields, else examples.

        Values that are for one operation alone stand under its name.
        """
        path, values = self.path, {**values, **values.get(str(self), {})}
        for name, schema in self.names("path").items():
            path = path.replace(f"{{{name}}}", str(values.get(name, schema_example(schema, self.document))))
        query = {
            name: values.get(name, schema_example(schema, self.document))
            for name, schema in self.names("query").items()
            if schema.get("required") or name in values
        }
        asked: dict[str, Any] = {"method": self.method, "url": path, "params": query}
        if self.body:
            given = {name: values[name] for name in self.body.get("properties", {}) if name in values}
            asked["json"] = {**schema_example(self.body, self.document), **given}
        return asked


@cache
def documented_operations() -> tuple[Operation, ...]:
    """The operations of the service; its document is made once, because that takes a while."""
    return tuple(operations(app_over(MemoryStore())))


def operations(app: FastAPI) -> Iterator[Operation]:
    document = app.openapi()
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield Operation(method, path, item[method], document)
