"""Made-up conversations: no pattern reads them back, their truth gives the answers, and each step is scored apart."""

import json
import random
import re
from functools import cache

import pytest
from click.testing import CliRunner

from uac_bench import main
from uac_bench.conversations.due_alerts import OWN_RULE, due_alerts
from uac_bench.conversations.generator import OTHERS, generate_life, names_in
from uac_bench.conversations.kinds import KINDS
from uac_bench.conversations.lives import Life, Sentence, sentences_of
from uac_bench.conversations.questions import QUESTION_KINDS, life_questions
from uac_bench.conversations.replay import replay
from uac_bench.conversations.steps import STEPS, group_rows
from uac_bench.conversations.styles import STYLES, compose, in_style, join_clauses
from uac_bench.conversations.wording import LANGUAGES, Language

SHARE_OF_ONE = 0.01  # of the sentences, that may have the same words around their values
READ_BACK = 0.35  # of unseen sentences, that patterns learned from as many others may read


@cache
def lives(language: Language) -> list[Life]:
    return [generate_life(seed, 30, language, style) for seed in (1, 2) for style in STYLES]


@cache
def masked(language: Language) -> re.Pattern[str]:
    """Every value that a sentence may have: names, the days and times that are said of it, and numbers."""
    names = names_in(language)
    preferences = [part for each in names["preferences"] for part in re.split(r": | \| ", each)]
    listed = {name for part in names.values() for name in part} | set(preferences)
    words = "|".join(map(re.escape, sorted(listed, key=len, reverse=True)))
    return re.compile(rf"\b(?:{words})\b|[£]?\d[\d:.,h]*(?: ?(?:€|[Ee]uros?|pounds|Uhr|[ap]m|mg|h)\b)?(?: \d\d\b)?")


def skeleton(sentence: Sentence, language: Language) -> str:
    """The sentence with its values masked, without case and punctuation: what a pattern would have to expect."""
    text = sentence.quote
    if "when" in sentence.fact:
        text = text.replace(sentence.fact["when"], "0")
    text = masked(language).sub("0", text)
    return re.sub(r"[\s.,;:!?…–()-]+", " ", text).strip().casefold()


def is_read(other: str, learned: list[str]) -> bool:
    """Whether a learned pattern is found in a sentence and takes all of its values."""
    return any(each.count("0") == other.count("0") and f" {each} " in f" {other} " for each in learned)


@pytest.mark.parametrize("language", LANGUAGES)
def test_patterns_learned_from_half_of_the_sentences_read_few_of_the_others(language: Language) -> None:
    """A pattern is the whole sentence with its values masked; it may be found anywhere in another one."""
    sentences = [sentence for life in lives(language) for sentence in sentences_of(life)]
    random.Random(1).shuffle(sentences)
    half = len(sentences) // 2
    skeletons = [skeleton(sentence, language) for sentence in sentences]
    assert half > 400
    assert max(map(skeletons.count, set(skeletons))) <= SHARE_OF_ONE * len(skeletons)
    read = sum(is_read(other, skeletons[:half]) for other in skeletons[half:])
    assert read <= READ_BACK * (len(skeletons) - half)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_has_its_quotes_and_no_turn_means_two_things(language: Language) -> None:
    for life in lives(language):
        turns = [turn for session in life.sessions for turn in session]
        told = [turn.text for turn in turns if turn.sentences]
        assert len(told) == len(set(told))
        assert len({sentence.fact["text"] for sentence in sentences_of(life)}) == len(sentences_of(life))
        for turn in turns:
            for sentence in turn.sentences:
                assert sentence.quote in turn.text
                quoted = [sentence.quote, *(sentence.other_quote or ())[1:]]
                assert any(sentence.fact.get("when", "") in words for words in quoted)
                if sentence.other_quote:
                    assert sentence.other_quote[1] in sentence.other_quote[0]
                    assert sentence.other_quote[0] in {turn.text for turn in turns}


