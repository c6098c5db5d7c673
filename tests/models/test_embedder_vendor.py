"""Embedders and rerankers behind a network, against a server on this machine that misbehaves as it is told."""

import hashlib
import itertools
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.fake_vendor_server import Act, Loopback, drip, fails, loopback, no_proxy, nobody, raw
from support.vendor_contract import KEY, VendorCall, VendorClientContract
from uac.errors import ModelError, NoModel, Refused, Unreachable
from uac.models.embedder import Embedder
from uac.models.embedders import chosen_embedder
from uac.models.embedders.vendor import Prefixes, VendorEmbedder
from uac.models.reranker import Reranker
from uac.models.rerankers import chosen_reranker
from uac.models.rerankers.vendor import VendorReranker
from uac.models.retry import REMEDIES
from uac.models.server import ModelServer
from uac.testing.embedder import EmbedderContract
from uac.testing.reranker import RerankerContract

WORDS = "My sister Margarethe is allergic to penicillin"


# --- a server with meaning: a text is the sum of its words ---


def answer(path: str, body: dict[str, Any], _act: Act) -> bytes:
    """Never in the order of the texts: the numbers tell which is which."""
    if path.endswith("/embeddings"):
        assert all(text.strip() for text in body["input"])
        return vectors(
            *([4 * number for number in meaning(text, body.get("dimensions", 64))] for text in body["input"])
        )
    found = [{"index": at, "relevance_score": shared(body["query"], text)} for at, text in enumerate(body["documents"])]
    return json.dumps({"results": sorted(found, key=lambda item: -item["relevance_score"])}).encode()


def vectors(*rows: list[float]) -> bytes:
    items = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)]
    return json.dumps({"object": "list", "data": items[::-1], "model": "as-served"}).encode()


def meaning(text: str, dimension: int) -> list[float]:
    words = [random.Random(hashlib.sha256(word.encode()).digest()) for word in text.split()]
    return [sum(word.gauss(0, 1) for word in words) for _ in range(dimension)]


def shared(query: str, text: str) -> float:
    return len({*query.lower().split()} & {*text.lower().split()}) / 8


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """No proxy stands between."""
    no_proxy(monkeypatch)
    with loopback(answer) as server:
        yield server


@pytest.fixture
def waits() -> list[float]:
    """How long was waited between tries, in seconds that nobody waited."""
    return []


@pytest.fixture
def at(server: Loopback, waits: list[float]) -> Callable[..., ModelServer]:
    def at(**options: Any) -> ModelServer:
        setting = options.pop("setting", "UAC_EMBEDDER")
        chosen = {"url": f"{server.address}/v1", "key": KEY, "timeout": 300.0, "sleep": waits.append, **options}
        return ModelServer("served", setting=setting, **chosen)

    return at


At = Callable[..., ModelServer]


class TestVendorEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, at: At) -> Embedder:
        return VendorEmbedder(at())

    @pytest.fixture
    def other(self, at: At) -> Embedder:
        return VendorEmbedder(at(), shortened=32)


class TestVendorEmbedderWithPrefixes(EmbedderContract):
    @pytest.fixture
    def embedder(self, at: At) -> Embedder:
        return VendorEmbedder(at(), prefixes=Prefixes("query: ", "passage: "), longest=1000, batch=7)

    @pytest.fixture
    def other(self, at: At) -> Embedder:
        return VendorEmbedder(at(), prefixes=Prefixes("search: ", "passage: "), longest=1000, batch=7)


class TestVendorReranker(RerankerContract):
    @pytest.fixture
    def reranker(self, at: At) -> Reranker:
        return VendorReranker(at(setting="UAC_RERANKER"))


# --- both, alike ---


@dataclass(frozen=True)
class Kind:
    """An embedder or a reranker, and one thing that is asked of it."""

    name: str
    ask: Callable[[ModelServer], list[float]]
    well: list[float]
    body: bytes


def embed(server: ModelServer) -> list[float]:
    row: list[float] = VendorEmbedder(server, shortened=2).embed([WORDS])[0].tolist()
    return row


def rerank(server: ModelServer) -> list[float]:
    return VendorReranker(server).scores("who is allergic to what", [WORDS, "The garden"])


KINDS = (
    Kind("embedder", embed, np.array([0.6, 0.8], np.float32).tolist(), vectors([3.0, 4.0])),
    Kind(
        "reranker",
        rerank,
        [0.5, 0.25],
        b'{"results": [{"index": 1, "relevance_score": 0.25}, {"index": 0, "relevance_score": 0.5}]}',
    ),
)

both = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


