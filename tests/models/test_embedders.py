"""The embedder that is installed, and which one the settings choose. No network: test_embedder_vendor.py has that."""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uac.errors import Refused
from uac.models.embedder import Embedder
from uac.models.embedders import chosen_embedder, why_no_embedder
from uac.models.embedders.static import TOKENIZER, WEIGHTS, load_static, static_embedder
from uac.models.embedders.vendor import Prefixes, VendorEmbedder
from uac.testing.embedder import ODD, SENTENCES, EmbedderContract

HOST = "http://127.0.0.1:9/v1"

has_files = pytest.mark.skipif(
    importlib.util.find_spec("wordllama") is None, reason="wordllama has no wheel for this platform"
)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A copy of the files that the embedder reads."""
    found = importlib.util.find_spec("wordllama")
    assert found is not None
    assert found.origin is not None
    for name in (WEIGHTS, TOKENIZER):
        (tmp_path / name).parent.mkdir(parents=True)
        shutil.copy(Path(found.origin).parent / name, tmp_path / name)
    return tmp_path


def spoil(path: Path, at: int, change: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(change)


@has_files
class TestStatic(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return static_embedder()

    @pytest.fixture
    def other(self, installed: Path) -> Embedder:
        """One number of one token is another."""
        spoil(installed / WEIGHTS, 100_000, b"\x00\x3c")
        return load_static(installed)


# --- the installed one ---


@has_files
def test_a_vector_is_the_direction_of_the_mean_over_all_tokens() -> None:
    static = static_embedder()
    tokens = static.tokenizer.numbers("We fly to Lisbon")
    mean = static.weights.astype(np.float64)[tokens].mean(axis=0)
    expected = (mean / np.linalg.norm(mean)).astype(np.float32)
    assert np.allclose(static.embed(["We fly to Lisbon"]), [expected], rtol=0, atol=1e-7)


@has_files
@settings(max_examples=40, deadline=None)
@given(texts=st.lists(st.text(max_size=80) | st.sampled_from([*SENTENCES, *ODD]), max_size=12), data=st.data())
def test_vectors_are_the_same_bytes_in_any_batch_and_order(texts: list[str], data: st.DataObject) -> None:
    static = static_embedder()
    rows = {text: row.tobytes() for text, row in zip(texts, static.embed(texts), strict=True)}
    others = data.draw(st.permutations(texts))
    assert [static.embed([text])[0].tobytes() for text in texts] == [rows[text] for text in texts]
    assert static.embed(others).tobytes() == b"".join(rows[text] for text in others)


@has_files
def test_what_means_the_same_is_closer_than_what_does_not() -> None:
    question, near, far = static_embedder().embed(
        ["Which medicine must my sister avoid?", SENTENCES[0], "The train to Graz leaves at noon"]
    )
    assert question @ near > question @ far


IN_A_CHILD = """
import hashlib, socket, sys

def refused(*arguments, **options):
    raise SystemExit("the network was asked for")

class Refusing(socket.socket):
    __init__ = refused

socket.socket, socket.create_connection, socket.getaddrinfo = Refusing, refused, refused

from uac.models.embedders import chosen_embedder
from uac.testing.embedder import ODD, SENTENCES

