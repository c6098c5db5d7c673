"""Numbers and times of day that a text states, in digits and in words."""

from decimal import Decimal

import pytest

from uac.text.numerals import implied_numerals, meant, numbers, numerals, unaccented

NUMBERS = [
    ("1,300", "1300 1.3"),
    ("1.300,50 and 1,300.50", "1300.5"),
    ("1 300", "1300 1 300"),
    ("1'300'000", "1300000"),
    ("0.75 or 1,5", "0.75 1.5 1 5"),
    ("15k 2.5M 3 million 5m", "15000 2500000 3000000 5 5000000"),
    ("50 % and 7 percent", "50 0.5 7 0.07"),
    ("9:30", "9 30"),
    ("7th, seventh, twenty-first", "7 21"),
    ("one, two, twelve, twenty", "1 2 12 20"),
    ("once twice thrice", "1 11 2 3"),
    ("a dozen, two dozen", "12 24"),
    ("a hundred and one thousand", "101000"),
    ("nine hundred ninety-nine thousand nine hundred", "999900"),
    ("dreihundertzwölf, zweitausend, siebzehnte", "312 2000 17"),
    ("veintidós, doscientos cincuenta, dos mil", "22 250 2000"),
    ("soixante et onze, quatre-vingts, mille deux cents", "71 80 1200"),
    ("ventotto, duecentocinquanta, tremila", "28 250 3000"),
    ("vinte e cinco, cento e vinte, duzentas", "25 120 200"),
    ("十二 三百五 两万 3万", "12 305 350 20000 30000"),
    ("١٢ １３", "12 13"),
    ("JAL-9823 AB12CD34 10mg", "9823 12 34 10"),
    ("no numbers here", ""),
]


@pytest.mark.parametrize(("text", "values"), NUMBERS)
def test_a_text_states_these_numbers(text: str, values: str) -> None:
    assert numbers(text) == {Decimal(value) for value in values.split()}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("3½ and 2¼", "3.5 2.25"),
        ("two years and a half", "2.5"),
        ("nineteen ninety-five", "1995 19 95"),
        ("two hundred and three hundred", "200 300"),
        ("thousand million", "1000 1000000"),
        ("quatre-vingt-dix-sept, vingt et un, soixante-dix", "97 21 70"),
        ("por ciento, per cento", ""),
        ("einmal anderthalb", "1 1.5"),
        ("一千二 二〇二四 万", "1002 1200 2024 2 0 4 10000"),
        ("十" * 41, ""),
        ("1" * 41, f"{'1' * 40} 1"),
        ("12 300 people", "12300 12 300"),
        ("1234 567", "1234 567"),
        ("5 mila, 3 Mrd", "5000 3000000000"),
        ("hundredundzwanzigtausend", ""),
        ("tausend" * 9, ""),
    ],
)
def test_a_number_in_an_unusual_form_has_these_values(text: str, values: str) -> None:
    assert numbers(text) == {Decimal(value) for value in values.split()}


@pytest.mark.parametrize(("text", "values"), [("40,000", "40000"), ("1,5", "1.5"), ("٤٠٬٠٠٠", "40000"), ("7", "7")])
def test_grouped_digits_mean_one_number(text: str, values: str) -> None:
    (number,) = numerals(text)
    assert meant(number, text) == {Decimal(value) for value in values.split()}


def test_articles_and_denials_count() -> None:
    text = "a dog, no cats, every day, a year and a half"
    found = [(text[number.start : number.end], *number.readings, *number.loose) for number in implied_numerals(text)]
    assert found == [("a", 1), ("no", 0), ("every day", 1), ("a", 1, Decimal("1.5")), ("a", 1)]


def test_unaccented_text_has_no_letter_case_and_no_accents() -> None:
    assert [unaccented(text) for text in ("ABC", "Zwölf", "Straße")] == ["abc", "zwolf", "strasse"]
