"""The command `uac` and `python -c`, started at once: forks of a process that has imported the package already.

Each has its own arguments, folder, environment and files; signals are not forwarded to it."""

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import socket
import subprocess
import sys
import threading
import time
import traceback
import types
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import uac
from uac.packs import installed_packs
from uac.text.dates.mentions import mentions

START = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [b"0"], [0, 1, 2])
    server.sendall(json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode())
    server.shutdown(socket.SHUT_WR)
    os._exit(int(server.recv(3) or 255))
"""


@contextlib.contextmanager
def warm_commands(folder: Path) -> Iterator[Path]:
    """A folder for PATH with the commands `uac` and, for `-c` only, `warm-python`."""
    for name in ("uac", "warm-python"):
        (folder / name).write_text(START.format(python=sys.executable, address=str(folder / "server")))
        (folder / name).chmod(0o755)
    command = [sys.executable, __file__, str(folder / "server")]
    environment = {"LANG": "C.UTF-8", "PATH": os.defpath}
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout
        assert server.stdout.readline() == b"ready\n"
        yield folder
        server.communicate()


def serve(address: str) -> None:
    """Start programs until standard input ends."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        print("ready", flush=True)
        while listener in select.select([listener, sys.stdin], [], [])[0]:
            connection = listener.accept()[0]
            if os.fork() == 0:
                listener.close()
                _run_program(connection)
            connection.close()


def _run_program(connection: socket.socket) -> NoReturn:
    files = socket.recv_fds(connection, 1, 3)[1]
    (command, *arguments), folder, environment = json.load(connection.makefile("rb"))
    if program := os.fork():
        status = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
        connection.send(str(status if status >= 0 else 128 - status).encode())
        os._exit(0)
    connection.close()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", 1, errors="backslashreplace")  # noqa: SIM115
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    try:
        _run_command(Path(command).name, arguments)
        _end(0)
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
        _end(ended.code if isinstance(ended.code, int) else int(ended.code is not None))
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
        _end(1)


def _run_command(name: str, arguments: list[str]) -> None:
    if name == "uac":
        script = Path(sys.executable).with_name("uac")
        sys.argv, sys.path[0] = [str(script), *arguments], str(script.parent)
        runpy.run_path(str(script), run_name="__main__")
    else:
        sys.argv, sys.path[0] = ["-c", *arguments[2:]], ""
        sys.modules["__main__"] = main = types.ModuleType("__main__")
        exec(compile(arguments[1], "<string>", "exec"), main.__dict__)  # noqa: S102


def _end(status: int) -> NoReturn:
    """End as Python does, but free nothing: to take every imported module apart costs a second."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    names = {module.name for module in pkgutil.walk_packages(uac.__path__, "uac.") if "__main__" not in module.name}
    unused = {name for name in names if name.startswith(("uac.interfaces.", "uac.testing"))}
    commands = {name for name in unused if name.startswith("uac.interfaces.cli.")}
    for name in sorted(names - unused | commands) + ["pydantic_monty", "snowballstemmer"]:
        importlib.import_module(name)
    for pack in installed_packs():
        _read = pack.constraints, pack.knowledge, pack.words  # each command would analyse their code again
    mentions("yesterday", datetime.now(UTC))  # compiles the grammar of dates
    gc.freeze()  # what is imported is never looked at again: no fork copies its pages
    serve(sys.argv[1])
