"""What was known at earlier positions, and files as coloured lines: laws that hold for any log and any text."""

import html
import re
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.browser import Lives, life
from support.short_logs import Story, type_of
from uac import Memory
from uac.interfaces.inspector.highlight import Hunk, highlighted_difference, highlighted_lines, mark_quotes
from uac.interfaces.inspector.history_cache import PROJECTS, RENDERED, HistoryCache, history_steps
from uac.log.log import Log
from uac.project.render import render
from uac.schema.patches import Put
from uac.schema.safe_text import visible

# --- earlier positions ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def log() -> Log:
    """A life in which things were also retracted, twice, and once brought back."""
    memory = life(Lives())
    first = memory.retract([12], why="was a joke")
    memory.retract([15], why="also a joke")
    memory.retract([first], why="it was none")
    return memory.log


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_in_whatever_order_positions_are_asked_for_each_gives_what_a_fold_of_its_own_gives(
    log: Log, data: st.DataObject
) -> None:
    end = log.head().position
    positions = st.integers(0, end)
    cache, memory = HistoryCache(), Memory(log, packs=(), embedder=None)
    for position in data.draw(st.lists(positions, min_size=1, max_size=6)):
        found = cache.project_at("ana", log, position, data.draw(st.lists(positions, max_size=20)))
        assert found == memory.project_as_of(position)
        assert cache.project_files("ana", found) == render(memory.project_as_of(position))


def test_words_erased_later_are_not_in_what_was_kept() -> None:
    story = Story()
    story.types(type_of("travel.Trip", cardinality="event", city="str"))
    story.tell("travel.Trip", city="Vienna")
    cache, log = HistoryCache(), story.memory.log
    middle = log.head().position
    assert "Vienna" in str(cache.project_files("ana", cache.project_at("ana", log, middle)))
    story.tell("travel.Trip", city="Oslo")
    assert "Vienna" in str(cache.project_files("ana", cache.project_at("ana", log, middle)))
    log.erase([2], why="asked for")
    for _again in range(2):
        files = cache.project_files("ana", cache.project_at("ana", log, middle))
        assert "Vienna" not in str(files)
        assert files == render(story.memory.project_as_of(middle))


def test_a_write_of_a_user_nobody_looks_at_reads_nothing() -> None:
    unreadable = Log(object())  # type: ignore[arg-type]  # whatever reads it fails
    with pytest.raises(AttributeError):
        unreadable.head()
    HistoryCache().drop_erased("ana", unreadable)


def test_a_user_who_was_erased_and_came_back_is_another_one() -> None:
    lives, cache = Lives(), HistoryCache()
    life(lives)
    assert cache.project_at("ana", lives.store.log("ana"), 30).records("travel.Trip") != []
    lives.store.erase("ana")
    back = Memory(lives.store.log("ana"), packs=(), embedder=None, clock=lambda: lives.now)
    for _turn in range(40):
        back.add("Hello again.")
    assert cache.project_at("ana", back.log, 30) == back.project_as_of(30)


def test_users_are_kept_apart() -> None:
    lives, cache = Lives(), HistoryCache()
    life(lives)
    other = Memory(lives.store.log("bo"), packs=(), embedder=None, clock=lambda: lives.now)
    other.add("Hello.")
    cache.project_at("ana", lives.store.log("ana"), 30)
    assert cache.project_at("bo", other.log, 1) == other.project_as_of(1)


def test_only_so_much_is_kept() -> None:
    lives = Lives()
    memory, cache = life(lives), HistoryCache()
    for user in range(5):
        for position in range(1, memory.log.head().position + 1):
            cache.project_files(f"user {user}", cache.project_at(f"user {user}", memory.log, position))
    assert len(cache._projects) == PROJECTS
    assert sum(cached.files is not None for cached in cache._projects.values()) == RENDERED


def test_steps_are_the_changes_in_order_each_with_the_alerts_that_followed(log: Log) -> None:
    found = history_steps(Memory(log, packs=(), embedder=None).project())
    kinds = {stored.position: stored.kind for stored in log.read()}
    shaping = ("checkpoint", "correction", "retraction", "erasure")
    assert [step.position for step in found] == [position for position, kind in kinds.items() if kind in shaping]
    for step, after in pairwise(found):
        following = [kinds[position] for position in range(step.position + 1, step.through + 1)]
        assert step.through < after.position
        assert {*following} <= {"tick", "alert_change", "look", "receipt", "model_call", "delivery"}
        assert kinds[step.through + 1] not in ("tick", "alert_change", "look")


# --- lines ------------------------------------------------------------------------------------------------------------

CHARACTERS = st.one_of(
    st.characters(exclude_categories=["Cs"]), st.sampled_from("<>&\"'\n\t\r\x0b\x0c\x1b\u2028\u202e#\\{}()[]=:0aé")
)
TEXTS = st.one_of(
    st.text(CHARACTERS),
    st.lists(st.sampled_from(['"""', "'", "<b>", "# c\n", "def f(x):\n", "\\", "1.5", "@", "&lt;", "\n", " "])).map(
        "".join
    ),
)
PATHS = st.sampled_from(["a.py", "a.py.txt", "a.json", "a.txt"])


