"""What service processes share on PostgreSQL beside the logs: news, roles, rates and sign-ins."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.examples import examples
from support.postgres_logs import name_in
from support.postgres_server import Server
from uac.errors import ReadOnly, Unavailable
from uac.log.clock import wall_clock
from uac.log.coordination import CoordinatedStore, SignIn, TokenGrant
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.postgres import PostgresStore
from uac.log.stores.postgres_coordination import USERS_AT_ONCE, PostgresCoordination
from uac.testing.store import store_turn

NAMES = count(1)
AT_ONCE, SOON = 0.0, 60.0


@pytest.fixture(scope="module")
def address(postgres: Server) -> str:
    return postgres.new_database()


@pytest.fixture
def store(address: str) -> Iterator[PostgresStore]:
    with closing(PostgresStore(address)) as store:
        yield store


@pytest.fixture
def one(store: PostgresStore) -> Iterator[PostgresCoordination]:
    with closing(PostgresCoordination(store._pool)) as coordination:
        coordination.wait_for_changes(AT_ONCE)  # listens from now on
        yield coordination


@pytest.fixture
def other(store: PostgresStore) -> Iterator[PostgresCoordination]:
    with closing(PostgresCoordination(store._pool)) as coordination:
        coordination.wait_for_changes(AT_ONCE)
        yield coordination


def test_a_store_on_postgresql_can_be_shared_and_one_in_memory_cannot(store: PostgresStore) -> None:
    assert isinstance(store, CoordinatedStore)
    assert not isinstance(MemoryStore(), CoordinatedStore)


def test_others_hear_of_a_change_and_who_made_it_does_not(
    store: PostgresStore, one: PostgresCoordination, other: PostgresCoordination
) -> None:
    for name in ("ana", "ben"):
        store.log(name).append([store_turn("hello")])
    one.announce_changes(["ben", "nobody", "ana", "ana"])
    assert other.wait_for_changes(SOON) == ("ana", "ben")
    assert one.wait_for_changes(AT_ONCE) == ()
    one.announce_changes(["nobody"])
    assert other.wait_for_changes(AT_ONCE) == ()


def test_many_changes_are_announced_in_several_messages(
    store: PostgresStore, one: PostgresCoordination, other: PostgresCoordination
) -> None:
    names = [f"many-{number:04}" for number in range(USERS_AT_ONCE + 1)]
    with store._pool.connection() as connection:
        connection.cursor().executemany(
            "INSERT INTO uac.users (name, position, digest, at) VALUES (%s, 1, '', '')", [(name,) for name in names]
        )
    one.announce_changes(names)
    heard = set(other.wait_for_changes(SOON))
    if len(heard) < len(names):  # the other message has not come yet
        heard.update(other.wait_for_changes(SOON))
    assert heard == set(names)


def test_no_id_of_a_user_is_in_a_notification(postgres: Server, store: PostgresStore, address: str) -> None:
    """The server keeps notifications in files, which no erasure reaches."""
    import psycopg

    store.log("Maria Muster").append([store_turn("hello")])
    with psycopg.connect(address, autocommit=True) as listening, closing(store.coordination()) as coordination:
        listening.execute("LISTEN uac_changed")
        coordination.announce_changes(["Maria Muster"])
        (sent,) = listening.notifies(timeout=SOON, stop_after=1)
    assert "Maria" not in sent.payload


def test_news_is_heard_again_after_the_connection_was_cut(
    postgres: Server, store: PostgresStore, one: PostgresCoordination, other: PostgresCoordination
) -> None:
    store.log("ana").append([store_turn("hello")])
    assert other._listening is not None
    postgres.cut(other._listening)
    with pytest.raises(Unavailable):
        other.wait_for_changes(SOON)
    other.wait_for_changes(AT_ONCE)
    one.announce_changes(["ana"])
    assert other.wait_for_changes(SOON) == ("ana",)


def test_a_role_belongs_to_one_process_until_it_ends_or_loses_its_connection(
    postgres: Server, one: PostgresCoordination, other: PostgresCoordination
) -> None:
    assert one.hold_role("webhooks")
    assert not other.hold_role("webhooks")
    assert other.hold_role("learning")
    assert one.hold_role("webhooks")
    assert one._locking is not None
    postgres.cut(one._locking)
    assert other.hold_role("webhooks")
    with pytest.raises(Unavailable):
        one.hold_role("webhooks")
    assert not one.hold_role("webhooks")
    other.close()
    assert one.hold_role("webhooks")
    assert one.hold_role("learning")


def test_processes_take_tokens_from_one_bucket(one: PostgresCoordination, other: PostgresCoordination) -> None:
    """No token comes back within the test."""
    bucket = f"bucket {next(NAMES)}"
    assert one.take_tokens(bucket, rate=1e-6, most=10, wanted=4) == TokenGrant(4)
    assert other.take_tokens(bucket, rate=1e-6, most=10, wanted=4) == TokenGrant(4)
    assert one.take_tokens(bucket, rate=1e-6, most=10, wanted=4) == TokenGrant(2)
    refused = other.take_tokens(bucket, rate=1e-6, most=10, wanted=4)
    assert refused.tokens == 0
    assert refused.wait == pytest.approx(1e6, rel=0.01)
    assert other.take_tokens(f"bucket {next(NAMES)}", rate=1e-6, most=10, wanted=40) == TokenGrant(10)


@settings(max_examples=examples(20))
@given(most=st.integers(1, 50), wanted=st.lists(st.integers(1, 20), max_size=20))
def test_a_bucket_never_gives_more_than_it_holds(address: str, most: int, wanted: list[int]) -> None:
    bucket = f"bucket {next(NAMES)}"
    with closing(PostgresStore(address)) as store, closing(store.coordination()) as coordination:
        given_out = [coordination.take_tokens(bucket, rate=1e-6, most=most, wanted=each).tokens for each in wanted]
    assert sum(given_out) == min(most, sum(wanted))


def test_tokens_come_back_with_time_and_not_beyond_the_most(one: PostgresCoordination) -> None:
    bucket = f"bucket {next(NAMES)}"
    assert one.take_tokens(bucket, rate=1e9, most=5, wanted=5) == TokenGrant(5)
    assert one.take_tokens(bucket, rate=1e9, most=5, wanted=50) == TokenGrant(5)


def test_a_sign_in_is_known_to_all_until_it_is_removed(one: PostgresCoordination, other: PostgresCoordination) -> None:
    sign_in = SignIn("key", wall_clock() + timedelta(hours=1))
    one.add_sign_in(b"digest", sign_in, most=10, most_of_key=10)
    assert other.find_sign_in(b"digest") == sign_in
    other.remove_sign_in(b"digest")
    assert one.find_sign_in(b"digest") is None


def test_the_oldest_sign_ins_of_a_key_and_of_all_go_first_and_expired_ones_always(one: PostgresCoordination) -> None:
    now = wall_clock()
    one.add_sign_in(b"past", SignIn("key", now - timedelta(hours=1)), most=9, most_of_key=9)
    for number in range(4):
        sign_in = SignIn("key", now + timedelta(hours=number + 1))
        one.add_sign_in(b"%d" % number, sign_in, most=3, most_of_key=2)
    one.add_sign_in(b"other", SignIn("other", now + timedelta(hours=9)), most=2, most_of_key=2)
    digests = (b"past", b"0", b"1", b"2", b"3", b"other")
    assert [digest for digest in digests if one.find_sign_in(digest)] == [b"3", b"other"]


def test_a_role_of_the_database_that_may_not_use_the_tables_is_told_so(server: Server, new_url: str) -> None:
    with closing(PostgresStore(new_url)) as store, closing(store.coordination()):
        server.execute("GRANT USAGE ON SCHEMA uac TO writer", name_in(new_url))
        server.execute("GRANT ALL ON ALL TABLES IN SCHEMA uac TO writer", name_in(new_url))
        server.execute("REVOKE DELETE ON uac.sign_ins FROM writer", name_in(new_url))
    with (
        closing(PostgresStore(new_url.replace("postgres@", "writer@"), create=False)) as store,
        pytest.raises(ReadOnly, match=r"may not use uac\.sign_ins and uac\.rates"),
    ):
        store.coordination()
