"""What a call costs, from the price list that comes with `genai-prices`. Nothing is ever fetched."""

from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from uac.errors import NoModel

__all__ = ["Price", "parse_price", "price"]

MILLION = 1_000_000


class Price(NamedTuple):
    """USD for a million tokens."""

    input: Decimal
    output: Decimal


def price(
    model: str, input_tokens: int, output_tokens: int, *, cached_tokens: int = 0, listed: Price | None = None
) -> Decimal | None:
    """In USD; None where no price is known. `listed` counts before the list; `cached_tokens` are some of the input.

    Only names with a vendor ('openai:gpt-4o') are looked up: a server of one's own may call its model anything.
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
    """'0.25/2.00': USD for a million tokens of input and of output."""
    try:
        first, second = (Decimal(part.strip()) for part in text.split("/"))
    except (ValueError, InvalidOperation):
        raise _unfit(text) from None
    if not (first.is_finite() and second.is_finite() and first >= 0 and second >= 0):
        raise _unfit(text)
    return Price(first, second)


def _unfit(text: str) -> NoModel:
    return NoModel(f"UAC_PRICE is {text!r}, needs USD per million tokens of input and of output, such as '0.25/2.00'")


_LISTED_AS = {"openai-chat": "openai", "openai-responses": "openai", "google-cloud": "google"}
"""Names of vendors here that the list has under another."""