@pytest.mark.parametrize("language", LANGUAGES)
def test_lives_have_every_kind_of_change_and_question(language: Language) -> None:
    deeds = [sentence.deed for life in lives(language) for sentence in sentences_of(life)]
    assert {"put", "amend", "end", "mention", "aside", "rule"} == {deed.op for deed in deeds}
    assert {"back", "cancel", "price", "move", "change"} <= {deed.act for deed in deeds}
    assert [deed for deed in deeds if deed.act == f"{OTHERS}purchase"]
    assert [sentence for life in lives(language) for sentence in sentences_of(life) if sentence.other_quote]
    assert {question.kind for life in lives(language) for question in life_questions(life)} == set(QUESTION_KINDS)


def test_a_life_is_the_same_for_the_same_seed_and_another_for_another_style() -> None:
    assert generate_life(3, 4, "fr", "hasty") == generate_life(3, 4, "fr", "hasty")
    assert generate_life(3, 4, "fr", "hasty").sessions != generate_life(3, 4, "fr", "chatty").sessions


def test_a_style_never_changes_a_value() -> None:
    words = {
        "openers": ["so, "],
        "asides": [" [really|– sigh –]"],
        "tags": ["haha"],
        "links": [" and "],
        "hesitations": ["um"],
        "short": {"with": "w/"},
        "subjects": ["I "],
    }
    chance = random.Random(1)
    for style in STYLES:
        for _ in range(50):
            pieces = compose("I [met|saw] <{who}; with Jo; {day}>", {"who": "Dr. Osei", "day": "on 3 May"}, chance)
            clause = in_style(pieces, style, words, chance)
            assert "Dr. Osei" in clause
            assert "on 3 May" in clause
            assert clause in join_clauses([clause, "and more"], style, words, chance)


def test_alerts_are_due_while_their_cause_lasts() -> None:
    """The oracle is checked against the truth of a life, told apart from how it computes."""
    found = {rule for life in lives("en") for (rule, _things), due in due_alerts(life).items() if due}
    assert found == {OWN_RULE, "trip_overlap", "drug_allergy"}
    for life in lives("en"):
        for (rule, things), due in due_alerts(life).items():
            assert rule != "trip_overlap" or len(things) == 2
            ended = [
                session
                for session, turns in enumerate(life.sessions)
                for turn in turns
                for s in turn.sentences
                if s.deed.op == "end" and s.deed.thing in things
            ]
            assert not ended or max(due, default=-1) < min(ended)


def test_each_step_of_a_short_life_is_scored_apart() -> None:
    score = replay(generate_life(1, 3, "en", "hasty"), each=1)
    assert (score.false, score.doubled, score.kept_apart) == ((), 0, score.others)
    assert [answer.why for answer in score.answers] == [""] * len(score.answers)
    rows = list(group_rows([score, score]))
    steps = [step for step, count in STEPS.items() if count(score)[1]]
    assert [row[1] for row in rows if row[1] in STEPS] == steps
    assert {row[0] for row in rows} == {"all"}


def test_no_two_things_of_a_life_have_the_key_of_one_record() -> None:
    fields = {
        "food.Booking": ("place", "day"),
        "calendar.Appointment": ("what", "starts"),
        "health.Visit": ("what", "day"),
    }
    assert {kind.type for kind in KINDS.values() if kind.key} == set(fields)
    for seed in (1, 6):
        things = generate_life(seed, 12, LANGUAGES[seed % 2]).things.values()
        for type_name, key in fields.items():
            keys = [tuple(each.fields[name] for name in key) for each in things if each.type == type_name]
            assert len(keys) == len(set(keys)) > 1


def test_nothing_is_thrown_in_between_a_number_and_its_unit() -> None:
    words = {"asides": [", haha,"], "openers": [], "tags": [], "hesitations": [], "subjects": [], "short": {}}
    pieces = compose("ran {km} km {day} with {who} for {price}", RUN, random.Random(1))
    said = {in_style(pieces, "plain", words, random.Random(seed)).casefold() for seed in range(200)}
    assert "ran 10 km on friday, haha, with yara for £5, haha" in said
    assert all("10 km" in each for each in said)


RUN = {"km": "10", "day": "on Friday", "who": "Yara", "price": "£5"}


def test_the_score_of_each_user_is_printed_as_json() -> None:
    arguments = ["conversations", "--users", "1", "--sessions", "2", "--json"]
    ended = CliRunner().invoke(main, arguments, catch_exceptions=False)
    (score,) = json.loads(ended.stdout)["users"].values()
    assert {answer["why"] for answer in score["answers"]} == {""}
