"""Learning in the background, on a real file, while others write."""

import threading
from contextlib import closing
from pathlib import Path

from teaching import Scripted, allergy, put_allergy

from uac import Memory, open_store
from uac.background import Background
from uac.errors import NoModel
from uac.learning import Cadence, Learned
from uac.models import OneModel

PATIENCE = 60


def test_what_is_said_is_learned_in_the_background_and_the_alert_is_there(tmp_path: Path) -> None:
    done = threading.Event()
    with closing(open_store(tmp_path / "memory.db")) as store:
        log = store.log("ana")
        memory = Memory(log)
        memory.put("health.Medication", {"name": "Amoxicillin"})
        words = memory.add("I'm allergic to penicillin.")
        model = Scripted({"facts": [allergy(words)]}, put_allergy(words + 1))
        with Background(log, OneModel(model), every=PATIENCE, told=lambda _learned: done.set()) as background:
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
        model = Scripted(
            NoModel("the key is wrong"),
            ConnectionError("a model of one's own"),
            {"facts": [allergy(words)]},
            put_allergy(words + 1),
        )
        background = Background(store.log("ana"), OneModel(model), cadence=Cadence(), every=0.01, told=hear)
        background.start()
        assert done.wait(PATIENCE)
        background.stop()
        assert told[0].facts == 1
        memory.close()


def test_stopping_before_the_start_is_no_error(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "memory.db")) as store:
        Background(store.log("ana"), OneModel(Scripted())).stop()
