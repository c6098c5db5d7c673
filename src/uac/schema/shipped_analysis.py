"""The analysis of the code that ships: made when the package is built, so that a process need not repeat it.

`make proofs` analyses every constraint of the packs and writes the results, each under a digest of the step and of the
texts that it was made of. Code that differs in one character is analysed when it is needed, as that of users always is.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

__all__ = ["SHIPPED_ANALYSIS", "AnalysisStep", "analysis_key", "shipped_analysis"]

SHIPPED_ANALYSIS = Path(__file__).with_name("shipped_analysis.json")
"""One JSON object, with one result a line."""

AnalysisStep = Literal["types", "helpers", "file", "reading", "strings", "monty"]
"""What a result is of: a pack's file of types, of helpers or of a constraint, the reading of a constraint's code, the
lines that begin inside its strings, or the edits that prepare it for Monty."""

Result = TypeVar("Result")


def shipped_analysis(step: AnalysisStep, result: type[Result], *texts: str) -> Result | None:
    """The stored result of a step for exactly these texts; None if there is none."""
    stored = _stored_results().get(analysis_key(step, *texts))
    return None if stored is None else msgspec.json.decode(stored, type=result)


def analysis_key(step: AnalysisStep, *texts: str) -> str:
    """The digest of a step and its texts, with their sizes: no other texts have the same bytes in a row."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    head = f"{step} {' '.join(str(len(each)) for each in encoded)}\n"
    return sha256(b"".join((head.encode(), *encoded))).hexdigest()


@cache
def _stored_results() -> dict[str, msgspec.Raw]:
    if not SHIPPED_ANALYSIS.is_file():
        return {}
    return msgspec.json.decode(SHIPPED_ANALYSIS.read_bytes(), type=dict[str, msgspec.Raw])
