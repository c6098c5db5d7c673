"""Static embeddings: the vector of a text is the mean of its tokens' vectors. No model runs.

The vectors come with the package wordllama. Only its files are read: importing it is slow, and its loader goes online.
"""

import mmap
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from uac.errors import Refused
from uac.log.index import Vectors
from uac.models.embedders.model_files import installed_folder, model_files_digest
from uac.models.embedders.word_pieces import WordPieces, decode_word_pieces

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
    tokenizer: WordPieces = field(repr=False)
    release: Callable[[], None] = field(default=lambda: None, repr=False)
    """Give back the memory of the table, which is read from its file again when it is needed."""

    @property
    def is_near(self) -> bool:
        return True

    @property
    def dimension(self) -> int:
        return DIMENSION

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:  # noqa: ARG002 - questions are texts too
        pieces = [self._token_ids(text) for text in texts]
        counts = np.array([len(numbers) for numbers in pieces], np.int64)
        sums = self._sums([number for numbers in pieces for number in numbers], counts)
        self.release()
        lengths = np.sqrt(np.square(sums).sum(axis=1, keepdims=True))
        vectors: Vectors = np.divide(sums, lengths, out=sums, where=lengths > 0).astype(np.float32)
        return vectors

    def _sums(self, tokens: list[int], counts: "NDArray[np.int64]") -> "NDArray[np.float64]":
        """The sum of each text's vectors, whose direction is that of the mean. Sums of 16-bit floats are exact in 64
        bits: neither their order nor the machine matters."""
        sums = np.zeros((len(counts), DIMENSION), np.float64)
        texts = np.repeat(np.arange(len(counts)), counts)
        for start in range(0, len(tokens), AT_ONCE):
            own = texts[start : start + AT_ONCE]
            first = np.flatnonzero(np.diff(own, prepend=-1))  # where the tokens of another text begin
            vectors = self.weights[tokens[start : start + AT_ONCE]].astype(np.float64)
            sums[own[first]] += np.add.reduceat(vectors, first, axis=0)
        return sums

    def _token_ids(self, text: str) -> list[int]:
        """No tokens for white space, which means nothing."""
        if not text.strip():
            return []
        return self.tokenizer.numbers(text.encode("utf-8", "replace").decode("utf-8"))  # no lone surrogates


def static_embedder() -> StaticEmbedder:
    """The embedder of this process. ImportError names a missing package."""
    with _LOADING:
        return _installed_embedder()


_LOADING = threading.Lock()


@lru_cache(maxsize=1)
def _installed_embedder() -> StaticEmbedder:
    folder = installed_folder(PACKAGE)
    if folder is None:
        raise ModuleNotFoundError(f"No module named {PACKAGE!r}", name=PACKAGE)
    return load_static(folder)


def load_static(folder: Path) -> StaticEmbedder:
    """Load the package's files in `folder`; Refused if they are not the expected ones."""
    weights, tokens = folder / WEIGHTS, folder / TOKENIZER
    for path in (weights, tokens):
        if not path.is_file():
            raise Refused(f"The embedder's file {path.name} is missing. Install {PACKAGE} 0.4.0.post1 again.")
    table = _map_weights_table(weights)
    return StaticEmbedder(
        name=f"{PACKAGE}/{weights.stem}-{model_files_digest(RECIPE, folder, (weights, tokens))}",
        weights=np.frombuffer(table, "<f2", TOKENS * DIMENSION, len(table) - TOKENS * DIMENSION * 2).reshape(
            TOKENS, DIMENSION
        ),
        tokenizer=_load_tokenizer(tokens),
        # Each row that is read maps many others beside it: after some questions, the whole table is in memory.
        release=partial(table.madvise, mmap.MADV_DONTNEED) if hasattr(mmap, "MADV_DONTNEED") else lambda: None,
    )


def _map_weights_table(path: Path) -> mmap.mmap:
    """The file, mapped from disk. It has the length of its header, the header, and the numbers."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        head = file.read(length) if length <= AT_ONCE else b""
    try:
        table = msgspec.json.decode(head)
    except msgspec.DecodeError:
        table = None
    if table != TABLE or path.stat().st_size != 8 + length + TOKENS * DIMENSION * 2:
        raise Refused(f"{path.name} is not the expected file. It needs {TOKENS} rows of {DIMENSION} 16-bit numbers.")
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _load_tokenizer(path: Path) -> WordPieces:
    tokenizer = None
    if path.stat().st_size:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            tokenizer = decode_word_pieces(data)
    if tokenizer is None or tokenizer.size != TOKENS:
        raise Refused(f"{path.name} is not the expected file. It must be a tokenizer of {TOKENS} tokens.")
    return tokenizer
