"""The analysis of packs' code that ships is that of the code as it is; code that differs is analysed when needed."""

import ast
from inspect import unwrap
from typing import NoReturn

import msgspec
import pytest

from support.packs import PACKS
from tools.prove_packs import current_analysis
from uac.errors import Refused
from uac.packs.files import load_pack
from uac.packs.installed import BUILT_IN
from uac.sandbox.monty_gaps import monty_edits, prepare_for_monty
from uac.schema.constraint_code import Reading, analyse_constraint, constraint_definition, read_constraint
from uac.schema.constraint_files import parse_constraint
from uac.schema.helper_files import read_helpers
from uac.schema.shipped_analysis import SHIPPED_ANALYSIS, analysis_key, shipped_analysis

HEALTH = next(pack for pack in PACKS if pack.name == "health")
RULE = HEALTH.constraint("drug_allergy")


def test_the_analysis_that_ships_is_that_of_the_packs_as_they_are() -> None:
    text = SHIPPED_ANALYSIS.read_text(encoding="utf-8")
    assert text == current_analysis(), "A pack, or how code is analysed, has changed. Run 'make proofs'."
    assert len(msgspec.json.decode(text)) == len(text.splitlines()) - 2


def test_no_code_of_a_shipped_pack_is_parsed_from_its_folder_to_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_code: object, **_options: object) -> NoReturn:
        raise AssertionError("Code was parsed.")

    monkeypatch.setattr(ast, "parse", refuse)
    for pack in PACKS:
        if pack.folder.parent == BUILT_IN:
            assert load_pack(pack.folder) == pack
            helpers = unwrap(read_helpers)(pack.helpers)
            for name, text in pack.sources.items():
                constraint = parse_constraint(text, name, origin="pack", pack=pack.name, helpers=helpers)
                assert unwrap(read_constraint)(name, constraint.code).name == name
                assert unwrap(prepare_for_monty)(unwrap(constraint_definition)(name, constraint.code)).text


def test_the_reading_of_a_shipped_constraint_is_stored_and_that_of_a_changed_one_is_not() -> None:
    assert shipped_analysis("reading", Reading, RULE.name, RULE.code) == analyse_constraint(RULE.name, RULE.code)
    assert shipped_analysis("reading", Reading, RULE.name, f"{RULE.code} ") is None
    assert shipped_analysis("reading", Reading, f"{RULE.name}_2", RULE.code) is None


@pytest.mark.parametrize("line", ["import os", "user.health.allergies.clear()", "_x = open('/etc/passwd')"])
def test_a_shipped_constraint_with_one_more_line_is_refused_as_any_other(line: str) -> None:
    with pytest.raises(Refused):
        read_constraint(RULE.name, f"{RULE.code}\n{line}\n")
    with pytest.raises(Refused):
        read_helpers(f"{HEALTH.helpers}\n{line}\n")


def test_prepared_code_is_the_same_with_stored_edits_and_without() -> None:
    definition = constraint_definition(RULE.name, RULE.code)
    other = definition.replace(RULE.name, "another_name")  # so that nothing is stored for it
    assert shipped_analysis("monty", list[tuple[int, int, str]], definition) == monty_edits(definition)
    assert shipped_analysis("monty", list[tuple[int, int, str]], other) is None
    assert prepare_for_monty(other).text == prepare_for_monty(definition).text.replace(RULE.name, "another_name")


def test_edits_alone_do_not_prepare_code_that_ends_in_a_value_or_that_monty_cannot_run() -> None:
    assert monty_edits("x = 1 < y") is not None
    assert monty_edits("1 < y") is None
    assert monty_edits("del x") is None


@pytest.mark.parametrize(("one", "other"), [(("a", "bc"), ("ab", "c")), (("a",), ("a", "")), (("é",), ("e\u0301",))])
def test_no_two_lists_of_texts_have_the_same_key(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert analysis_key("reading", *one) != analysis_key("reading", *other)
    assert analysis_key("reading", *one) != analysis_key("helpers", *one)


def test_text_that_is_not_valid_unicode_has_a_key_too() -> None:
    assert shipped_analysis("reading", Reading, "name", "'\ud800'") is None