class EmbedderOrRerankerContract(VendorClientContract):
    kind: Kind

    @pytest.fixture
    def call(self, at: At) -> VendorCall:
        return VendorCall(
            open=at, use=self.kind.ask, answer=raw(self.kind.body), result=self.kind.well, words=f"\n{WORDS}"
        )


class TestEmbedderClient(EmbedderOrRerankerContract):
    kind = KINDS[0]


class TestRerankerClient(EmbedderOrRerankerContract):
    kind = KINDS[1]


USELESS = {
    "no UTF-8": raw(b'{"data": "\xff"}'),
    "a list": raw(b"[]"),
    "nothing": raw(b""),
    "no items": raw(b'{"data": [], "results": []}'),
    "broken compression": Act(headers=(("Content-Encoding", "gzip"),), body=b"not compressed"),
}


@both
@pytest.mark.parametrize("act", USELESS)
def test_a_useless_answer_is_asked_for_again(
    kind: Kind, act: str, at: At, server: Loopback, waits: list[float]
) -> None:
    server.will(USELESS[act], USELESS[act], raw(kind.body))
    assert kind.ask(at()) == kind.well
    assert (waits, len(server.asked)) == ([1.0, 2.0], 3)


@both
@pytest.mark.parametrize(("asks", "waited"), [("-1", 1.0), ("nan", 1.0), ("inf", 60.0)])
def test_a_strange_time_to_wait_is_a_second_or_a_minute(
    kind: Kind, asks: str, waited: float, at: At, server: Loopback, waits: list[float]
) -> None:
    server.will(fails(429, retry_after=asks), raw(kind.body))
    assert kind.ask(at()) == kind.well
    assert waits == [waited]


@both
def test_an_answer_that_drips_in_ends_with_the_time_that_was_set(kind: Kind, at: At, server: Loopback) -> None:
    server.will(drip())
    with pytest.raises(Unreachable, match=r"^served did not answer in time\. Try again later\.$"):
        kind.ask(at(timeout=0.2, tries=1))


@both
def test_an_answer_without_end_is_not_read_to_its_end(
    kind: Kind, at: At, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("uac.models.server.MAX_ANSWER_BYTES", 5)
    server.will(drip())
    with pytest.raises(ModelError, match=r"^served gave more than 5 bytes\. "):
        kind.ask(at())
    assert len(server.asked) == 1


@both
def test_nobody_at_the_address_is_unreachable(kind: Kind, at: At, waits: list[float]) -> None:
    with pytest.raises(Unreachable, match=r"^served cannot be reached"):
        kind.ask(at(url=f"{nobody()}/v1"))
    assert waits == [1.0, 2.0, 4.0]


LASTING: dict[str, tuple[Act, type[ModelError], str]] = {
    "401": (fails(401, "bad key"), NoModel, "rejects the key of UAC_EMBEDDER_KEY (401): bad key"),
    "403": (fails(403, "not yours"), NoModel, "rejects the key of UAC_EMBEDDER_KEY (403): not yours"),
    "404": (fails(404, "no such model"), NoModel, "is unknown to the server (404): no such model"),
    "400": (fails(400, "too long"), ModelError, "rejects the request (400): too long"),
    "413": (Act(status=413, body=b'{"error": "batch size > 8", "type": "x"}'), ModelError, "rejects the request (413): batch size > 8"),
    "422": (Act(status=422, body=b'{"detail": "bad input"}'), ModelError, "rejects the request (422): bad input"),
    "402": (fails(402, "pay"), Unreachable, "has no quota left (402): pay"),
    "quota": (fails(429, "no more", code="insufficient_quota"), Unreachable, "has no quota left (429): no more"),
    "418": (fails(418, "a teapot"), ModelError, "does not answer (418): a teapot"),
    "a page": (Act(status=400, body=b"<p>My sister Margarethe</p>"), ModelError, "rejects the request (400)"),
}  # fmt: skip


@both
@pytest.mark.parametrize("act", LASTING)
def test_what_lasts_is_told_at_once_in_the_servers_words(
    kind: Kind, act: str, at: At, server: Loopback, waits: list[float]
) -> None:
    does, error, words = LASTING[act]
    server.will(does)
    with pytest.raises(ModelError) as failed:
        kind.ask(at())
    assert (type(failed.value), str(failed.value)) == (error, f"served {words}. {REMEDIES[error]}")
    assert (waits, len(server.asked)) == ([], 1)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from("data results index embedding relevance_score error message".split()), inner, max_size=4
        )
    ),
    max_leaves=8,
)


