"""The scorers: the strict one closes the loopholes that the published one has."""

from typing import Any

import pytest

from uac_bench.scorers import evidence_share, is_right_published, is_right_strict, missing_groups


@pytest.mark.parametrize(
    ("kind", "given", "acceptable", "published", "strict"),
    [
        ("int", "It was 5.", [5], True, True),
        ("int", "between 4 and 5", [5], True, True),  # the last number counts, for both
        ("int", "five", [5], False, False),
        ("float", "$1,234.50", [1234.5], True, True),
        ("string", "", ["training"], True, False),  # an empty text is part of every gold
        ("string", "train", ["training"], True, False),
        ("string", "Training sessions", ["training"], True, True),
        ("string", "It did not increase", ["increase"], True, False),
        ("string", "increasing", ["increase"], False, True),
        ("string", "a, b", ["a"], True, False),
        ("string", "a, b", ["a", "b"], True, True),  # a tie
        ("string", "b", ["a", "b"], False, True),
        ("set", "", [[]], True, False),
        ("set", "none of them", [[]], True, True),
        ("set", "there is no such thing", [[]], True, False),
        ("set", "[]", [[]], True, True),
        ("set", "['b', 'A']", [["a", "b"]], True, True),
        ("set", "Final answer: a, b", [["a", "b"]], False, True),
        ("set", "a", [["a", "b"]], False, False),
    ],
)
def test_the_published_and_the_strict_scorer(
    kind: str, given: str, acceptable: list[Any], published: bool, strict: bool
) -> None:
    assert (is_right_published(kind, given, acceptable), is_right_strict(kind, given, acceptable)) == (
        published,
        strict,
    )


def test_the_share_of_evidence_is_that_of_the_turns_that_are_shown() -> None:
    assert evidence_share((1, 2, 3, 4), {2, 3, 9}.__contains__) == 0.5


def test_a_message_must_match_every_group_of_a_rubric() -> None:
    rubric = {"what": ["penicillin", "amoxicillin"], "why": ["allerg"]}
    assert missing_groups(rubric, "Amoxicillin:\nyou are ALLERGIC to it") == ()
    assert missing_groups(rubric, "Take amoxicillin") == ("why",)
