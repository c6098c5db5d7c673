"""Starts a chosen third-party program confined: no files, no network, no other processes. Runs in the child.

The program stays the same process, so that its parent can signal it. Standard library only.
"""

import os
import sys

from uac.sandbox.linux import kernel

__all__ = ["run_boxed"]

LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")


def run_boxed(arguments: list[str]) -> None:
    """Arguments: the memory limit in megabytes, the program, and the program's own arguments."""
    memory, program, *rest = arguments
    file = os.open(program, os.O_RDONLY | os.O_CLOEXEC)
    readable = [file, *(os.open(path, os.O_PATH | os.O_CLOEXEC) for path in LIBRARIES if os.path.exists(path))]  # noqa: PTH110 - without `pathlib`
    kernel.drop_root()
    try:
        kernel.enter_namespaces(processes=False)
        kernel.drop_capabilities()
    except OSError:
        pass  # the filter below blocks the network as well
    try:
        kernel.limit_resources(int(memory) << 20, threads=True)
        kernel.no_new_privileges()
        kernel.landlock(readable)
        kernel.forbid_syscalls(kernel.FORBIDDEN_CALLS)
        os.execve(file, [program, *rest], {})  # noqa: S606 - starting the program is the purpose
    except OSError as error:
        sys.exit(f"box: {error}")
