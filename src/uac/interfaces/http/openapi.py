"""The OpenAPI document: the routes' own descriptions, completed by what is common to all."""

from typing import Any

from fastapi import FastAPI

from uac.interfaces.http.problems import Problem

__all__ = ["complete_openapi"]

PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
ETAG = {
    "description": "Which state of the log this is: changes with every entry.",
    "schema": {"type": "string", "examples": ['W/"12-9f86d081884c"']},
}
WHY = {
    "401": "There is no key, or it opens nothing.",
    "403": "The key is good, but not for this.",
    "404": "There is no such user or thing.",
    "409": "The Idempotency-Key was used for another request, or the request comes too late.",
    "412": "Somebody wrote since: the state that If-Match names has passed.",
    "422": "The request is not as it must be, or it is refused; `reasons` says what is to be mended.",
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


def _complete_operation(path: str, operation: dict[str, Any]) -> None:
    names = {(parameter["in"], parameter["name"].lower()) for parameter in operation.get("parameters", [])}
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
