"""All routes as a page for people, made from the OpenAPI document: no script, and nothing from another host."""

import base64
import hashlib
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse

from uac.display.html import Markup, element
from uac.interfaces.http.openapi import resolve_schema

__all__ = ["PATH", "schema_example", "serve_docs_page"]

PATH = "/docs"
METHODS = ("get", "post", "put", "patch", "delete")
SERVICE = "http://127.0.0.1:8311"
"""Stands in every line until it is known by which name the service was asked."""

STYLE = (Path(__file__).parent / "docs_page.css").read_text(encoding="utf-8")
"""The inspector's look; it is part of the page, so that the page needs nothing else."""
_DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; frame-ancestors 'none'"

HEAD = Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">')


class Operation(NamedTuple):
    """One operation of the document."""

    method: str
    path: str
    described: dict[str, Any]

    @property
    def anchor(self) -> str:
        """Its anchor on the page."""
        return re.sub(r"\W+", "-", f"{self.method}{self.path}").strip("-")


def serve_docs_page(app: FastAPI) -> None:
    """Serve the page at /docs. It tells nothing that /openapi.json does not, so it needs no key either."""
    made: list[str] = []

    def routes(request: Request) -> Response:
        if not made:
            made.append(_docs_page_html(app.openapi()))
        address = str(request.base_url).rstrip("/")
        # What a client calls the host ends up in lines for a shell.
        service = address if re.fullmatch(r"https?://[A-Za-z0-9.:\[\]/_-]+", address) else SERVICE
        return HTMLResponse(made[0].replace(SERVICE, service), headers={"Content-Security-Policy": POLICY})

    app.add_api_route(PATH, routes, include_in_schema=False, response_class=HTMLResponse)


def _docs_page_html(document: dict[str, Any]) -> str:
    title = f"{document['info']['title']} {document['info']['version']}"
    groups: dict[str, list[Operation]] = {}
    for operation in _openapi_operations(document):
        groups.setdefault((operation.described.get("tags") or ["other"])[0], []).append(operation)
    introduction = [
        element("h1", title),
        *(element("p", *_docs_page_prose(text)) for text in document["info"]["description"].strip().split("\n\n")),
        element(
            "p",
            "Programs read the same as ",
            element("a", "/openapi.json", href="openapi.json"),
            ". The lines below take the key from a file: ",
            element("code", "(umask 077; echo 'Authorization: Bearer uac_…' > key.txt)"),
            ".",
        ),
    ]
    contents = [_contents_section(name, group) for name, group in groups.items()]
    operations = [_operation_group_html(name, group, document) for name, group in groups.items()]
    body = element(
        "div",
        element("header", *introduction),
        element("nav", *contents, aria_label="All routes"),
        element("main", *operations),
        class_="shell",
    )
    head = element("head", HEAD, element("title", title), element("style", Markup(STYLE)))
    return f"<!doctype html>{element('html', head, element('body', body), lang='en')}"


def _openapi_operations(document: dict[str, Any]) -> Iterator[Operation]:
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield Operation(method, path, item[method])


def _contents_section(name: str, group: list[Operation]) -> Markup:
    lines = [
        element("li", element("a", element("code", f"{each.method.upper()} {each.path}"), href=f"#{each.anchor}"))
        for each in group
    ]
    return element("details", element("summary", name), element("ul", *lines))


def _operation_group_html(name: str, group: list[Operation], document: dict[str, Any]) -> Markup:
    return element("section", element("h2", name), *(_operation_html(each, document) for each in group))


def _operation_html(operation: Operation, document: dict[str, Any]) -> Markup:
    described = operation.described
    rows = [
        (
            one["name"],
            one["in"],
            _schema_type_name(one["schema"]),
            one.get("required", False),
            one.get("description", ""),
        )
        for one in described.get("parameters", [])
    ]
    body = _body_schema(operation, document)
    needed = body.get("required", [])
    rows += [
        (name, "body", _schema_type_name(part), name in needed, resolve_schema(part, document).get("description", ""))
        for name, part in body.get("properties", {}).items()
    ]
    answers = [
        f"{code} {answer['description']}" for code, answer in described["responses"].items() if code != "default"
    ]
    return element(
        "article",
        element("h3", element("code", f"{operation.method.upper()} {operation.path}"), id=operation.anchor),
        element("p", *_docs_page_prose(described.get("description") or described.get("summary", ""))),
        element("pre", element("code", _curl_example(operation, document)), tabindex="0"),
        *([_fields_table(rows)] if rows else []),
        element("p", element("span", "Answers: ", class_="muted"), *_docs_page_prose(" · ".join(answers))),
    )


def _fields_table(rows: list[tuple[str, str, str, bool, str]]) -> Markup:
    heads = element("tr", *(element("th", head, scope="col") for head in ("Name", "In", "Type", "Needed", "Meaning")))
    lines = [
        element(
            "tr",
            element("th", element("code", field), scope="row"),
            element("td", place),
            element("td", element("code", kind)),
            element("td", "yes" if is_needed else "no"),
            element("td", *_docs_page_prose(about)),
        )
        for field, place, kind, is_needed, about in rows
    ]
    whole = element("table", element("thead", heads), element("tbody", *lines))
    return element("div", whole, class_="wide", tabindex="0")


def _docs_page_prose(text: str) -> list[Markup | str]:
    """Text of the document, with code between backticks."""
    return [element("code", part) if number % 2 else part for number, part in enumerate(text.split("`"))]


def _curl_example(operation: Operation, document: dict[str, Any]) -> str:
    """The request as curl makes it, with the examples of the document."""
    path, query = operation.path, {}
    for one in operation.described.get("parameters", []):
        value = schema_example({**one["schema"], **one}, document)
        if one["in"] == "path":
            path = path.replace(f"{{{one['name']}}}", quote(str(value), safe=":"))
        elif one["in"] == "query" and one.get("required"):
            query[one["name"]] = value
    address = shlex.quote(f"{SERVICE}{path}{f'?{urlencode(query)}' if query else ''}")
    key = " -H @key.txt" if operation.described.get("security") else ""
    body = _body_schema(operation, document)
    sent = shlex.quote(json.dumps(schema_example(body, document), ensure_ascii=False)) if body else ""
    plain = "post" if body else "get"
    method = "" if operation.method == plain else f" -X {operation.method.upper()}"
    return f"curl{method}{key} {address}" + (f" \\\n  --json {sent}" if body else "")


def _body_schema(operation: Operation, document: dict[str, Any]) -> dict[str, Any]:
    """The schema of the body; empty if it takes none."""
    content = operation.described.get("requestBody", {}).get("content", {})
    return resolve_schema(content["application/json"]["schema"], document) if content else {}


def _schema_type_name(schema: dict[str, Any]) -> str:
    """The kind of a value, in few words."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_schema_type_name(part) for part in schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    if schema.get("type") == "array":
        return f"list of {_schema_type_name(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("const") or schema.get("type", "any"))


def schema_example(schema: dict[str, Any], document: dict[str, Any]) -> Any:
    """A value as the document shows one; of an object, what it cannot do without."""
    schema = resolve_schema(schema, document)
    if schema.get("examples"):
        return schema["examples"][0]
    for name in ("default", "const"):
        if name in schema:
            return schema[name]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return schema_example(schema["anyOf"][0], document)
    match schema.get("type"):
        case "object":
            parts = schema.get("properties", {})
            return {name: schema_example(parts[name], document) for name in schema.get("required", [])}
        case "array":
            return [schema_example(schema["items"], document)] if schema.get("minItems") else []
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
    return "x"
