"""The meaning of words in any language: dates, numbers, stems, quotes and tokens. It knows no user.

Comes in: text. Goes out: periods, numbers, search terms and positions of quotes.
"""

from uac.text.token_count import count_tokens

__all__ = ["count_tokens"]
