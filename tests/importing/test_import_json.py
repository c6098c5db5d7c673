"""JSON files become typed records, and a bad item does not stop the rest."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support.importing import file, imported, memory_at, quiet, told, uac, values
from uac.importing import BadLine, JsonObjects, PlanOptions, Skipped
from uac.importing import json_files as objects_module
from uac.schema.entries import Observation


def test_json_objects_become_records_and_inner_objects_are_joined(store: Path) -> None:
    books = [
        {"title": "Emma", "isbn": "1", "pages": 474, "by": {"name": "Jane", "born": "1775-12-16"}, "tags": ["a", "b"]},
        {"title": "Ulysses", "isbn": "2", "pages": 730.5, "by": {"name": "James"}, "tags": None, "read": True},
    ]
    result = uac("import", "ana", file("books.json", json.dumps(books, indent=1)), "--as", "reading.Book", "--yes")
    assert result.exit_code == 0
    type_ = memory_at(store).project().types["reading.Book"]
    assert {field.name: (field.type, field.doc) for field in type_.fields} == {
        "title": ("str", ""),
        "isbn": ("str", ""),
        "pages": ("float", ""),
        "by_name": ("str", "by.name"),
        "by_born": ("date | None", "by.born"),
        "tags": ("list[str]", ""),
        "read": ("bool | None", ""),
    }
    assert values(store, "reading.Book") == [
        {
            "title": "Emma",
            "isbn": "1",
            "pages": 474.0,
            "by_name": "Jane",
            "by_born": date(1775, 12, 16),
            "tags": ("a", "b"),
            "read": None,
        },
        {
            "title": "Ulysses",
            "isbn": "2",
            "pages": 730.5,
            "by_name": "James",
            "by_born": None,
            "tags": (),
            "read": True,
        },
    ]
    first = next(memory_at(store).log.read(1, 2)).entry
    assert isinstance(first, Observation)
    assert first.text == json.dumps(books[0], separators=(",", ":"))


def test_an_object_with_one_list_is_a_list_and_the_rest_is_told(store: Path) -> None:
    name = file("f.json", '{"version": 2, "things": [{"a": 1}, {"a": 2}], "next": {"page": null}}')
    result = uac("import", "ana", name, "--as", "some.Thing", "--yes", "--json")
    assert told(result)[-1]["left_out"] == {"value 'version' beside the list": 1, "value 'next' beside the list": 1}
    assert values(store, "some.Thing") == [{"a": 1}, {"a": 2}]


def test_json_values_that_no_record_can_hold_break_their_item_only(store: Path) -> None:
    items = [
        '{"a": 1}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1e999}',
        f'{{"a": {"9" * 5000}}}',
        '{"a": 1, "a": 2}',
        '{"b.c": 1, "b": {"c": 2}}',
        '{"a": "\\ud800"}',
        "[1]",
        "null",
        '{"a": 5}',
    ]
    for name, text in (("f.json", f"[{','.join(items)}]"), ("f.jsonl", "\n".join(items))):
        result = uac("import", "ana", file(name, text), "--as", f"some.{name[2:].title()}", "--yes", "--json")
        _plan, *broken, summary = told(result)
        assert [found["why"] for found in broken] == [
            *["a is not a finite number of a usable size. Use one below 10**15."] * 4,
            "'a' occurs twice in one object. Remove one.",
            "has two names that are equal once inner objects are joined with a dot. Rename one.",
            "has a lone surrogate, which UTF-8 cannot encode. Remove it.",
            "is a list. Use an object.",
            "is null. Use an object.",
        ]
        assert summary["records"] == 2


def test_values_of_several_kinds_and_huge_integers_are_kept_as_text(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text('[{"a": 1, "b": 12345678901234567890, "c": [1, "x"]}, {"a": "x", "b": 1, "c": []}]')
    plan, records, _other = imported(JsonObjects(path), PlanOptions("some.Thing"))
    assert plan.notes == (
        "a: values of several kinds, kept as text",
        "b: integers of more than 18 digits, kept as text",
    )
    assert records == [
        {"a": "1", "b": "12345678901234567890", "c": ("1", "x")},
        {"a": "x", "b": "1", "c": ()},
    ]


def test_a_malformed_line_of_jsonl_does_not_stop_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text('{"a": 1}\n{"a": \n\n{"a": 3}')
    _plan, records, other = imported(JsonObjects(path, is_lines=True, noun="line"), PlanOptions("some.Thing"))
    assert records == [{"a": 1}, {"a": 3}]
    assert other == [BadLine(2, "is not JSON: Expecting value (character 1). Correct it."), Skipped(3, "blank line")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(JSON, max_size=5), st.integers(1, 20), st.sampled_from([None, 1]), st.booleans())
@example([0.5], 1, None, False)  # a piece may end behind the point of a number
def test_a_list_that_is_streamed_in_small_pieces_is_the_list(
    tmp_path_factory: pytest.TempPathFactory, items: list[Any], size: int, indent: int | None, is_inside: bool
) -> None:
    path = tmp_path_factory.mktemp("json") / "f.json"
    text = json.dumps({"list": items} if is_inside else items, indent=indent, ensure_ascii=is_inside)
    path.write_bytes(text.encode(errors="replace"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(objects_module, "CHUNK", size)
        found = list(objects_module.read_items(path, quiet))
    whole = json.loads(path.read_bytes())
    assert found == (whole["list"] if is_inside else whole)
