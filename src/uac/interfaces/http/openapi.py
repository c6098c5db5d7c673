"""The OpenAPI document: the routes' own descriptions, completed by what is common to all."""

from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.routing import APIRoute

from uac.interfaces.http.problems import Problem

__all__ = ["complete_openapi", "inlined_schema", "media_type_response", "operation_name", "resolve_schema"]

PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
ETAG = {
    "description": "Which state of the log this is: changes with every entry.",
    "schema": {"type": "string", "examples": ['W/"12-9f86d081884c"']},
}
WHY = {
    "401": "No key was sent, or it is not valid.",
    "403": "The key is valid, but does not allow this.",
    "404": "The user or item does not exist.",
    "409": "The Idempotency-Key was used for another request, or the request comes too late.",
    "412": "The log has changed since the state that If-Match names.",
    "422": "The request is malformed or was refused; `reasons` lists what to correct.",
}
METHODS = ("get", "put", "post", "delete", "patch")


def complete_openapi(app: FastAPI) -> None:
    """Make the application's document list every answer, also errors."""
    plain = app.openapi
    made: dict[str, Any] = {}

    def openapi() -> dict[str, Any]:
        if not made:
            made.update(_complete_document(plain()))
        return made

    app.openapi = openapi  # type: ignore[method-assign]  # as the framework documents it


def _complete_document(document: dict[str, Any]) -> dict[str, Any]:
    schemas = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problem"] = Problem.model_json_schema()
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                _complete_operation(path, item[method])
    return document


def operation_name(route: APIRoute) -> str:
    """The operationId, which generators make the name of a function: a verb and what it is done to."""
    name = getattr(route.endpoint, "__name__", route.name)
    return _OPERATION_NAMES.get(name, name)


_OPERATION_NAMES = {
    "acknowledge": "acknowledge_alert",
    "active_alerts": "list_alerts",
    "alert_history": "list_alert_changes",
    "answer": "answer_request",
    "ask": "ask_question",
    "checkpoint": "apply_checkpoint",
    "compute": "compute_code",
    "conflicts": "list_conflicts",
    "context": "build_context",
    "correct": "correct_field",
    "cost": "get_cost",
    "coverage": "get_coverage",
    "define": "define_type",
    "end": "end_record",
    "erase": "erase_entries",
    "events": "stream_events",
    "healthz": "check_health",
    "learn": "learn_facts",
    "manifest": "get_manifest",
    "memory_history": "list_memory_changes",
    "pending": "list_pending_requests",
    "project_file": "read_project_file",
    "project_files": "list_project_files",
    "readyz": "check_readiness",
    "recall": "recall_memories",
    "remember": "remember_words",
    "retract": "retract_entries",
    "snooze": "snooze_alert",
    "tick": "advance_time",
    "types": "list_types",
    "version": "get_version",
}


def _complete_operation(path: str, operation: dict[str, Any]) -> None:
    names = {(parameter["in"], parameter["name"].lower()) for parameter in operation.get("parameters", [])}
    operation["summary"] = operation["operationId"].replace("_", " ").capitalize()
    answers = operation["responses"]
    codes = [*(["401", "403"] if operation.get("security") else []), *(["404"] if "{" in path else [])]
    codes += ["412", "409"] if ("header", "if-match") in names else []
    codes += ["422"] if names or "requestBody" in operation else []
    for code in codes:
        answers.setdefault(code, {"description": WHY[code]})
    if ("header", "if-none-match") in names:
        answers.setdefault("304", {"description": "Nothing is new since the state that If-None-Match names."})
    for code, answer in answers.items():
        if code == "422":
            answer["description"] = WHY[code]
        if code == "default" or code[0] in "45":
            answer["content"] = PROBLEM
        elif ("path", "user") in names and code in ("200", "201", "304"):
            answer.setdefault("headers", {})["ETag"] = ETAG
    operation["responses"] = dict(sorted(answers.items()))


def resolve_schema(schema: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def inlined_schema(kind: Any) -> dict[str, Any]:
    """The JSON schema of a value of the library, without references: the model around it has definitions of its own."""
    (schema,), parts = msgspec.json.schema_components([kind], ref_template="{name}")
    found: dict[str, Any] = _inline_openapi_references(schema, parts)
    return found


def _inline_openapi_references(schema: Any, parts: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inline_openapi_references(item, parts) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {
            **_inline_openapi_references(parts[schema["$ref"]], parts),
            **{k: v for k, v in schema.items() if k != "$ref"},
        }
    # Which patch is meant follows from its `op`; a discriminator would need names to refer to.
    return {key: _inline_openapi_references(value, parts) for key, value in schema.items() if key != "discriminator"}


def media_type_response(media_type: str) -> dict[int | str, dict[str, Any]]:
    """The answer of a route that does not return JSON."""
    return {200: {"content": {media_type: {"schema": {"type": "string"}}}}}
