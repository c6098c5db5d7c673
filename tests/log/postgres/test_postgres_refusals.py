"""Clear refusals for what is wrong with a PostgreSQL server, database, role or address."""

import socket
import subprocess
import sys
import traceback

import pytest

from support.postgres_logs import name_in
from support.postgres_server import Server
from uac.errors import Full, NewerFormat, NoStore, NotAStore, ReadOnly, Refused, StoreError, Unavailable
from uac.log.log import EMPTY
from uac.log.stores import open_store
from uac.log.stores.postgres import PostgresStore
from uac.testing.store import entries_of, store_turn

UNREADABLE = [
    "postgresql://ana:s3cret/@host/base",
    "postgresql://ana:s3@cret@host/base",
    "postgresql://ana:s3cret@[host/base",
    "postgresql://ana:s3cret@host:port/base",
    "postgresql://ana:s3%cret@host/base",
    "postgresql://ana:s3cret@host/base?nonsense=1",
    "postgresql://ana:s3cret",
]


@pytest.mark.parametrize("url", UNREADABLE)
def test_a_url_that_cannot_be_read_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(Refused, match=r"cannot be read\. Use postgresql://") as refused:
        PostgresStore(url)
    assert "s3" not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("guarded:s3cret@/postgres?host={folder}", "guarded@/postgres?host={folder}"),
        ("guarded@/postgres?host={folder}&password=s3cret", "guarded@/postgres?host={folder}"),
        ("/postgres?user=guarded&host={folder}&password=s3cret", "/postgres?user=guarded&host={folder}"),
    ],
)
def test_a_wrong_password_is_said_but_not_shown(server: Server, query: str, shown: str) -> None:
    with pytest.raises(Unavailable, match='password authentication failed for user "guarded"') as failed:
        PostgresStore("postgresql://" + query.format(folder=server.folder))
    assert str(failed.value).startswith("postgresql://" + shown.format(folder=server.folder) + " cannot be reached")
    assert "s3cret" not in "".join(traceback.format_exception(failed.value))


def test_the_address_has_no_password(server: Server) -> None:
    server.execute("GRANT CREATE ON DATABASE postgres TO guarded")
    store = PostgresStore(f"postgres://guarded:right@/postgres?host={server.folder}&password=right&sslmode=prefer")
    assert store.address == f"postgresql://guarded@/postgres?host={server.folder}"
    store.close()


def test_a_server_that_is_not_there_is_out_of_reach() -> None:
    with pytest.raises(Unavailable, match="Connection refused"):
        open_store("postgresql://ana:s3cret@127.0.0.1:1/base")


def test_a_server_that_does_not_answer_is_given_up_soon() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(Unavailable, match="timeout"):
            PostgresStore(f"postgresql://ana@127.0.0.1:{silent.getsockname()[1]}/base?connect_timeout=2")


def test_a_database_that_does_not_exist_is_no_store(server: Server) -> None:
    with pytest.raises(NoStore, match='database "nowhere" does not exist'):
        PostgresStore(server.url("nowhere"))


def test_an_empty_database_is_no_store_unless_it_may_be_made_one(server: Server, new_url: str) -> None:
    with pytest.raises(NoStore, match="no schema 'uac'"):
        PostgresStore(new_url, create=False)
    server.execute("CREATE SCHEMA uac", name_in(new_url))
    with pytest.raises(NoStore):
        PostgresStore(new_url, create=False)
    PostgresStore(new_url).close()
    PostgresStore(new_url, create=False).close()


def test_tables_of_a_newer_version_are_refused(server: Server, new_url: str) -> None:
    PostgresStore(new_url).close()
    server.execute("UPDATE uac.meta SET version = 99", name_in(new_url))
    with pytest.raises(NewerFormat, match="schema 99"):
        PostgresStore(new_url)


