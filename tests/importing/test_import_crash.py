"""A service that is killed in the middle of an import leaves the words of the file in its store and nowhere else."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path

import httpx2

from support.postgres_server import wait_until
from uac.log.stores import open_store

LINES = 20_000


def test_an_import_that_is_killed_leaves_no_temporary_file(tmp_path: Path) -> None:
    path, folder = tmp_path / "memory.db", tmp_path / "temporary"
    folder.mkdir()
    open_store(path).close()
    service = subprocess.Popen(
        [sys.executable, "-m", "uac", "serve", "--port", "0", "--no-keys", "--store", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    assert service.stdout is not None
    address = next(word for line in service.stdout for word in line.split() if word.startswith("http://"))
    table = "title\n" + "".join(f"quince {number}\n" for number in range(LINES))
    asked = {"text": table, "name": "books.csv", "format": "csv", "type": "reading.Book"}

    def bring() -> None:
        with suppress(httpx2.HTTPError):
            httpx2.post(f"{address.rstrip('/')}/v1/users/ana/imports", json=asked, timeout=300, trust_env=False)

    sending = threading.Thread(target=bring)
    sending.start()
    with closing(open_store(path)) as store:
        wait_until(lambda: store.log("ana").head().position > 0, "the first lines are in the log")
        service.send_signal(signal.SIGKILL)
        service.wait()
        sending.join()
        assert 0 < store.log("ana").head().position < LINES
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert [file for file in files if b"quince" in file.read_bytes()] == []
    service.stdout.close()
