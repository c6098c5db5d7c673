"""PostgreSQL's own backup and write-ahead log bring every user back as they were at a chosen time."""

from contextlib import closing

from support.postgres_logs import name_in
from support.postgres_server import Server, running_server, server_folder, wait_until
from uac.log.stores.postgres import PostgresStore
from uac.testing.store import entries_of, store_turn

BEFORE, SINCE, LATER = (store_turn(words) for words in ("before the backup", "since the backup", "after that time"))


def test_users_come_back_as_they_were_at_a_chosen_time() -> None:
    with running_server() as server, server_folder() as archive, server_folder() as copy:
        server.archive_to(archive)
        url = server.new_database()
        with closing(PostgresStore(url)) as store:
            store.log("ana").append([BEFORE])
            server.back_up(copy)
            store.log("ana").append([SINCE])
            store.log("ben").append([SINCE])
            ((chosen,),) = server.execute("SELECT clock_timestamp()::text")
            store.log("ana").append([LATER])
            ((last,),) = server.execute("SELECT pg_walfile_name(pg_switch_wal())")
            wait_until((archive / str(last)).exists, "the write-ahead log is archived")
        server.kill()
        (copy / "recovery.signal").touch()
        restored = Server(copy, initialize=False)
        try:
            restored.start(
                f"restore_command=cp {archive}/%f %p",
                f"recovery_target_time={chosen}",
                "recovery_target_action=promote",
            )
            wait_until(lambda: restored.execute("SELECT pg_is_in_recovery()") == [(False,)], "recovery has ended")
            with closing(PostgresStore(restored.url(name_in(url)))) as store:
                assert entries_of(store.log("ana")) == [BEFORE, SINCE]
                assert entries_of(store.log("ben")) == [SINCE]
                assert store.log("ana").verify() is None
                store.log("ana").append([LATER])
                assert store.log("ana").verify() is None
        finally:
            restored.kill()
