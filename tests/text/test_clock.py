"""Times of day in words and digits of eight languages."""

import pytest

from uac.text.clock import clock_times


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("at 9:30", "09:30|21:30"),
        ("at 09:30", "09:30"),
        ("17h", "17:00"),
        ("5 pm, 12 a.m.", "17:00 00:00"),
        ("half past nine tonight", "21:30"),
        ("quarter to 5", "16:45"),
        ("halb zehn morgens, Viertel nach drei nachmittags", "09:30 15:15"),
        ("noon and midnight", "12:00 00:00"),
        ("lunch at half twelve", "12:30"),
        ("half six for drinks", "18:30"),
        ("om half twaalf", "11:30"),
        ("vanavond om tien over half negen", "20:40"),
        ("fünf vor halb acht abends", "19:25"),
        ("a las ocho y media de la tarde", "20:30"),
        ("a las tres menos diez de la tarde", "14:50"),
        ("cinq heures moins le quart cet aprèm", "16:45"),
        ("alle otto meno un quarto di sera", "19:45"),
        ("às dez para as nove da manhã", "08:50"),
        ("za kwadrans szósta po południu", "17:45"),
        ("my hours are 9 to 5", "09:00 17:00"),
        ("von 9 bis 17 Uhr", "09:00 17:00"),
        ("nachts um drei", "03:00"),
        ("half past ninety", ""),
        ("9 of 12", ""),
        ("for two nights", ""),
        ("£4.50 a pint", ""),
    ],
)
def test_a_text_states_these_times_of_day(text: str, times: str) -> None:
    found = ["|".join(f"{h:02}:{m:02}" for h, m in sorted(time.sure or time.possible)) for time in clock_times(text)]
    assert " ".join(found) == times
