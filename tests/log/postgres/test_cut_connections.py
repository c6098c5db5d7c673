"""A connection that is cut in the middle of a write: the write is whole or absent, and sent again it is made once."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.checked_histories import CHECKED
from support.cutting_proxy import CuttingProxy, Direction, cutting_proxy
from support.examples import examples
from support.histories import check_log
from support.postgres_server import Server
from uac import Memory
from uac.errors import Repeated, Unavailable
from uac.log.stores.postgres import PostgresStore

NUMBERS = count(1)
BYTES: dict[Direction, int] = {"sent": 2400, "received": 1100}
"""What a write sends beside its words, and receives."""


@dataclass(frozen=True)
class Sides:
    """A user's memory through the proxy, and directly."""

    proxy: CuttingProxy
    cut: Memory
    direct: Memory


@pytest.fixture(scope="module")
def sides(postgres: Server) -> Iterator[Sides]:
    url = postgres.new_database()
    with cutting_proxy(postgres) as proxy:
        stores = [PostgresStore(proxy.url(url)), PostgresStore(url)]
        cut, direct = (Memory(store.log("ana"), embedder=None) for store in stores)
        direct.put("health.Medication", {"name": "amoxicillin"})
        direct.put("health.Allergy", {"substance": "penicillin"})
        cut.project()
        yield Sides(proxy, cut, direct)
        for memory in (cut, direct):
            memory.close()
        for store in stores:
            store.close()


@settings(max_examples=examples(40))
@given(
    direction=st.sampled_from(["sent", "received"]),
    share=st.floats(0, 1),
    length=st.sampled_from([0, 20, 5000, 30_000]),
)
def test_a_write_whose_connection_is_cut_is_whole_or_absent_and_made_once_when_sent_again(
    sides: Sides, direction: Direction, share: float, length: int
) -> None:
    substance, log = f"dust {next(NUMBERS)}", sides.direct.log
    before = log.head().position
    sides.proxy.cut_after(int(share * (BYTES[direction] + (length if direction == "sent" else 0))), direction)
    is_acknowledged = put_allergy(sides.cut, substance, length)
    sides.proxy.mend()
    written = [stored.kind for stored in log.read(before + 1)]
    assert written in ([], ["observation", "checkpoint", "receipt"])
    assert written or not is_acknowledged
    assert put_allergy(sides.cut, substance, length)
    assert put_allergy(sides.direct, substance, length)
    assert log.head().position == before + 3
    for memory in (sides.cut, sides.direct):
        assert substance in {
            record.values["substance"] for record in memory.project().tables["health.Allergy"].values()
        }
    CHECKED.append("cut connections")


def put_allergy(memory: Memory, substance: str, length: int) -> bool:
    """Whether it was acknowledged, now or before."""
    try:
        with memory.once(f"key of {substance}", substance):
            memory.put("health.Allergy", {"substance": substance}, words=f"{substance} {'x' * length}")
    except Repeated:
        return True
    except Unavailable:
        return False
    return True


@pytest.mark.parametrize("direction", ["sent", "received"])
def test_the_proxy_cuts_a_write_in_the_middle(sides: Sides, direction: Direction) -> None:
    sides.proxy.cut_after(600, direction)
    assert not put_allergy(sides.cut, f"dust {next(NUMBERS)}", 0)
    assert sides.proxy.is_cut
    sides.proxy.mend()


def test_the_log_is_whole_after_all_cuts(sides: Sides) -> None:
    check_log(sides.cut.log, sides.cut)
    check_log(sides.direct.log, sides.direct)
    assert [alert.constraint for alert in sides.direct.alerts()] == ["drug_allergy"]
