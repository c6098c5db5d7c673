"""One member of a JSON file changes; everything else stays, byte for byte."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uac.errors import Refused
from uac.interfaces.setup.json_edits import read_json, remove_json_member, set_json_member

ENTRY = {"command": "uac", "args": ["mcp", "ana"]}
PATH = ("mcpServers", "memory")

COMMENTED = """\
// my servers
{
    "servers": { // all of them
        "github": {"url": "https://example.com"}, // the work one
        /* off for now
        "old": {} */
        "files": {
            "command": "npx",
        } // keep
    },
    "inputs": [],
}
"""


def test_a_new_file_has_the_entry_alone() -> None:
    assert set_json_member("", PATH, ENTRY) == json.dumps({"mcpServers": {"memory": ENTRY}}, indent=2) + "\n"


def test_comments_commas_and_indentation_stay_as_they_are() -> None:
    after = set_json_member(COMMENTED, ("servers", "memory"), {"command": "uac"})
    assert after == COMMENTED.replace(
        "        } // keep\n",
        '        }, // keep\n        "memory": {\n            "command": "uac"\n        }\n',
    )


def test_a_trailing_comma_is_used() -> None:
    after = set_json_member('{\n  "a": 1,\n}\n', ("b",), ENTRY)
    assert after.startswith('{\n  "a": 1,\n  "b": {')
    assert read_json(after) == {"a": 1, "b": ENTRY}


def test_a_file_on_one_line_stays_on_one_line() -> None:
    assert set_json_member('{"a": {"b": 1}}', ("a", "c"), {"d": "e"}) == '{"a": {"b": 1, "c": {"d": "e"}}}'


def test_line_ends_and_tabs_are_those_of_the_file() -> None:
    after = set_json_member('{\r\n\t"a": 1\r\n}\r\n', PATH, {"command": "uac"})
    assert after == (
        '{\r\n\t"a": 1,\r\n\t"mcpServers": {\r\n\t\t"memory": {\r\n\t\t\t"command": "uac"\r\n\t\t}\r\n\t}\r\n}\r\n'
    )


def test_an_entry_is_replaced_in_its_place() -> None:
    before = set_json_member(COMMENTED, ("servers", "memory"), {"command": "first"})
    after = set_json_member(before, ("servers", "memory"), {"command": "second"})
    assert after == before.replace('"first"', '"second"')


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{\n  "a": 1,\n  "b": {}\n}\n', '{\n  "a": 1\n}\n'),
        ('{\n  "b": {},\n  "a": 1\n}\n', '{\n  "a": 1\n}\n'),
        ('{\n  "b": {}\n}\n', "{\n}\n"),
        ('{"a": 1, "b": {}}', '{"a": 1}'),
        ('{"b": {}, "a": 1}', '{"a": 1}'),
        ('{\n  "a": 1, // one\n  "b": {}, // two\n}\n', '{\n  "a": 1, // one\n // two\n}\n'),
    ],
)
def test_an_entry_is_removed_with_its_comma(text: str, left: str) -> None:
    got = remove_json_member(text, ("b",))
    assert read_json(got) == read_json(left)
    assert got.replace("  //", " //") == left


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": }', "line 1, column 7: a value is missing"),
        ('{\n  "a" 1}', "line 2, column 7: a colon is missing"),
        ("{\n  a: 1}", "line 2, column 3: a value is missing"),
        ('{"a": 1} x', "line 1, column 10: there is text after the end"),
        ('{"a": [1', "line 1, column 9: a comma or ] is missing"),
        ("[" * 200, "line 1, column 102: it is nested too deeply"),
    ],
)
def test_a_file_that_is_not_json_is_refused_with_the_place(text: str, place: str) -> None:
    with pytest.raises(Refused) as refused:
        set_json_member(text, PATH, ENTRY)
    assert str(refused.value) == f"it is not valid JSON: {place}"


def test_a_member_on_the_way_that_is_no_object_is_refused() -> None:
    with pytest.raises(Refused, match="mcpServers is not a JSON object"):
        set_json_member('{"mcpServers": 3}', PATH, ENTRY)


NAMES = st.text(max_size=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)


@given(before=OBJECTS, servers=OBJECTS, indent=st.sampled_from([None, 1, 2, 4, "\t"]))
def test_nothing_but_the_entry_changes(before: dict[str, Any], servers: dict[str, Any], indent: Any) -> None:
    whole = {**before, "mcpServers": servers}
    text = json.dumps(whole, indent=indent)
    assert read_json(text) == whole
    after = set_json_member(text, PATH, ENTRY)
    assert read_json(after) == {**whole, "mcpServers": {**servers, "memory": ENTRY}}
    assert read_json(remove_json_member(after, PATH)) == {
        **whole,
        "mcpServers": {name: value for name, value in servers.items() if name != "memory"},
    }