@both
def test_whatever_json_comes_it_is_an_answer_or_a_model_error(kind: Kind, at: At, server: Loopback) -> None:
    @settings(max_examples=60, deadline=None)
    @given(body=json_values, status=st.sampled_from([200, 400, 500]))
    def comes(body: object, status: int) -> None:
        server.will(Act(status=status, body=json.dumps(body).encode()))
        try:
            found = kind.ask(at(tries=1))
        except ModelError:
            return
        assert len(found) == len(kind.well)
        assert np.isfinite(found).all()

    comes()


# --- key and words ---


@both
def test_a_key_goes_in_one_header_and_without_a_key_there_is_none(kind: Kind, at: At, server: Loopback) -> None:
    server.will(raw(kind.body), raw(kind.body))
    kind.ask(at())
    kind.ask(at(key=""))
    assert [asked.headers.get("authorization") for asked in server.asked] == [f"Bearer {KEY}", None]
    assert [KEY in f"{asked.path} {asked.body}" for asked in server.asked] == [False, False]


def test_a_name_tells_no_key_and_is_the_same_with_another(at: At) -> None:
    one, other = VendorEmbedder(at()), VendorEmbedder(at(key="another"))
    assert one.name == other.name
    assert KEY not in one.name + repr(one)


# --- what an embedder sends and takes ---


def test_texts_are_sent_in_batches_once_each_and_without_empty_ones(at: At, server: Loopback) -> None:
    embedder = VendorEmbedder(at(), shortened=3, batch=2, prefixes=Prefixes("q: ", "t: "))
    embedder.embed(["one", "two ", " ", "one", "three"])
    embedder.embed(["one"], query=True)
    assert [(asked.path, asked.body) for asked in server.asked] == [
        ("/v1/embeddings", {"model": "served", "input": texts, "encoding_format": "float", "dimensions": 3})
        for texts in (["t: one", "t: two"], ["t: three"], ["q: one"])
    ]


def test_without_a_dimension_none_is_asked_for_and_the_first_answer_tells_it(at: At, server: Loopback) -> None:
    embedder = VendorEmbedder(at())
    assert embedder.dimension == 64
    assert embedder.embed([]).shape == (0, 64)
    assert [asked.body for asked in server.asked] == [
        {"model": "served", "input": ["dimension"], "encoding_format": "float"}
    ]


def test_a_long_text_is_sent_in_pieces_and_is_their_mean_by_length(at: At, server: Loopback) -> None:
    server.will(raw(vectors([5.0, 0.0], [0.0, 0.1])))
    (row,) = VendorEmbedder(at(), longest=30).embed(["a" * 30 + "b" * 10])
    assert server.asked[0].body["input"] == ["a" * 30, "b" * 10]
    assert row.tolist() == pytest.approx([3 / 10**0.5, 1 / 10**0.5])


@pytest.mark.parametrize(
    ("row", "unit"),
    [
        ([3.0, 4.0], [0.6, 0.8]),
        ([3, -4], [0.6, -0.8]),
        ([1e300, 0.0], [1.0, 0.0]),
        ([0.0, 5e-324], [0.0, 1.0]),
        ([0.0, 0.0], [0.0, 0.0]),
    ],
)
def test_vectors_of_any_length_get_length_one(row: list[float], unit: list[float], at: At, server: Loopback) -> None:
    server.will(raw(vectors(row)))
    assert VendorEmbedder(at()).embed([WORDS])[0].tolist() == pytest.approx(unit)


UNREADABLE = {
    "one too few": vectors([1.0, 2.0]),
    "one too many": vectors([1.0], [2.0], [3.0]),
    "two of a number": b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}',
    "a number too high": b'{"data": [{"index": 1, "embedding": [1]}, {"index": 2, "embedding": [1]}]}',
    "different lengths": vectors([1.0, 2.0], [1.0]),
    "no numbers": vectors([], []),
    "not finite": b'{"data": [{"index": 0, "embedding": [NaN]}, {"index": 1, "embedding": [1]}]}',
    "too large": b'{"data": [{"index": 0, "embedding": [1e999]}, {"index": 1, "embedding": [1]}]}',
    "base64": b'{"data": [{"index": 0, "embedding": "AAAA"}, {"index": 1, "embedding": "AAAA"}]}',
}


@pytest.mark.parametrize("body", UNREADABLE)
def test_vectors_that_do_not_fit_the_texts_are_not_taken(body: str, at: At, server: Loopback) -> None:
    server.will(raw(UNREADABLE[body]))
    with pytest.raises(Unreachable, match=r"^served gave an answer that cannot be read: "):
        VendorEmbedder(at(tries=1)).embed(["one", "two"])


