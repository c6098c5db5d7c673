"""Exports of banks become transactions of the pack: direction, money, days, columns, and the file of the next month."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from support.importing import file, told, uac, values
from uac.schema.values import Money

GERMAN = "Buchungstag;Wertstellung;Auftraggeber/Empfänger;Verwendungszweck;Betrag;Währung\n"
BRITISH = "Date,Type,Description,Paid out,Paid in,Balance\n"


def bank(name: str, text: str, *options: str) -> Any:
    return uac("import", "ana", file(name, text), "--as", "finance.Transaction", *options)


def rows(store: Path) -> list[tuple[Any, ...]]:
    found = values(store, "finance.Transaction")
    return [(each["on"], each["payee"], each["amount"], each["direction"]) for each in found]


def euro(amount: str, currency: str = "EUR") -> Money:
    return Money(Decimal(amount), currency)


def test_a_german_export_gives_direction_money_and_days(store: Path) -> None:
    text = f"{GERMAN}02.01.2026;02.01.2026;REWE;Einkauf;-45,90;EUR\n03.01.2026;03.01.2026;ACME AG;Gehalt;3.250,00;EUR\n"
    result = bank("january.csv", text)
    assert "left out: 'Wertstellung': finance.Transaction has no field for it" in result.stderr
    assert rows(store) == [
        (date(2026, 1, 2), "REWE", euro("45.90"), "out"),
        (date(2026, 1, 3), "ACME AG", euro("3250.00"), "in"),
    ]


def test_the_next_month_of_a_source_is_read_like_the_first(store: Path) -> None:
    first = f"{BRITISH}01/02/2026,DEB,TESCO,34.20,,1204.11\n03/02/2026,FPI,J SMITH,,250.00,1454.11\n"
    refused = bank("february.csv", first)
    assert (refused.exit_code, "Give --dates day-first or --dates month-first" in refused.stderr) == (3, True)
    refused = bank("february.csv", first, "--dates", "day-first")
    assert (refused.exit_code, "the amounts have no currency ('34.20')" in refused.stderr) == (3, True)
    assert bank("february.csv", first, "--dates", "day-first", "--currency", "GBP").exit_code == 0
    again = bank("march.csv", f"{BRITISH}02/03/2026,DD,SKY,45.00,,1309.11\n")
    assert (again.exit_code, "Date: day first, as in earlier files" in again.stderr) == (0, True)
    assert rows(store) == [
        (date(2026, 2, 1), "TESCO", euro("34.20", "GBP"), "out"),
        (date(2026, 2, 3), "J SMITH", euro("250.00", "GBP"), "in"),
        (date(2026, 3, 2), "SKY", euro("45.00", "GBP"), "out"),
    ]


def test_a_file_of_another_source_learns_nothing_from_it(store: Path) -> None:
    bank("a.csv", f"{BRITISH}01/02/2026,DEB,TESCO,34.20,,1\n", "--dates", "day-first", "--currency", "GBP")
    other = bank("b.csv", "Date,Description,Debit,Credit\n01/05/2026,STARBUCKS,5.75,\n")
    assert (other.exit_code, "day and month are ambiguous" in other.stderr) == (3, True)
    assert len(rows(store)) == 1


def test_fields_that_a_person_named_are_remembered_for_the_source(store: Path) -> None:
    header = "When,Wer,Amount (EUR)\n"
    options = ("--field", "When=on", "--field", "Wer=payee")
    refused = bank("one.csv", f"{header}2026-01-02,Rewe,-3.10\n")
    assert (refused.exit_code, "needs payee, on, and no column has that name" in refused.stderr) == (3, True)
    assert "If the first line is no header, delete the lines above it." in refused.stderr
    assert bank("one.csv", f"{header}2026-01-02,Rewe,-3.10\n", *options).exit_code == 0
    assert bank("two.csv", f"{header}2026-02-02,Edeka,-4.20\n").exit_code == 0
    assert [each[1] for each in rows(store)] == ["Rewe", "Edeka"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Date,Payee,Amount,Currency\n2026-01-02,A,45.90-,EUR\n2026-01-03,B,(1.00),EUR\n",
            [("45.90", "out"), ("1.00", "out")],
        ),
        (
            "Date,Payee,Amount,Currency\n2026-01-02,A,+45.90,EUR\n2026-01-03,B,-1.00,EUR\n",
            [("45.90", "in"), ("1.00", "out")],
        ),
        (
            "Date,Payee,Amount EUR,Debit/Credit\n2026-01-02,A,5.00,D\n2026-01-03,B,6.00,C\n",
            [("5.00", "out"), ("6.00", "in")],
        ),
        ("Date,Payee,Amount EUR\n2026-01-02,A,5.00\n", [("5.00", None)]),
    ],
)
def test_the_direction_comes_from_signs_or_words_and_is_never_guessed(
    store: Path, text: str, found: list[tuple[str, str | None]]
) -> None:
    assert bank("bank.csv", text).exit_code == 0
    assert [(each[2], each[3]) for each in rows(store)] == [(euro(amount), way) for amount, way in found]


def test_a_column_of_payees_is_never_a_closed_list(store: Path) -> None:
    lines = "".join(f"{name},{number}\n" for number in range(3) for name in ("Rewe", "Edeka"))
    result = uac("import", "ana", file("own.csv", f"Payee,Number\n{lines}"), "--as", "own.Payment", "--yes")
    assert "Payee\tpayee\tstr\tRewe" in result.stdout


def test_a_type_of_a_pack_is_not_replaced_by_a_file(store: Path) -> None:
    text = "city,start,cost,seat row\nParis,2026-05-01,300 EUR,12\n"
    result = uac("import", "ana", file("trips.csv", text), "--as", "travel.Trip", "--yes")
    assert "left out: 'seat row': travel.Trip has no field for it" in result.stderr
    (trip,) = values(store, "travel.Trip")
    assert (trip["destination"], trip["departs"]) == ("Paris", date(2026, 5, 1))
    shown = told(uac("import", "ana", "trips.csv", "--as", "travel.Trip", "--dry-run", "--json"))
    assert [each["without"] for each in shown if "columns" in each] == [["seat row"]]


def test_an_amount_and_its_currency_are_money_in_a_type_of_ones_own(store: Path) -> None:
    text = "Item,Price,Currency\nlamp,12.50,EUR\nrug,80,SEK\n"
    assert uac("import", "ana", file("own.csv", text), "--as", "own.Purchase", "--yes").exit_code == 0
    assert values(store, "own.Purchase") == [
        {"item": "lamp", "price": euro("12.50")},
        {"item": "rug", "price": euro("80", "SEK")},
    ]


def test_the_next_file_of_a_type_of_ones_own_joins_amount_and_currency_like_the_first(store: Path) -> None:
    header = "Buchungstag;Empfänger;Betrag;Währung\n"
    first = file("october.csv", f"{header}02.10.2026;REWE;-54,20;EUR\n15.10.2026;Netflix;-12,99;EUR\n")
    second = file("november.csv", f"{header}16.11.2026;Aldi;-1.024,20;SEK\n")
    assert uac("import", "ana", first, "--as", "bank.Booking", "--yes").exit_code == 0
    assert uac("import", "ana", second, "--as", "bank.Booking").stdout == (
        "ana: november.csv: 1 record of bank.Booking\n"
    )
    assert [each["betrag"] for each in values(store, "bank.Booking")] == [
        euro("-54.20"),
        euro("-12.99"),
        euro("-1024.20", "SEK"),
    ]


def test_a_currency_column_without_joined_amounts_is_refused_with_the_ways_on(store: Path) -> None:
    assert uac("import", "ana", file("a.csv", "Item,Price\nlamp,12.50\n"), "--as", "own.Thing", "--yes").exit_code == 0
    result = uac("import", "ana", file("b.csv", "Item,Price,Currency\nrug,80,SEK\n"), "--as", "own.Thing")
    assert (result.exit_code, "own.Thing has no field for column 'Currency'" in result.stderr) == (3, True)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_a_bank_export_in_another_encoding_is_read_in_the_encoding_that_is_given(encoding: str, tmp_path: Path) -> None:
    text = "Buchungstag;Empfänger;Betrag;Währung\n02.01.2026;Müller & Söhne;-45,90;EUR\n"
    (tmp_path / "bank.csv").write_bytes(text.encode(encoding))
    arguments = ("import", "ana", str(tmp_path / "bank.csv"), "--as", "finance.Transaction")
    refused = uac(*arguments)
    assert (refused.exit_code, f"--encoding {encoding}" in refused.stderr) == (3, True)
    assert uac(*arguments, "--encoding", encoding).exit_code == 0
    assert uac("compute", "ana", "finance.transactions[0].payee").stdout == "'Müller & Söhne'\n"
    again = uac(*arguments, "--encoding", encoding)
    assert (again.exit_code, "1 line already imported" in again.stderr + again.stdout) == (0, True)


def test_an_encoding_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bank.csv").write_bytes(b"a,b\n\x81,2\n")
    arguments = ("import", "ana", str(tmp_path / "bank.csv"), "--as", "some.Thing")
    assert "bank.csv is not in cp1252: " in uac(*arguments, "--encoding", "cp1252").stderr
    assert "--encoding: 'cp99999' is not known." in uac(*arguments, "--encoding", "cp99999").stderr
