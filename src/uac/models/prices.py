"""The price of a call, from the list in the package `genai-prices`. Nothing is fetched."""

from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from uac.errors import NoModel

__all__ = ["Price", "parse_price", "price"]

MILLION = 1_000_000


class Price(NamedTuple):
    """USD per million tokens."""

    input: Decimal
    output: Decimal


def price(
    model: str, input_tokens: int, output_tokens: int, *, cached_tokens: int = 0, listed: Price | None = None
) -> Decimal | None:
    """The price in USD; None if unknown. `listed` overrides the list; `cached_tokens` are part of the input.

    Only names with a vendor ('openai:gpt-4o') are looked up: your own server may use any name for its model.
    """
    if listed is not None:
        return (listed.input * input_tokens + listed.output * output_tokens) / MILLION
    vendor, _colon, name = model.partition(":")
    if not name:
        return None
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        return None
    usage = Usage(
        input_tokens=input_tokens, output_tokens=output_tokens, cache_read_tokens=min(cached_tokens, input_tokens)
    )
    try:
        return calc_price(usage, name, provider_id=_LISTED_AS.get(vendor, vendor)).total_price
    except (LookupError, ValueError):
        return None


def parse_price(text: str) -> Price:
    """'0.25/2.00': USD per million tokens of input and of output."""
    try:
        first, second = (Decimal(part.strip()) for part in text.split("/"))
    except (ValueError, InvalidOperation):
        raise _invalid_price(text) from None
    if not (first.is_finite() and second.is_finite() and first >= 0 and second >= 0):
        raise _invalid_price(text)
    return Price(first, second)


def _invalid_price(text: str) -> NoModel:
    return NoModel(f"UAC_PRICE is {text!r}. Use USD per million tokens of input and of output, such as '0.25/2.00'.")


_LISTED_AS = {"openai-chat": "openai", "openai-responses": "openai", "google-cloud": "google"}
"""Vendors that have another name in the list."""
