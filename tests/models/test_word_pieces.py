"""The pieces of words are those that the tokenizer's own package gives."""

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uac.models.embedders.static import PACKAGE, TOKENIZER
from uac.models.embedders.word_pieces import WordPieces, decode_word_pieces

tokenizers = pytest.importorskip("tokenizers")
found = importlib.util.find_spec(PACKAGE)
if found is None or not found.submodule_search_locations:
    pytest.skip("the embedder is not installed", allow_module_level=True)
FILE = (Path(next(iter(found.submodule_search_locations))) / TOKENIZER).read_bytes()


@pytest.fixture(scope="module")
def pieces() -> WordPieces:
    decoded = decode_word_pieces(FILE)
    assert decoded is not None
    return decoded


@pytest.fixture(scope="module")
def theirs() -> object:
    tokenizer = tokenizers.Tokenizer.from_buffer(FILE)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


words = st.sampled_from(
    ["the", "▁", " ", "  ", "\n", "<s>", "</s>", "<unk>", "<", "naïve", "東京", "😀", "\x00", "aaaa"]
)
texts = st.lists(st.one_of(words, st.text(max_size=12)), max_size=12).map("".join)


@given(texts)
def test_every_text_has_the_same_pieces_as_in_the_package(pieces: WordPieces, theirs: object, text: str) -> None:
    assert pieces.numbers(text) == theirs.encode(text, add_special_tokens=False).ids  # type: ignore[attr-defined]


def test_a_word_of_a_hundred_thousand_letters_is_cut_as_well(pieces: WordPieces) -> None:
    assert len(pieces.numbers("ab" * 50_000)) > 10_000


def test_a_file_without_a_vocabulary_is_none() -> None:
    assert [decode_word_pieces(data) for data in (b"", b"{}", b'{"model": {"vocab": []}}')] == [None] * 3


@pytest.mark.parametrize(
    "file", ['{"model": {"vocab": %s, "merges": ["a b"]}}', '{"model":{"vocab":%s,"merges":["a b"]}}']
)
def test_a_vocabulary_is_decoded_however_the_file_is_written(file: str) -> None:
    decoded = decode_word_pieces((file % '{"a": 0, "merges": 1, "vocab": 2, "}": 3}').encode())
    assert decoded is not None
    assert decoded.size == 4


def test_of_all_texts_the_pieces_of_at_most_sixteen_thousand_words_are_remembered(pieces: WordPieces) -> None:
    pieces.numbers(" ".join(map(str, range(20_000))))
    assert len(pieces._known) <= 2**14
