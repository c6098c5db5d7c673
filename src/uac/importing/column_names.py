"""Which field of a pack's type a column of a bank's or a booking site's file fills, by the column's usual names."""

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from uac.schema.types import Type

__all__ = [
    "CURRENCIES",
    "Amounts",
    "ColumnFields",
    "Direction",
    "amount_with_currency",
    "direction_in_words",
    "find_column_fields",
    "is_open_text_column",
    "name_in_words",
]

CURRENCIES = frozenset(
    "AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NGN NOK NZD "
    "PEN PHP PKR PLN RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR".split()
)
"""Codes that are recognised at the end of a column name."""

Direction: TypeAlias = Literal["", "sign", "out", "in", "words"]
"""How a column shows whether money went out or came in: by its sign, by the column itself, or in words."""

_NAMES: Mapping[str, Mapping[str, str]] = {
    "finance.Transaction": {
        "on": "date, transaction date, booking date, posting date, posted date, post date, completed date, "
        "buchungstag, buchungsdatum, datum, buchung, date operation, date de l operation, fecha, fecha operacion, "
        "data, data operazione, boekdatum, bokforingsdag",
        "payee": "payee, payee name, merchant, merchant name, counterparty, counter party, counterparty name, "
        "description, transaction description, narrative, name, beneficiary, recipient, "
        "auftraggeber empfanger, empfanger, auftraggeber, zahlungsempfanger, name zahlungsbeteiligter, "
        "beguenstigter zahlungspflichtiger, begunstigter zahlungspflichtiger, zahlungspflichtige r, "
        "libelle, beneficiaire, concepto, beneficiario, naam tegenpartij, tegenpartij, descrizione",
        "what": "memo, details, purpose, notes, note, message, verwendungszweck, buchungstext, payment reference, "
        "omschrijving, causale",
        "amount": "amount, transaction amount, value, betrag, umsatz, montant, importe, importo, bedrag, belopp",
        "currency": "currency, currency code, ccy, wahrung, waehrung, devise, moneda, divisa, valuta, munt",
        "money out": "debit, debit amount, paid out, money out, withdrawal, withdrawals, withdrawal amount, spent, "
        "soll, ausgang, belastung, debito, cargo",
        "money in": "credit, credit amount, paid in, money in, deposit, deposits, deposit amount, received, "
        "haben, eingang, gutschrift, credito, abono",
        "direction": "direction, debit credit, credit debit, credit debit indicator, dr cr, cr dr, soll haben, s h, "
        "transaction type, af bij",
        "category": "category, spending category, kategorie, categorie, categoria",
        "account": "account, account name, konto, kontoname",
        "reference": "reference, transaction id, transaction reference, reference number, referenz, buchungs id",
        "invoice": "invoice, invoice number, rechnungsnummer",
    },
    "travel.Trip": {
        "destination": "destination, city, to, place, where, ziel, ort, reiseziel, stadt",
        "departs": "departs, departure, departure date, start, start date, from date, begin, abreise, beginn, von",
        "returns": "returns, return, return date, end, end date, to date, ruckkehr, ende, bis",
        "country": "country, land",
        "purpose": "purpose, reason, zweck",
        "origin": "origin, from, leaving from",
    },
}
_OUT_AND_IN: Mapping[str, Literal["out", "in"]] = {
    **dict.fromkeys(("out", "debit", "d", "dr", "dbit", "soll", "s", "belastung", "ausgang", "af"), "out"),
    **dict.fromkeys(("in", "credit", "c", "cr", "crdt", "haben", "h", "gutschrift", "eingang", "bij"), "in"),
}
_OPEN_WORDS = frozenset(
    "name names title author artist brand company shop store vendor supplier customer person people city town place "
    "location address street destination origin subject text comment comments remark remarks product item model "
    "team".split()
)
"""Words of columns whose values are never a closed list: the next file will have new ones."""


@dataclass(frozen=True, slots=True)
class Amounts:
    """How amounts are put together from several columns."""

    currency_column: str = ""
    directions: Mapping[str, Direction] = field(default_factory=dict)
    """For each column with amounts: how it shows the direction."""
    is_signed: bool = False
    """Whether the sign shows the direction even if no amount is negative, as in earlier files."""


@dataclass(frozen=True, slots=True)
class ColumnFields:
    """The field of each column that has one, and how amounts are read."""

    fields: Mapping[str, str]
    amounts: Amounts


def find_column_fields(type_: Type, columns: Sequence[str], taken: Collection[str] = ()) -> ColumnFields:
    """The fields of columns by their own or their usual names; of two columns for one field, the earlier name wins.

    `taken` are columns that the user has decided about.
    """
    usual = _NAMES.get(type_.full_name, {})
    by_name = {name_in_words(column): column for column in reversed(columns) if column not in taken}
    found: dict[str, str] = {}
    roles: dict[str, str] = {}
    for role, text in usual.items():
        for name in [role.replace("_", " "), *map(str.strip, text.split(","))]:
            if (column := by_name.get(name)) is not None and column not in roles.values():
                roles[role] = column
                break
    for column in columns:
        own = next((part.name for part in type_.fields if part.name.replace("_", " ") == name_in_words(column)), "")
        if column not in taken and own and own not in roles:
            roles[own] = column
    for role, column in roles.items():
        if type_.field(role) is not None:
            found[column] = role
    directions: dict[str, Direction] = {}
    if type_.field("direction") is not None and type_.field("amount") is not None:
        if "amount" in roles:
            directions[roles["amount"]] = "sign" if "direction" not in roles else ""
        else:
            for role, way in _SIDES.items():
                if role in roles:
                    found[roles[role]] = "amount"
                    directions[roles[role]] = way
        if "direction" in roles:
            directions[roles["direction"]] = "words"
    return ColumnFields(found, Amounts(roles.get("currency", ""), directions))


def amount_with_currency(columns: Mapping[str, Collection[str] | None]) -> tuple[str, str]:
    """The one column with amounts and the one with their currency, if a file has both; else two empty texts.

    For each column, its texts are given if they are few.
    """
    roles = _NAMES["finance.Transaction"]
    amounts = {*roles["amount"].split(", "), "price", "cost", "total", "sum", "fee", "paid", "preis", "kosten", "prix"}
    names = {column: name_in_words(column) for column in columns}
    priced = [column for column, name in names.items() if name in amounts]
    coded = [
        column
        for column, name in names.items()
        if name in roles["currency"].split(", ") and (codes := columns[column]) and CURRENCIES.issuperset(codes)
    ]
    return (priced[0], coded[0]) if len(priced) == len(coded) == 1 else ("", "")


def direction_in_words(text: str) -> Literal["out", "in"] | None:
    return _OUT_AND_IN.get(name_in_words(text))


def is_open_text_column(column: str) -> bool:
    """Whether a column holds names or texts of its own, so that its values are no closed list."""
    words = name_in_words(column)
    texts = (_NAMES["finance.Transaction"][role] for role in ("payee", "what", "account", "reference"))
    named = {name.strip() for text in texts for name in text.split(",")}
    return words in named or not _OPEN_WORDS.isdisjoint(words.split())


def name_in_words(column: str) -> str:
    """A column's name in plain lower-case words, without a currency at its end: 'Amount (GBP)' is 'amount'."""
    text = unicodedata.normalize("NFKD", column.replace("ß", "ss")).encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9]+", " ", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text).lower()).split()
    if len(words) > 1 and words[-1].upper() in CURRENCIES:
        words.pop()
    return " ".join(words)


_SIDES: Mapping[str, Literal["out", "in"]] = {"money out": "out", "money in": "in"}
