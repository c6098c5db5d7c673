"""Logs written by each release, in each form of the entries, stay readable: the file is kept, and its contents."""

import json
import shutil
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest

from support.paths import TESTS
from uac import (
    AlertChange,
    Checkpoint,
    Citation,
    Correction,
    Fact,
    ModelCall,
    Observation,
    Period,
    Retraction,
    Tick,
    __version__,
)
from uac.interfaces.cli.log import entry_json
from uac.log.stores.sqlite import SqliteStore
from uac.schema.entries import FORM
from uac.schema.patches import SetAside

RELEASES = TESTS / "releases"
MORNING = datetime(2026, 3, 1, 9, 30, tzinfo=timezone(timedelta(hours=2)))


def write(path: Path) -> None:
    """A log with one entry of every kind."""
    store = SqliteStore(path, clock=lambda: datetime(2026, 3, 1, 8, tzinfo=UTC))
    log = store.log("ana")
    log.append(
        [
            Observation(
                text="I moved to Porto in April 2019", said=MORNING, zone="Europe/Sofia", speaker="Ana", key="m1"
            ),
            Observation(text="My code is 4711", said=MORNING, session="s1", source="chat", role="user"),
            Fact(
                text="Ana lives in Porto",
                about="Ana",
                authority="user",
                cites=(Citation(position=1, quote="moved to Porto in April 2019"),),
                held=Period("2019-04"),
            ),
            Checkpoint(patches=(SetAside(cites=(3,), why="no type for it yet"),)),
            Tick(now=MORNING, zone="Europe/Sofia"),
            AlertChange(
                change="raised", constraint="lease", subject="home", severity="warning", message="due", cites=(3,)
            ),
            AlertChange(
                change="raised", constraint="drugs", subject="iron", message="Not with milk.", tables=("food.pairs 2",)
            ),
            AlertChange(
                change="failed",
                constraint="slow",
                subject="not checked",
                message="The rule slow could not run.",
                why="stopped after 2 seconds",
                is_failure=True,
                reason="limit",
            ),
            AlertChange(change="cleared", constraint="slow", subject="not checked", is_failure=True),
            AlertChange(change="snoozed", constraint="lease", subject="home", until=MORNING + timedelta(days=7)),
            Correction(record="home.Place:porto", field="since", value="2019-05", why="a slip", cites=(1,)),
            Retraction(positions=(6,), why="raised by mistake"),
            ModelCall(
                model="vendor:name",
                prompt_hash="aa",
                request_hash="bb",
                reply="{}",
                read=(1, 2),
                input_tokens=120,
                output_tokens=7,
                cost=Decimal("0.0012"),
            ),
        ]
    )
    log.erase([2], why="asked by Ana")
    store.close()


def dump(path: Path) -> str:
    store = SqliteStore(path, create=False)
    assert store.log("ana").verify() is None
    lines = [json.dumps(entry_json(stored), ensure_ascii=False) for stored in store.log("ana").read()]
    store.close()
    return "\n".join(lines) + "\n"


def test_this_release_has_left_a_log_of_its_form(request: pytest.FixtureRequest) -> None:
    path = RELEASES / f"{__version__}.form{FORM}.db"
    if request.config.getoption("--golden") and not path.exists():
        RELEASES.mkdir(exist_ok=True)
        write(path)
        path.with_suffix(".jsonl").write_text(dump(path))
    assert path.exists()


@pytest.mark.parametrize("path", sorted(RELEASES.glob("*.db")), ids=lambda path: path.stem)
def test_the_log_of_a_release_reads_as_it_did_then(path: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(path, tmp_path))
    copy.chmod(0o600)
    assert dump(copy) == path.with_suffix(".jsonl").read_text()
