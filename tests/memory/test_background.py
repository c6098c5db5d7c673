"""Learning and indexing in the background, on a real file, while others write."""

import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from support.scripted_model import allergy, put_allergy
from uac import Memory, open_store
from uac.conversation.learning import Cadence, Learned
from uac.errors import NoModel, Unreachable
from uac.memory.background import Background
from uac.models import OneModel
from uac.models.scripted import ScriptedModel
from uac.recall.search import IndexProgress, index_progress

if TYPE_CHECKING:
    from uac.log.index import Vectors

PATIENCE = 60
NO_FACTS: list[dict[str, list[str]]] = [{"facts": []}] * 9


def test_what_is_said_is_learned_in_the_background_and_the_alert_is_there(tmp_path: Path) -> None:
    done = threading.Event()
    with closing(open_store(tmp_path / "memory.db")) as store:
        log = store.log("ana")
        memory = Memory(log)
        memory.put("health.Medication", {"name": "Amoxicillin"})
        words = memory.add("I'm allergic to penicillin.")
        model = ScriptedModel({"facts": [allergy(words)]}, put_allergy(words + 1))
        with Background(log, OneModel(model), every=PATIENCE, on_learned=lambda _learned: done.set()) as background:
            assert done.wait(PATIENCE)
            assert background.error is None
        assert [alert.constraint for alert in memory.alerts()] == ["drug_allergy"]
        memory.close()


def test_an_error_is_kept_and_the_next_look_may_go_well(tmp_path: Path) -> None:
    told: list[Learned] = []
    done = threading.Event()

    def hear(learned: Learned) -> None:
        told.append(learned)
        done.set()

    with closing(open_store(tmp_path / "memory.db")) as store:
        memory = Memory(store.log("ana"))
        words = memory.add("I'm allergic to penicillin.")
        model = ScriptedModel(
            NoModel("the key is wrong"),
            ConnectionError("a model of one's own"),
            {"facts": [allergy(words)]},
            put_allergy(words + 1),
        )
        background = Background(store.log("ana"), OneModel(model), cadence=Cadence(), every=0.01, on_learned=hear)
        background.start()
        assert done.wait(PATIENCE)
        background.stop()
        assert told[0].facts == 1
        memory.close()


def test_a_new_embedder_gives_everything_a_vector_in_the_background(tmp_path: Path) -> None:
    old, new = Letters("old"), Letters("new")
    with closing(open_store(tmp_path / "memory.db")) as store:
        log = store.log("ana")
        memory = Memory(log, embedder=old)
        memory.add("I'm allergic to penicillin.")
        memory.add("I live in Oslo.")
        assert memory.embed() == 0
        with Background(log, OneModel(ScriptedModel(*NO_FACTS)), every=PATIENCE, embedder=new) as background:
            assert new.done.wait(PATIENCE)
        assert background.error is None
        end = log.head().position
        assert (index_progress(log, old), index_progress(log, new)) == (
            IndexProgress(end, 2, 2),
            IndexProgress(end, 2, 2),
        )
        memory.close()


def test_an_error_of_the_embedder_is_kept_and_the_next_look_may_go_well(tmp_path: Path) -> None:
    def fail_until_it_is_known() -> None:
        if background.error is None:
            raise Unreachable("the embedder is away")

    embedder = Letters("new", before=fail_until_it_is_known)
    with closing(open_store(tmp_path / "memory.db")) as store:
        log = store.log("ana")
        Memory(log, embedder=None).add("I live in Oslo.")
        background = Background(log, OneModel(ScriptedModel(*NO_FACTS)), every=0.01, embedder=embedder)
        background.start()
        assert embedder.done.wait(PATIENCE)
        background.stop()
        assert background.error is None
        assert index_progress(log, embedder) == IndexProgress(log.head().position, 1, 1)


def test_the_index_is_brought_up_to_date_where_no_model_learns(tmp_path: Path) -> None:
    embedder = Letters("new")
    with closing(open_store(tmp_path / "memory.db")) as store:
        log = store.log("ana")
        Memory(log, embedder=None).add("I live in Oslo.")
        model = ScriptedModel(NoModel("the key is wrong"))
        with Background(log, OneModel(model), every=PATIENCE, embedder=embedder) as background:
            assert embedder.done.wait(PATIENCE)
        assert isinstance(background.error, NoModel)
        assert index_progress(log, embedder) == IndexProgress(log.head().position, 1, 1)


class Letters:
    """An embedder that counts vowels. It calls `before` each time it is asked."""

    dimension, is_near = 5, True

    def __init__(self, name: str, *, before: Callable[[], None] = lambda: None) -> None:
        self.name = name
        self.done = threading.Event()
        self._before = before

    def embed(self, texts: Sequence[str], *, query: bool = False) -> "Vectors":
        import numpy as np

        self._before()
        counts = np.array([[1 + text.count(vowel) for vowel in "aeiou"] for text in texts], np.float32)
        self.done.set()
        found: Vectors = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return found


def test_stopping_before_the_start_is_no_error(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "memory.db")) as store:
        Background(store.log("ana"), OneModel(ScriptedModel())).stop()