@pytest.mark.parametrize("table", ["things (a int)", "meta (a int)", "meta (application text, version int)"])
def test_a_schema_of_another_program_is_left_alone(server: Server, new_url: str, table: str) -> None:
    server.execute(f"CREATE SCHEMA uac; CREATE TABLE uac.{table}", name_in(new_url))
    with pytest.raises(NotAStore, match="another program"):
        PostgresStore(new_url)
    assert len(server.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'uac'", name_in(new_url))) == 1


def test_a_database_with_another_encoding_is_refused(server: Server) -> None:
    server.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(NotAStore, match="encoding LATIN1, not UTF8"):
        PostgresStore(server.url("latin"))


def test_a_read_only_database_can_be_read(server: Server, new_url: str) -> None:
    store = PostgresStore(new_url)
    store.log("ana").append([store_turn("hello")])
    store.close()
    server.execute(f"ALTER DATABASE {name_in(new_url)} SET default_transaction_read_only = on")
    store = PostgresStore(new_url)
    assert entries_of(store.log("ana")) == [store_turn("hello")]
    with pytest.raises(ReadOnly, match="read-only transaction"):
        store.log("ana").append([store_turn("more")])
    assert "note" in [finding.level for finding in store.findings()]
    store.close()


def test_a_role_without_rights_is_told_so(server: Server, new_url: str) -> None:
    with pytest.raises(ReadOnly, match="permission denied for database"):
        PostgresStore(server.url(name_in(new_url), "writer"))


def test_a_role_that_does_not_own_the_tables_writes_but_cannot_destroy(server: Server, new_url: str) -> None:
    PostgresStore(new_url).close()
    database = name_in(new_url)
    server.execute("GRANT USAGE ON SCHEMA uac TO writer", database)
    server.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA uac TO writer", database)
    store = PostgresStore(server.url(database, "writer"))
    log = store.log("ana")
    log.append([store_turn("forget me")])
    assert "problem" in [finding.level for finding in store.findings()]
    with pytest.raises(ReadOnly, match="Erase as the owner of the table"):
        log.erase([1], why="asked")
    assert entries_of(log)[0] is None
    store.close()


def test_a_role_that_may_not_flush_the_wal_erases_and_notes_it(server: Server, new_url: str) -> None:
    server.execute(f"ALTER DATABASE {name_in(new_url)} OWNER TO owner")
    server.execute("CREATE EXTENSION vector", name_in(new_url))
    store = PostgresStore(server.url(name_in(new_url), "owner"))
    store.log("ana").append([store_turn("forget me")])
    assert store.log("ana").erase([1], why="asked") == (1,)
    (note,) = [finding for finding in store.findings() if finding.level != "ok"]
    assert (note.level, note.what) == ("note", "erased words stay in the server's WAL until it is recycled")
    store.close()


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("53100", Full, "no room is left"),
        ("25006", ReadOnly, "can be read but not written"),
        ("42501", ReadOnly, "this role lacks a right"),
        ("40001", Unavailable, "locked by another session"),
        ("55P03", Unavailable, "locked by another session"),
        ("53300", Unavailable, "the connection was lost"),
        ("XX001", NotAStore, "is not whole"),
        ("22012", StoreError, "broken on purpose"),
    ],
)
def test_an_error_of_the_server_has_a_kind(
    server: Server, url: str, store: PostgresStore, code: str, kind: type[StoreError], words: str
) -> None:
    on_insert(server, url, f"RAISE EXCEPTION 'broken on purpose' USING ERRCODE = '{code}', DETAIL = NEW.body")
    with pytest.raises(kind, match=words) as failed:
        store.log("ana").append([store_turn("my secret")])
    server.execute("DROP FUNCTION uac.on_insert CASCADE", name_in(url))
    assert type(failed.value) is kind
    assert "my secret" not in str(failed.value)
    assert store.log("ana").head() == EMPTY


def on_insert(server: Server, url: str, statement: str) -> None:
    server.execute(
        f"CREATE FUNCTION uac.on_insert() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN {statement}; RETURN NEW; END$$;"
        " CREATE TRIGGER on_insert BEFORE INSERT ON uac.entries FOR EACH ROW EXECUTE FUNCTION uac.on_insert()",
        name_in(url),
    )


def test_an_append_is_durable_and_locks_whatever_the_defaults_of_the_server(server: Server, new_url: str) -> None:
    PostgresStore(new_url).close()
    database = name_in(new_url)
    server.execute(f"ALTER DATABASE {database} SET synchronous_commit = off")
    server.execute(f"ALTER DATABASE {database} SET default_transaction_isolation = serializable")
    server.execute("CREATE TABLE uac.seen (durable text, isolation text)", database)
    seen = "current_setting('synchronous_commit'), current_setting('transaction_isolation')"
    on_insert(server, new_url, f"INSERT INTO uac.seen VALUES ({seen})")
    store = PostgresStore(new_url)
    store.log("ana").append([store_turn("hello")])
    assert server.execute("SELECT * FROM uac.seen", database) == [("on", "read committed")]
    store.close()


def test_findings_name_the_settings_that_endanger_the_log_or_keep_erased_words(other_server: Server) -> None:
    other_server.stop()
    other_server.start("fsync=off", "wal_recycle=on", "log_statement=all", "archive_mode=on")
    store = PostgresStore(other_server.new_database())
    assert [(finding.level, finding.what) for finding in store.findings() if finding.level != "ok"] == [
        ("problem", "fsync is off: a power cut may destroy the log"),
        ("note", "old WAL files are kept or used again, with erased words in them"),
        ("note", "the WAL is archived or replicated: copies of it keep erased words"),
        ("note", "the server's own log may quote words, and no erasure reaches it"),
    ]
    store.close()
    other_server.stop()
    other_server.start()


def test_a_closed_store_says_so(store: PostgresStore) -> None:
    log = store.log("ana")
    store.close()
    with pytest.raises(Unavailable, match="closed"):
        log.append([store_turn("hello")])


def test_without_psycopg_the_error_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from uac.errors import StoreError\n"
        "from uac.log.stores import open_store\n"
        "try: open_store('postgresql://host/base')\n"
        "except StoreError as error: print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'user-as-code[postgres]'" in run.stdout
