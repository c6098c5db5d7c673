"""One table of a TOML file changes; everything else stays, byte for byte."""

import pytest

from uac.errors import Refused
from uac.interfaces.setup.toml_edits import read_toml, remove_toml_table, set_toml_table

PATH = ("mcp_servers", "memory")
ENTRY = {"command": "uac", "args": ["mcp", "ana"], "env": {"UAC_ZONE": "Europe/Berlin"}}
BLOCK = """\
[mcp_servers.memory]
command = "uac"
args = ["mcp", "ana"]

[mcp_servers.memory.env]
UAC_ZONE = "Europe/Berlin"
"""
CODEX = """\
model = "gpt-5" # mine

[mcp_servers.github] # work
command = "npx"

[[notes]]
text = "[mcp_servers.memory]"
"""


def test_a_new_file_has_the_table_alone() -> None:
    assert set_toml_table("", PATH, ENTRY) == BLOCK


def test_the_table_is_added_at_the_end() -> None:
    assert set_toml_table(CODEX, PATH, ENTRY) == f"{CODEX}\n{BLOCK}"
    assert set_toml_table("a = 1", PATH, ENTRY) == f"a = 1\n\n{BLOCK}"


def test_a_table_is_replaced_in_its_place_with_the_tables_in_it() -> None:
    before = f"{BLOCK}\n# about me\n[profile]\nname = 'x'\n"
    after = set_toml_table(before, PATH, {"command": "other"})
    assert after == "[mcp_servers.memory]\ncommand = \"other\"\n\n# about me\n[profile]\nname = 'x'\n"


def test_a_table_is_removed_and_the_rest_stays() -> None:
    assert remove_toml_table(f"{CODEX}\n{BLOCK}", PATH) == CODEX
    assert remove_toml_table(CODEX, PATH) == CODEX


def test_names_and_values_with_special_characters_are_quoted() -> None:
    entry = {"command": 'C:\\Program Files\\"uac"', "args": ["\x7fä\n"]}
    text = set_toml_table("", ("mcp_servers", "my memory"), entry)
    assert read_toml(text) == {"mcp_servers": {"my memory": entry}}
    assert remove_toml_table(text, ("mcp_servers", "my memory")) == ""


def test_a_file_that_is_not_toml_is_refused() -> None:
    with pytest.raises(Refused, match="it is not valid TOML: "):
        read_toml("a = = 1")
