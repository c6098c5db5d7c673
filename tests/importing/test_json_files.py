"""JSON files: what their items are, and where they stop being JSON."""

import json

import pytest

from support.importing import quiet
from uac.errors import Refused
from uac.importing import BadLine, JsonObjects, PlanOptions, SentFile, SourceLine, plan_import
from uac.importing import json_files as json_files_module
from uac.importing.files import TOO_LONG
from uac.schema.entries import MAX_BYTES


def read_list(text: str) -> list[object]:
    return list(JsonObjects(SentFile("a.json", text.encode())).read(quiet))


def read_lines(text: str) -> list[object]:
    return list(JsonObjects(SentFile("a.jsonl", text.encode()), is_lines=True, noun="line").read(quiet))


@pytest.mark.parametrize(
    ("item", "kind"),
    [
        ("null", "null"),
        ("[1]", "a list"),
        ('"x"', "text"),
        ("true", "true or false"),
        ("1", "a number"),
        ("1.5", "a number"),
    ],
)
def test_an_item_that_is_not_an_object_is_a_bad_line_that_says_what_it_is(item: str, kind: str) -> None:
    (bad,) = read_list(f"[{item}]")
    assert isinstance(bad, BadLine)
    assert bad.why.startswith(f"is {kind}")
    assert read_lines(item) == [bad]


def test_a_line_that_is_nested_too_deeply_or_too_long_is_a_bad_line() -> None:
    deep = "[" * 100_000
    long = json.dumps({"a": "x" * MAX_BYTES})
    assert read_lines(f'{deep}\n{long}\n{{"a": 1}}') == [
        BadLine(1, "is not JSON: nested too deeply. Correct it."),
        BadLine(2, TOO_LONG),
        SourceLine(3, '{"a": 1}', {"a": 1}),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{5: [{"a": 1}]}', "line 1 has 5 in place of a name"),
        ('{"list"\n [{"a": 1}]}', "line 2 has no ':' where one must be"),
        ('{"list": [{"a": 1}]', "line 1 is not JSON"),
    ],
)
def test_a_malformed_object_around_the_list_is_refused_with_its_line(text: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        read_list(text)


def test_an_item_beyond_the_limit_is_refused_without_reading_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_files_module, "CHUNK", 64)
    monkeypatch.setattr(json_files_module, "MAX_ITEM", 1 << 20)
    read: list[int] = []
    sent = SentFile("a.json", b'[{"a": 1},\n{"a": "' + b"x" * (5 << 20) + b'"}]')
    with pytest.raises(Refused, match=r"a\.json: line 2 begins a value of more than 1 MiB"):
        list(JsonObjects(sent).read(read.append))
    assert sum(read) < 3 << 20


@pytest.mark.parametrize(
    ("items", "type_name"),
    [
        ("[true, false]", "list[bool]"),
        ("[1, 2]", "list[int]"),
        ("[1.5]", "list[float]"),
        ("[1, 1.5]", "list[float]"),
        ('[1, "x"]', "list[str]"),
        ("[]", "list[str]"),
    ],
)
def test_the_type_of_a_list_is_that_of_all_its_items(items: str, type_name: str) -> None:
    source = JsonObjects(SentFile("a.json", f'[{{"n": 1, "items": {items}}}]'.encode()))
    plan = plan_import(source, None, PlanOptions("some.Thing"), quiet)
    assert {field.name: field.type for field in plan.type.fields} == {"n": "int", "items": type_name}


def test_a_list_with_a_null_is_refused_with_its_column() -> None:
    source = JsonObjects(SentFile("a.json", b'[{"items": [1, null]}]'))
    with pytest.raises(Refused, match="column 'items'"):
        plan_import(source, None, PlanOptions("some.Thing"), quiet)
