"""Durations in words and digits of eight languages."""

import pytest

from uac.text.lengths import iso_length, stated_lengths


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("in 66 min", "PT66M"),
        ("three quarters of an hour", "PT45M"),
        ("drove there in 2h10, no traffic", "PT2H10M"),
        ("an hour and twenty on hold", "PT1H20M"),
        ("a year and a half", "P18M"),
        ("two years and three months", "P27M"),
        ("a fortnight", "P14D"),
        ("five nights", "P5D"),
        ("eine Dreiviertelstunde", "PT45M"),
        ("anderthalb Stunden", "PT90M"),
        ("ein Vierteljahr", "P3M"),
        ("dos horas y cuarto", "PT2H15M"),
        ("hora y media", "PT90M"),
        ("trois quarts d'heure", "PT45M"),
        ("deux heures et demie", "PT150M"),
        ("mezz'oretta", "PT30M"),
        ("duas horas e um quarto", "PT2H15M"),
        ("drie kwartier", "PT45M"),
        ("półtorej godziny", "PT90M"),
        ("trzy kwadranse", "PT45M"),
        ("on the third day", ""),
    ],
)
def test_a_text_states_these_durations(text: str, lengths: str) -> None:
    assert [set(found.sure) for found in stated_lengths(text)] == [{iso_length(one)} for one in lengths.split()]


def test_fifteen_days_may_be_two_weeks() -> None:
    assert [set(found.sure) for found in stated_lengths("quinze jours")] == [{iso_length("P15D"), iso_length("P14D")}]
