"""Every pattern of every language gives its rule what the rule reads."""

from datetime import UTC, datetime

import pytest

from uac.text.dates import phrases as grammars
from uac.text.dates import resolve
from uac.text.dates.grammar import DateReading, Match
from uac.text.dates.vocabulary import LANGUAGES

SAID = datetime(2025, 6, 11, tzinfo=UTC)
DAY = Match(0, 1, (DateReading("iso", {"year": "2025", "month": "6", "day": "5"}),), False, frozenset())
NUMBERS = dict.fromkeys(
    "n day wday wordinal ordinal dotted plain_day plain_go weekday_dotted weekday_day weekday_ordinal weekday_word mon"
    " cjk_day".split(),
    "5",
) | {"year": "2024", "year2": "98", "short_year": "85", "quarter": "2", "decade": "1990", "decade2": "90"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pattern_gives_its_rule_what_it_reads(language: str) -> None:
    tables, wrong = grammars._compiled_tables(language), []
    for rule, phrases in grammars._vocabulary_lines(language, ": "):
        for written in [] if rule.startswith("duration") else map(str.strip, phrases.split(" ;")):
            for elements in grammars._pattern_sequences(written.removeprefix("?")):
                slots = [element for element in elements if isinstance(element, grammars.PhraseSlot)]
                inner = tuple(DAY for slot in slots if slot.table in grammars.NESTED_SLOTS)
                fields = {
                    slot.field: NUMBERS.get(slot.table) or next(iter(tables[slot.table].values()))[0][1]
                    for slot in slots
                    if slot.table not in grammars.NESTED_SLOTS
                }
                reading = DateReading(rule, fields, inner)
                try:
                    resolve.anchored_days(Match(0, 1, (reading,), False, frozenset()), SAID.date())
                    resolve._RULES[rule](SAID, reading)
                except (KeyError, IndexError) as error:
                    wrong.append((rule, written, repr(error)))
                except ValueError:  # a day that does not exist
                    pass
    assert wrong == []
