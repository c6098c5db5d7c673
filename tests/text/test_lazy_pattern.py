"""Patterns that are compiled when they are first used."""

import re

import pytest

from uac.text.lazy_pattern import lazy_pattern


def test_a_lazy_pattern_finds_what_a_compiled_one_finds() -> None:
    written, text = r"(?P<word>[a-z]+)\d", "Ab1 x, cd2"
    lazy, compiled = lazy_pattern(written, re.IGNORECASE), re.compile(written, re.IGNORECASE)
    assert lazy.findall(text) == compiled.findall(text) == ["Ab", "cd"]
    assert [found["word"] for found in lazy.finditer(text, 3)] == ["cd"]
    assert (lazy.sub("-", text), lazy.split(text)) == (compiled.sub("-", text), compiled.split(text))
    assert lazy.groupindex == compiled.groupindex


def test_a_lazy_pattern_is_compiled_when_it_is_first_used() -> None:
    wrong = lazy_pattern("(")
    with pytest.raises(re.error, match="missing"):
        wrong.search("a")
