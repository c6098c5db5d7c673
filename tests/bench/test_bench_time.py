"""uac-bench time: questions about time have the answers of the life, and the command prints them by kind."""

import json

from click.testing import CliRunner

from uac_bench import main
from uac_bench.conversations.generator import generate_life
from uac_bench.conversations.time_questions import KINDS_OF_QUESTIONS, time_questions


def test_every_question_of_a_short_life_is_answered_and_no_law_is_broken() -> None:
    result = CliRunner().invoke(main, ["time", "--users", "1", "--sessions", "7", "--each", "3", "--json"])
    found = json.loads(result.stdout.splitlines()[-1])
    assert (result.exit_code, found["broken"], found["wrong"]) == (0, [], [])
    assert list(found["kinds"]) == list(KINDS_OF_QUESTIONS)
    assert found["laws"] == 8


def test_questions_are_the_same_for_the_same_seed_and_cover_every_kind() -> None:
    life = generate_life(1, 40)
    asked = list(time_questions(life, each=5, seed=1))
    assert asked == list(time_questions(life, each=5, seed=1))
    assert {question.kind for question in asked} == set(KINDS_OF_QUESTIONS)
    assert len(asked) == 5 * len(KINDS_OF_QUESTIONS)
