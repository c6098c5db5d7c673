"""The conversation that recall is timed on: made-up turns without end, and questions about them."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate, count, islice

from uac import Observation

__all__ = ["COMMON", "endless_recall_turns", "recall_questions"]

ROUNDS, FEW_ROUNDS, MANY_TURNS = 200, 50, 500_000


def endless_recall_turns(seed: int = 1) -> Iterator[Observation]:
    """Turns without end, the same for the same seed: words by Zipf's law, with names and dates among them."""
    chance = random.Random(seed)
    words = [*COMMON, *_made_up_words(chance, 30_000 - len(COMMON))]
    shares = [*accumulate(1 / (rank + 2.7) for rank in range(len(words)))]
    start = datetime(2015, 1, 1, 8, tzinfo=UTC)
    for number in count():
        said = start + timedelta(hours=number // 20 * 2, seconds=number % 20)
        spoken = chance.choices(words, cum_weights=shares, k=chance.randint(4, 32))
        if number % 3 == 0:
            spoken.insert(chance.randrange(len(spoken)), chance.choice(NAMES))
        if number % 10 == 0:
            spoken += ["on", f"{said:%d %B %Y}"]
        yield Observation(
            text=f"{' '.join(spoken).capitalize()}.",
            said=said,
            role="assistant" if number % 2 else "user",
            session=f"session {number // 20}",
        )


def recall_questions(turns: int) -> list[str]:
    """Questions with rare words of a turn, a name, and sometimes a month; fewer on a very long conversation."""
    chance = random.Random(turns)
    texts = [turn.text for turn in islice(endless_recall_turns(), 0, min(turns, 20_000), 7)]
    found: list[str] = []
    for number in range(FEW_ROUNDS if turns >= MANY_TURNS else ROUNDS):
        rare = [word for word in chance.choice(texts).rstrip(".").lower().split() if word not in COMMON]
        picked = " ".join(chance.sample(rare, min(4, len(rare))))
        when = "in March 2015" if number % 5 == 0 else ""
        found.append(f"What did {chance.choice(NAMES)} say about {picked} {when}".strip() + "?")
    return found


def _made_up_words(chance: random.Random, number: int) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < number:
        syllables = [chance.choice("bcdfghklmnprstvz") + chance.choice("aeiou") for _ in range(chance.randint(2, 4))]
        found["".join(syllables) + chance.choice(["", "n", "r", "s"])] = None
    return list(found)


COMMON = tuple(
    """the i to and a you it that of in my is was for we with on have so but they be at this do me like just are not
    what had one can time if get all how there about really when went good would some out think up go know people work
    then been who more their which could day very him now see new because make did first year want two our way down
    back other home need even also week after only use take come here most look long last little again made friend
    family house tell thing place love great feel night started""".split()
)
NAMES = ("Ana", "Jürgen", "Léa", "Okafor", "Priya", "Tom", "Mei", "Sofia", "Ibrahim", "Grandma")
