"""Where sentences end."""

import pytest

from uac.text.sentences import sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:stop] for start, stop in sentence_spans(text)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Priya boasts of 27.5 km.",
        "I saw Dr. Lindqvist about my knee.",
        "we met mrs. Berg, Prof. Lee and J. R. Smith.",
        "Ich sehe Fiona am 27. um 15:30.",
        "Das war am 15. Januar.",
        "z. B. Äpfel, ca. 3 kg.",
        "Bus No. 5 was late.",
        "It is on example.com, I think.",
    ],
)
def test_a_stop_inside_a_number_an_abbreviation_or_a_day_ends_no_sentence(sentence: str) -> None:
    assert sentences(f"{sentence} Then we left.") == [sentence, "Then we left."]


@pytest.mark.parametrize(
    "text",
    [
        "It cost 15. Then we left.",
        "Oh no. Then we left.",
        "Really?! (No.) Then",
        "Over\nthere",
        "It rained.Then it did.",
    ],
)
def test_other_stops_and_lines_end_one(text: str) -> None:
    assert len(sentences(text)) >= 2


def test_a_long_run_of_stops_is_read_at_once() -> None:
    text = "Dr. 5. a. " * 20_000
    assert sentences(text) == [text.rstrip()]
