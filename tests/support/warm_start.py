"""The command `uac` and `python -c`, started at once: forks of a process that has imported the package already.

Each has its own arguments, folder, environment and files. An interrupt and a termination reach it, and how it ends is
how the command ends; if the command is killed, it is killed too."""

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import types
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import NoReturn

import uac
from uac.packs import installed_packs
from uac.text.dates.mentions import mentions

START = """#!{python} -IS
import json, os, signal, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [b"0"], [0, 1, 2])
    server.sendall(json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode())
    server.shutdown(socket.SHUT_WR)
    answers = server.makefile()
    program = int(answers.readline())
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: os.kill(program, number))
    status = int(answers.readline() or 255)
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)
"""


@cache
def warm_folder() -> Path:
    """The folder of the commands that all tests of this process share."""
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="uac-warm-")))
    return stack.enter_context(warm_commands(folder))


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
        _supervise(program, connection, files)
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


def _supervise(program: int, connection: socket.socket, files: list[int]) -> NoReturn:
    for file in files:
        os.close(file)
    connection.send(f"{program}\n".encode())
    events = select.poll()
    events.register(connection, 0)  # that the command is gone is reported without being asked for
    events.register(os.pidfd_open(program), select.POLLIN)
    if connection.fileno() in dict(events.poll()):
        os.kill(program, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
    with contextlib.suppress(BrokenPipeError):
        connection.send(f"{status}\n".encode())
    os._exit(0)


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
    used = {
        name
        for name in unused
        if name.startswith(("uac.interfaces.cli.", "uac.interfaces.mcp.", "uac.interfaces.agent_tools."))
    }
    for name in sorted(names - unused | used) + ["pydantic_monty", "Stemmer", "uvicorn"]:
        importlib.import_module(name)
    for pack in installed_packs():
        _read = pack.constraints, pack.knowledge, pack.words  # each command would analyse their code again
    mentions("yesterday", datetime.now(UTC))  # compiles the grammar of dates
    gc.freeze()  # what is imported is never looked at again: no fork copies its pages
    serve(sys.argv[1])
