"""The command `uac` and `python -c`, started at once: forks of a process that has imported the package already.

Each has its own arguments, folder, environment and files. An interrupt and a termination reach it, and how it ends is
how the command ends; if the command is killed, it is killed too."""

import atexit
import contextlib
import gc
import importlib
import marshal
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
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple, NoReturn

import uac
from uac.packs import installed_packs
from uac.text.dates.mentions import mentions

# Only modules that are part of the interpreter: to import others takes longer than all the rest.
START = """#!{python} -IS
import _signal, _socket, marshal, posix, sys
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
server.connect({address!r})
files = b"".join(file.to_bytes(4, sys.byteorder) for file in (0, 1, 2))
server.sendmsg([b"0"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)])
server.sendall(marshal.dumps((sys.argv, posix.getcwd(), posix.environ)))
server.shutdown(_socket.SHUT_WR)
def answer():
    number = server.recv(4, _socket.MSG_WAITALL)
    if not number:
        posix._exit(255)
    return int.from_bytes(number, "little", signed=True)
program = answer()
for number in (_signal.SIGINT, _signal.SIGTERM):
    _signal.signal(number, lambda number, frame: posix.kill(program, number))
status = answer()
if status < 0:
    _signal.signal(-status, _signal.SIG_DFL)
    posix.kill(posix.getpid(), -status)
posix._exit(status)
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


class Program(NamedTuple):
    """A command's program: its number, the descriptor of its process, and the connection to the command."""

    number: int
    process: int
    connection: socket.socket


def serve(address: str) -> None:
    """Start programs until standard input ends."""
    running: dict[int, Program] = {}
    """By the descriptors of their connections and of their processes."""
    events = select.poll()
    events.register(sys.stdin, select.POLLIN)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        events.register(listener, select.POLLIN)
        print("ready", flush=True)
        # One at a time: what ends frees descriptors, and what starts takes them.
        while (ready := events.poll()[0][0]) != sys.stdin.fileno():
            if ready == listener.fileno():
                program = _start(listener, running)
                events.register(program.connection, 0)  # that the command is gone is reported without being asked for
                events.register(program.process, select.POLLIN)
                running |= dict.fromkeys((program.connection.fileno(), program.process), program)
            else:
                program = running[ready]
                for file in (program.connection.fileno(), program.process):
                    events.unregister(file)
                    del running[file]
                if ready != program.process:
                    os.kill(program.number, signal.SIGKILL)
                _finish(program)


def _start(listener: socket.socket, running: Mapping[int, Program]) -> Program:
    connection = listener.accept()[0]
    number = os.fork()
    if not number:
        listener.close()
        for program in set(running.values()):  # only the server may hold the connections of the others
            program.connection.close()
            os.close(program.process)
        _run_program(connection)
    _answer(connection, number)
    return Program(number, os.pidfd_open(number), connection)


def _finish(program: Program) -> None:
    """Report how the program ended, as soon as it has."""
    status = os.waitstatus_to_exitcode(os.waitpid(program.number, 0)[1])
    _answer(program.connection, status)
    program.connection.close()
    os.close(program.process)


def _answer(connection: socket.socket, number: int) -> None:
    with contextlib.suppress(BrokenPipeError):
        connection.send(number.to_bytes(4, "little", signed=True))


def _run_program(connection: socket.socket) -> NoReturn:
    files = socket.recv_fds(connection, 1, 3)[1]
    with connection, connection.makefile("rb") as sent:
        (command, *arguments), folder, environment = marshal.loads(sent.read())  # noqa: S302 - of a command of ours
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", 1, errors="backslashreplace")  # noqa: SIM115
    os.chdir(folder)
    os.environb.clear()
    os.environb.update(environment)
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