def split(text: str) -> list[str]:
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


@given(PATHS, TEXTS)
def test_coloured_lines_say_what_the_text_says_and_nothing_in_it_is_markup(path: str, text: str) -> None:
    lines = highlighted_lines(path, text)
    spans = re.compile(r'<span class="[a-z0-9]+">|</span>')
    bare = [spans.sub("", line.text) for line in lines]
    assert all("<" not in line and ">" not in line for line in bare)
    assert [html.unescape(line) for line in bare] == [visible(line, lines=True) for line in split(text)]


LINES = st.lists(st.sampled_from(["a", "b", "c = 1", "d(", ")"]), max_size=12).map(
    lambda lines: "".join(f"{x}\n" for x in lines)
)


@given(LINES, LINES, st.integers(0, 30))
@example("a\na\na\n", "a\na\na\na\n", 1)
def test_a_comparison_leads_from_the_one_text_to_the_other(before: str, after: str, common: int) -> None:
    around = "".join(f"same {number}\n" for number in range(common))
    old, new = around + before + around, around + after + around
    hunks = highlighted_difference("a.txt", old, new)
    assert applied(old.split("\n")[:-1], hunks) == new.split("\n")[:-1]
    assert (hunks == ()) == (old == new)
    shown = sum(len(hunk.lines) for hunk in hunks)
    assert shown <= len(before.split("\n")) + len(after.split("\n")) + 2 * 3 + 12


def applied(old: list[str], hunks: tuple[Hunk, ...]) -> list[str]:
    """The old lines with a comparison carried out on them."""
    new: list[str] = []
    taken = 0
    for line in (line for hunk in hunks for line in hunk.lines):
        if line.before is not None:
            new += old[taken : line.before - 1]
            taken = line.before
            assert line.code.text == old[taken - 1]
        if line.sign != "-":
            assert line.after is not None
            gap = line.after - 1 - len(new)  # a comparison may begin with a line that is new
            new += old[taken : taken + gap]
            taken += gap
            new.append(line.code.text)
            assert line.after == len(new)
    return new + old[taken:]


def test_a_part_that_is_too_long_to_compare_is_shown_as_replaced() -> None:
    old = "".join(f"old {number}\n" for number in range(4000))
    new = "".join(f"new {number}\n" for number in range(4000))
    (hunk,) = highlighted_difference("a.txt", old, new)
    assert [line.sign for line in hunk.lines] == ["-"] * 4000 + ["+"] * 4000


@given(st.text(CHARACTERS), st.text(CHARACTERS, min_size=1), st.text(CHARACTERS))
def test_a_quote_is_marked_in_its_words_and_stays_words(lead: str, quote: str, tail: str) -> None:
    text = mark_quotes(f"{lead}{quote}{tail}", quote, around=1000).text
    bare = text.replace("<mark>", "", 1).replace("</mark>", "", 1)
    assert ("<" in bare, text.count("<mark>")) == (False, 1)
    assert html.unescape(bare) == visible(f"{lead}{quote}{tail}", lines=True)


@given(st.text(CHARACTERS, max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=4))
def test_several_quotes_are_marked_in_words_that_stand_once(words: str, places: list[tuple[int, int]]) -> None:
    quotes = [words[min(place) : max(place)] for place in places]
    text = mark_quotes(words, *quotes, around=1000).text
    assert html.unescape(re.sub("</?mark>", "", text)) == visible(words, lines=True)
    parts = [html.unescape(part) for part in re.findall("<mark>(.*?)</mark>", text, re.DOTALL)]
    assert all(any(visible(quote, lines=True) in part for part in parts) for quote in quotes if quote)


def test_quotes_far_apart_are_shown_with_what_stands_around_them() -> None:
    words = "a" * 9 + "one" + "b" * 9 + "two" + "c" * 9
    assert mark_quotes(words, "two", "one", around=2).text == "…aa<mark>one</mark>…bb<mark>two</mark>cc…"


def test_a_quote_in_long_words_is_shown_with_what_stands_around_it() -> None:
    words = "a" * 500 + "the quote" + "b" * 500
    assert mark_quotes(words, "the quote", around=3).text == "…aaa<mark>the quote</mark>bbb…"
    assert mark_quotes(words, "not there", around=3).text == "aaaaaaaaa…"
    assert mark_quotes("short", None).text == "short"


def test_the_step_of_a_story_stands_where_it_was_written() -> None:
    story = Story()
    story.types(type_of("travel.Trip", cardinality="event", city="str"))
    story.change(Put(type="travel.Trip", fields={"city": "Rome"}, cites=(story.fact("We go to Rome."),)))
    first, second = history_steps(story.project)
    assert (first.position, first.through, first.at) == (1, 1, datetime(2026, 1, 1, 10, tzinfo=UTC))
    assert (second.position, second.through) == (4, 4)