embedder = chosen_embedder({})
assert embedder is not None
loaded = {"wordllama", "huggingface_hub", "httpx2", "pydantic_ai"} & set(sys.modules)
print(embedder.name, hashlib.sha256(embedder.embed([*SENTENCES, *ODD]).tobytes()).hexdigest(), sorted(loaded))
"""


@has_files
@pytest.mark.parametrize("seed", ["0", "1"])
def test_another_process_has_the_same_bytes_without_a_network(seed: str) -> None:
    here = static_embedder()
    digest = hashlib.sha256(here.embed([*SENTENCES, *ODD]).tobytes()).hexdigest()
    assert in_child(IN_A_CHILD, PYTHONHASHSEED=seed) == f"{here.name} {digest} []"


@has_files
def test_it_is_loaded_once_by_however_many_threads() -> None:
    with ThreadPoolExecutor(max_workers=8) as threads:
        found = list(threads.map(lambda _: chosen_embedder({}), range(16)))
    assert {id(embedder) for embedder in found} == {id(static_embedder())}


@has_files
def test_its_numbers_stay_on_disk_and_cannot_be_changed() -> None:
    weights = static_embedder().weights
    assert (weights.dtype.name, weights.shape, weights.flags.writeable) == ("float16", (32000, 256), False)


@has_files
@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="the system does not tell which files are in memory")
def test_its_numbers_leave_memory_after_each_use(installed: Path) -> None:
    embedder = load_static(installed)
    for number in range(50):
        embedder.embed([f"{word} {number}" for word in SENTENCES])
    mapped = Path("/proc/self/smaps").read_text().split(str(installed / WEIGHTS))[1]
    assert re.search(r"^Rss: +(\d+) kB", mapped, re.MULTILINE)[1] == "0"  # type: ignore[index]  # it has that line


@has_files
def test_a_copy_of_the_files_has_the_same_name_and_numbers(installed: Path) -> None:
    copy = load_static(installed)
    assert copy.name == static_embedder().name
    assert copy.embed(SENTENCES).tobytes() == static_embedder().embed(SENTENCES).tobytes()


@has_files
def test_what_shows_an_embedder_is_its_name() -> None:
    static = static_embedder()
    assert repr(static) == f"StaticEmbedder(name={static.name!r})"


BROKEN: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "no weights": (WEIGHTS, lambda path: path.unlink(), "l2_supercat_256.safetensors is missing"),
    "no tokenizer": (TOKENIZER, lambda path: path.unlink(), "l2_supercat_tokenizer_config.json is missing"),
    "no bytes": (WEIGHTS, lambda path: path.write_bytes(b""), "needs 32000 rows of 256 16-bit numbers"),
    "a byte less": (WEIGHTS, lambda path: os.truncate(path, path.stat().st_size - 1), "needs 32000 rows of 256 16-bit numbers"),
    "a huge head": (WEIGHTS, lambda path: spoil(path, 0, b"\xff" * 8), "needs 32000 rows of 256 16-bit numbers"),
    "a head of no JSON": (WEIGHTS, lambda path: spoil(path, 8, b"]"), "needs 32000 rows of 256 16-bit numbers"),
    "another shape": (WEIGHTS, lambda path: spoil(path, 8, b'{"other_tokens.wght"'), "needs 32000 rows of 256 16-bit numbers"),
    "an empty tokenizer": (TOKENIZER, lambda path: path.write_text(""), "must be a tokenizer of 32000 tokens"),
    "no tokens": (TOKENIZER, lambda path: path.write_text("{}"), "must be a tokenizer of 32000 tokens"),
    "a pointer": (TOKENIZER, lambda path: path.write_text("version 1"), "must be a tokenizer of 32000 tokens"),
}  # fmt: skip


@has_files
@pytest.mark.parametrize("kind", BROKEN)
def test_files_that_are_not_the_known_ones_are_refused(kind: str, installed: Path) -> None:
    name, spoiled, words = BROKEN[kind]
    spoiled(installed / name)
    with pytest.raises(Refused, match=words):
        load_static(installed)


# --- settings ---


@has_files
@pytest.mark.parametrize("environ", [{}, {"UAC_EMBEDDER": ""}, {"UAC_EMBEDDER": " static "}])
def test_the_installed_one_is_chosen_by_default(environ: dict[str, str]) -> None:
    assert chosen_embedder(environ) is static_embedder()
    assert why_no_embedder(environ) == ""


def test_none_is_none_and_says_so() -> None:
    environ = {"UAC_EMBEDDER": "none", "UAC_EMBEDDER_URL": HOST}
    assert chosen_embedder(environ) is None
    assert why_no_embedder(environ) == "UAC_EMBEDDER is 'none'"


def test_a_server_is_chosen_by_address_and_the_name_of_its_model() -> None:
    chosen = chosen_embedder(
        {
            "UAC_EMBEDDER": "nomic-embed-text:v1.5",
            "UAC_EMBEDDER_URL": HOST,
            "UAC_EMBEDDER_KEY": "mine",
            "UAC_EMBEDDER_DIMENSION": "256",
            "UAC_EMBEDDER_QUERY_PREFIX": "query: ",
            "UAC_EMBEDDER_TEXT_PREFIX": "passage: ",
        }
    )
    assert isinstance(chosen, VendorEmbedder)
    assert (chosen.server.model, chosen.server.url, chosen.server.key) == ("nomic-embed-text:v1.5", HOST, "mine")
    assert (chosen.shortened, chosen.prefixes) == (256, Prefixes("query: ", "passage: "))
    assert why_no_embedder({"UAC_EMBEDDER": "x", "UAC_EMBEDDER_URL": HOST}) == ""


def test_a_vendor_is_chosen_by_name_and_its_own_key() -> None:
    chosen = chosen_embedder({"UAC_EMBEDDER": "openai:text-embedding-3-small", "OPENAI_API_KEY": "sk-theirs"})
    assert isinstance(chosen, VendorEmbedder)
    assert (chosen.server.model, chosen.server.url) == ("text-embedding-3-small", "https://api.openai.com/v1")
    assert chosen.server.key == "sk-theirs"


@pytest.mark.parametrize("name", ["openai:text-embedding-3-small", "served"])
def test_a_vendors_key_is_not_for_another_server(name: str) -> None:
    chosen = chosen_embedder({"UAC_EMBEDDER": name, "UAC_EMBEDDER_URL": HOST, "OPENAI_API_KEY": "sk-theirs"})
    assert isinstance(chosen, VendorEmbedder)
    assert (chosen.server.model, chosen.server.key) == (name, "")


SERVED = {"UAC_EMBEDDER": "served", "UAC_EMBEDDER_URL": HOST}
BAD = {
    "a name alone": ({"UAC_EMBEDDER": "e5"}, "UAC_EMBEDDER is 'e5'. Use 'static', 'minilm', 'none' or 'openai:' with a model"),
    "no model": ({"UAC_EMBEDDER": "openai:"}, "UAC_EMBEDDER is 'openai:'. Use"),
    "another vendor": ({"UAC_EMBEDDER": "acme:e5"}, "UAC_EMBEDDER is 'acme:e5'. Use"),
    "no key": ({"UAC_EMBEDDER": "openai:e5"}, "Set OPENAI_API_KEY or UAC_EMBEDDER_KEY"),
    "an address alone": ({"UAC_EMBEDDER_URL": HOST}, "UAC_EMBEDDER is ''. Set it to the server's name"),
    "static with an address": ({**SERVED, "UAC_EMBEDDER": "static"}, "UAC_EMBEDDER is 'static'. Set it to the server's name"),
    "no address": ({**SERVED, "UAC_EMBEDDER_URL": "localhost:80"}, "UAC_EMBEDDER_URL is not an address"),
    "a password": ({**SERVED, "UAC_EMBEDDER_URL": "http://u:p@h/v1"}, "UAC_EMBEDDER_URL is not .*without a password"),
    "a port of words": ({**SERVED, "UAC_EMBEDDER_URL": "http://h:x/"}, "UAC_EMBEDDER_URL is not an address"),
    "a key of two lines": ({**SERVED, "UAC_EMBEDDER_KEY": "a\nb"}, "UAC_EMBEDDER_KEY has characters that no key has"),
    "a dimension of words": ({**SERVED, "UAC_EMBEDDER_DIMENSION": "big"}, "UAC_EMBEDDER_DIMENSION is 'big'. Use"),
    "no dimension": ({**SERVED, "UAC_EMBEDDER_DIMENSION": "0"}, "UAC_EMBEDDER_DIMENSION is '0'. Use"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_settings_that_do_not_go_together_are_refused(kind: str) -> None:
    environ, words = BAD[kind]
    with pytest.raises(Refused, match=words):
        chosen_embedder(environ)


# --- platforms that lack a package ---

WITHOUT = """
import sys