def test_a_dimension_that_changes_is_not_taken(at: At, server: Loopback) -> None:
    server.will(raw(vectors([1.0, 2.0])), raw(vectors([1.0, 2.0, 3.0])), raw(vectors([1.0])))
    embedder = VendorEmbedder(at())
    embedder.embed(["one"])
    with pytest.raises(NoModel, match=r"^served gives vectors of 3 numbers, not 2. Check UAC_EMBEDDER_DIMENSION.$"):
        embedder.embed(["two"])
    with pytest.raises(NoModel, match=r"^served gives vectors of 1 numbers, not 8. Check UAC_EMBEDDER_DIMENSION.$"):
        VendorEmbedder(at(), shortened=8).embed(["one"])


def test_all_that_changes_numbers_is_in_the_name(at: At) -> None:
    names = [
        VendorEmbedder(at()).name,
        VendorEmbedder(at(url="http://elsewhere/v1")).name,
        VendorEmbedder(at(), shortened=8).name,
        VendorEmbedder(at(), shortened=9).name,
        VendorEmbedder(at(), prefixes=Prefixes("a", "b")).name,
        VendorEmbedder(at(), prefixes=Prefixes("ab", "")).name,
        VendorEmbedder(at(), prefixes=Prefixes("", "ab")).name,
        VendorEmbedder(at(), longest=9).name,
        VendorEmbedder(ModelServer("other", at().url)).name,
    ]
    assert [pair for pair in itertools.combinations(names, 2) if pair[0] == pair[1]] == []


def test_the_settings_lead_to_the_server(server: Loopback) -> None:
    environ = {"UAC_EMBEDDER": "served", "UAC_EMBEDDER_URL": f"{server.address}/v1/", "OPENAI_API_KEY": KEY}
    embedder = chosen_embedder(environ)
    assert embedder is not None
    assert embedder.embed([WORDS]).shape == (1, 64)
    assert [asked.path for asked in server.asked] == ["/v1/embeddings"]
    assert KEY not in str(server.asked)


@pytest.mark.parametrize("options", [{"batch": 0}, {"longest": 0}, {"shortened": 0}, {"shortened": -1}])
def test_an_embedder_of_no_size_is_refused(options: dict[str, int], at: At) -> None:
    with pytest.raises(Refused, match="below 1"):
        VendorEmbedder(at(), **options)  # type: ignore[arg-type] # all options are numbers


# --- what a reranker sends and takes ---


def test_a_question_is_sent_with_each_batch_of_texts(at: At, server: Loopback) -> None:
    scores = VendorReranker(at(), batch=2).scores("a b", ["b", "", "a b", "c"])
    assert scores == [0.125, 0.0, 0.25, 0.0]
    assert [(asked.path, asked.body) for asked in server.asked] == [
        ("/v1/rerank", {"model": "served", "query": "a b", "documents": documents})
        for documents in (["b", "a b"], ["c"])
    ]


def test_without_a_question_or_texts_nobody_is_asked(at: At, server: Loopback) -> None:
    assert VendorReranker(at()).scores(" ", ["a", "b"]) == [0.0, 0.0]
    assert VendorReranker(at()).scores("a", ["", " "]) == [0.0, 0.0]
    assert server.asked == []


def test_a_reranker_without_a_batch_is_refused(at: At) -> None:
    with pytest.raises(Refused, match="batch is 0"):
        VendorReranker(at(), batch=0)


@pytest.mark.parametrize("environ", [{}, {"UAC_RERANKER": "none"}, {"UAC_RERANKER": " ", "UAC_RERANKER_KEY": "x"}])
def test_by_default_there_is_no_reranker(environ: dict[str, str]) -> None:
    assert chosen_reranker(environ) is None


def test_a_reranker_is_chosen_by_address_and_name(server: Loopback) -> None:
    url = f"{server.address}/v1"
    environ = {"UAC_RERANKER": "judge", "UAC_RERANKER_URL": url, "UAC_RERANKER_KEY": "mine", "OPENAI_API_KEY": KEY}
    reranker = chosen_reranker(environ)
    assert reranker is not None
    assert (reranker.name, list(reranker.scores("a", ["a", "b"]))) == ("judge", [0.125, 0.0])
    assert [asked.headers["authorization"] for asked in server.asked] == ["Bearer mine"]


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"UAC_RERANKER": "judge"}, "UAC_RERANKER is 'judge', UAC_RERANKER_URL is not set"),
        ({"UAC_RERANKER_URL": "http://h/v1"}, "UAC_RERANKER_URL is set, UAC_RERANKER is not"),
        ({"UAC_RERANKER": "judge", "UAC_RERANKER_URL": "h"}, "UAC_RERANKER_URL is not an address"),
    ],
)
def test_settings_of_a_reranker_that_do_not_go_together_are_refused(environ: dict[str, str], words: str) -> None:
    with pytest.raises(Refused, match=words):
        chosen_reranker(environ)
