"""Static embeddings: the vector of a text is the mean of its tokens' vectors. No model runs.

The vectors come with the package wordllama. Only its files are read: importing it is slow, and its loader goes online.
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
"""The expected header of the file."""

RECIPE = b"mean of all tokens, length 1; 1"
"""Part of the name: change it if vectors are computed differently from the same files."""

AT_ONCE = 4096
"""Tokens summed at a time, so that a long text needs little memory."""


@dataclass(frozen=True, slots=True, eq=False)
class StaticEmbedder:
    """Uses all tokens of a text, however long. Vectors are the same bytes in every process."""

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
            vectors[index] = self._mean_direction(self._token_ids(text))
        return vectors

    def _mean_direction(self, tokens: list[int]) -> "NDArray[np.float64]":
        """The direction of the mean, which is that of the sum. Sums of 16-bit floats are exact in 64 bits:
        neither their order nor the machine matters."""
        total = np.zeros(DIMENSION, np.float64)
        for start in range(0, len(tokens), AT_ONCE):
            total += self.weights[tokens[start : start + AT_ONCE]].sum(axis=0, dtype=np.float64)
        length = np.sqrt(np.square(total).sum())
        return total / length if length else total

    def _token_ids(self, text: str) -> list[int]:
        """No tokens for white space, which means nothing. One text at a time: batches start threads."""
        if not text.strip():
            return []
        whole = text.encode("utf-8", "replace").decode("utf-8")  # the tokenizer refuses lone surrogates
        return self.tokenizer.encode(whole, add_special_tokens=False).ids


def static_embedder() -> StaticEmbedder:
    """The embedder of this process. ImportError names a missing package."""
    with _LOADING:
        return _installed_embedder()


_LOADING = threading.Lock()


@lru_cache(maxsize=1)
def _installed_embedder() -> StaticEmbedder:
    # The package is only located, never imported.
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"No module named {PACKAGE!r}", name=PACKAGE)
    return load_static(Path(next(iter(found.submodule_search_locations))))


def load_static(folder: Path) -> StaticEmbedder:
    """Load the package's files in `folder`; Refused if they are not the expected ones."""
    weights, tokens = folder / WEIGHTS, folder / TOKENIZER
    for path in (weights, tokens):
        if not path.is_file():
            raise Refused(f"The embedder's file {path.name} is missing. Install {PACKAGE} 0.4.0.post1 again.")
    return StaticEmbedder(
        name=f"{PACKAGE}/{weights.stem}-{_model_files_digest(weights, tokens)}",
        weights=_map_weights_table(weights),
        tokenizer=_load_tokenizer(tokens),
    )


def _map_weights_table(path: Path) -> "NDArray[np.float16]":
    """The table, mapped from disk. The file has the length of its header, the header, and the numbers."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        head = file.read(length) if length <= AT_ONCE else b""
    try:
        table = msgspec.json.decode(head)
    except msgspec.DecodeError:
        table = None
    if table != TABLE or path.stat().st_size != 8 + length + TOKENS * DIMENSION * 2:
        raise Refused(f"{path.name} is not the expected file. It needs {TOKENS} rows of {DIMENSION} 16-bit numbers.")
    return np.memmap(path, dtype="<f2", mode="r", offset=8 + length, shape=(TOKENS, DIMENSION)).view(np.ndarray)


def _load_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer without truncation or padding, whatever the file says."""
    try:
        tokenizer = Tokenizer.from_buffer(path.read_bytes())
    except ValueError:
        tokenizer = None
    if tokenizer is None or tokenizer.get_vocab_size() != TOKENS:
        raise Refused(f"{path.name} is not the expected file. It must be a tokenizer of {TOKENS} tokens.")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _model_files_digest(*paths: Path) -> str:
    parts = [hashlib.sha256(RECIPE).digest()]
    for path in paths:
        with path.open("rb") as file:
            parts.append(hashlib.file_digest(file, "sha256").digest())
    return hashlib.sha256(b"".join(parts)).hexdigest()[:12]
