"""Vectors without a model's run: the mean of what each token of a text was found to mean.

The numbers come with the package wordllama. Only its files are read: importing it is slow, and its own loader goes
online. Nothing here does.
"""

import hashlib
import importlib.util
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from tokenizers import Tokenizer

from uac.errors import Refused
from uac.log.index import Vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["StaticEmbedder", "load_static", "static_embedder"]

PACKAGE = "wordllama"
WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"

TOKENS, DIMENSION = 32_000, 256
TABLE = {
    "embedding.weight": {"dtype": "F16", "shape": [TOKENS, DIMENSION], "data_offsets": [0, TOKENS * DIMENSION * 2]}
}
"""What the head of the file must say."""

RECIPE = b"mean of all tokens, length 1; 1"
"""Part of the name: another way to make vectors from the same files needs other words here."""

AT_ONCE = 4096
"""Tokens that are added up at a time, so that a long text needs little memory."""


@dataclass(frozen=True, slots=True, eq=False)
class StaticEmbedder:
    """All tokens of a text count, however long it is. Vectors are the same bytes in every process."""

    name: str
    weights: "NDArray[np.float16]" = field(repr=False)
    tokenizer: Tokenizer = field(repr=False)

    @property
    def is_near(self) -> bool:
        return True

    @property
    def dimension(self) -> int:
        return DIMENSION

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:  # noqa: ARG002 - questions are texts too
        vectors: Vectors = np.zeros((len(texts), DIMENSION), np.float32)
        for index, text in enumerate(texts):
            vectors[index] = self._direction(self._tokens(text))
        return vectors

    def _direction(self, tokens: list[int]) -> "NDArray[np.float64]":
        """Of the mean, which is that of the sum. Sums of such short numbers are exact in 64 bits: they depend neither
        on their order nor on the machine."""
        total = np.zeros(DIMENSION, np.float64)
        for start in range(0, len(tokens), AT_ONCE):
            total += self.weights[tokens[start : start + AT_ONCE]].sum(axis=0, dtype=np.float64)
        length = np.sqrt(np.square(total).sum())
        return total / length if length else total

    def _tokens(self, text: str) -> list[int]:
        """None for white space, which has tokens but says nothing. One text at a time: batches start threads."""
        if not text.strip():
            return []
        whole = text.encode("utf-8", "replace").decode("utf-8")  # the tokenizer takes no halves of characters
        return self.tokenizer.encode(whole, add_special_tokens=False).ids


def static_embedder() -> StaticEmbedder:
    """The one of this process. ImportError says which package is not there."""
    with _LOADING:
        return _loaded()


_LOADING = threading.Lock()


@lru_cache(maxsize=1)
def _loaded() -> StaticEmbedder:
    # Only looked for: nothing in the package is run.
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"No module named {PACKAGE!r}", name=PACKAGE)
    return load_static(Path(next(iter(found.submodule_search_locations))))


def load_static(folder: Path) -> StaticEmbedder:
    """From the files of the package in `folder`; Refused if they are not the ones that are known here."""
    weights, tokens = folder / WEIGHTS, folder / TOKENIZER
    for path in (weights, tokens):
        if not path.is_file():
            raise Refused(f"the embedder's file {path.name} is not there: needs {PACKAGE} 0.4.0.post1, installed anew")
    return StaticEmbedder(
        name=f"{PACKAGE}/{weights.stem}-{_digest(weights, tokens)}",
        weights=_mapped(weights),
        tokenizer=_tokenizer(tokens),
    )


def _mapped(path: Path) -> "NDArray[np.float16]":
    """The table of the file, as it lies on disk. The file's form: the length of its head, the head, the numbers."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        head = file.read(length) if length <= AT_ONCE else b""
    try:
        table = msgspec.json.decode(head)
    except msgspec.DecodeError:
        table = None
    if table != TABLE or path.stat().st_size != 8 + length + TOKENS * DIMENSION * 2:
        raise Refused(f"{path.name} is not the known one: needs {TOKENS} rows of {DIMENSION} numbers of 16 bits")
    return np.memmap(path, dtype="<f2", mode="r", offset=8 + length, shape=(TOKENS, DIMENSION)).view(np.ndarray)


def _tokenizer(path: Path) -> Tokenizer:
    """Cuts nothing off and fills nothing up, whatever the file says."""
    try:
        tokenizer = Tokenizer.from_buffer(path.read_bytes())
    except ValueError:
        tokenizer = None
    if tokenizer is None or tokenizer.get_vocab_size() != TOKENS:
        raise Refused(f"{path.name} is not the known one: needs a tokenizer of {TOKENS} tokens")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _digest(*paths: Path) -> str:
    parts = [hashlib.sha256(RECIPE).digest()]
    for path in paths:
        with path.open("rb") as file:
            parts.append(hashlib.file_digest(file, "sha256").digest())
    return hashlib.sha256(b"".join(parts)).hexdigest()[:12]