for name in {missing!r}:
    sys.modules[name] = None

from uac.models.embedder import Embedder
from uac.log.index import Vectors
from uac.models.embedders import chosen_embedder, why_no_embedder
from uac.errors import Refused
from uac.models.rerankers import chosen_reranker

def told(environ):
    try:
        return repr(chosen_embedder(environ))
    except Refused as refused:
        return str(refused)

print(chosen_embedder({{}}), "|", why_no_embedder({{}}), "|", told({{"UAC_EMBEDDER": {wanted!r}, "UAC_EMBEDDER_URL": {url!r}}}))
"""


@pytest.mark.parametrize("package", ["numpy"])
def test_where_a_package_is_missing_there_is_none_and_it_says_which(package: str) -> None:
    told = in_child(WITHOUT.format(missing=[package], wanted="static", url=""))
    assert told.split(" | ") == [
        "None",
        f"{package} is not installed, or not for this platform",
        f"UAC_EMBEDDER is 'static', but {package} is not installed. Install it, or use 'none'.",
    ]


def test_a_server_without_its_client_is_refused_with_the_extra_that_has_it() -> None:
    told = in_child(WITHOUT.format(missing=["httpx2"], wanted="served", url=HOST))
    assert told.split(" | ")[2] == (
        "UAC_EMBEDDER is 'served', but httpx2 is not installed. Install it: pip install '.[models]'"
    )


def test_where_the_weights_are_missing_there_is_none() -> None:
    hidden = textwrap.dedent(
        """
        import importlib.util
        import sys

        found = importlib.util.find_spec
        importlib.util.find_spec = lambda name, package=None: None if name == "wordllama" else found(name, package)

        from uac.models.embedders import chosen_embedder, why_no_embedder

        print(chosen_embedder({}), "|", why_no_embedder({}))
        """
    )
    assert in_child(hidden) == "None | wordllama is not installed, or not for this platform"


def in_child(code: str, **environ: str) -> str:
    """What it prints, in a process of its own where warnings are errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environ},
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()
