"""Restrictions that the Linux kernel can put on a process. Runs in the child; standard library only.

Each function applies one restriction, and raises OSError if the kernel does not support it. None can be undone.
Every worker imports this module before it starts: `pathlib`, `platform`, `signal` and `typing` would double its time.
"""

import ctypes
import errno
import os
import resource
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "FORBIDDEN_CALLS",
    "WORKER_CALLS",
    "allow_only_syscalls",
    "drop_capabilities",
    "drop_root",
    "empty_root",
    "enter_namespaces",
    "forbid_syscalls",
    "landlock",
    "limit_resources",
    "no_new_privileges",
    "set_death_signal",
]

NOBODY = 65534
SIGKILL = 9
_MACHINE = os.uname().machine

# System call numbers by machine; asm-generic numbers above 423 are shared by all machines.
_SHARED = {
    "pidfd_send_signal": 424,
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "pidfd_open": 434,
    "clone3": 435,
    "pidfd_getfd": 438,
    "landlock_create_ruleset": 444,
    "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
}
# fmt: off
_NUMBERS = {
    "x86_64": _SHARED | {
        "read": 0, "write": 1, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigprocmask": 14,
        "rt_sigreturn": 15, "sched_yield": 24, "mremap": 25, "madvise": 28, "setitimer": 38, "getpid": 39, "socket": 41,
        "connect": 42, "accept": 43, "sendto": 44, "sendmsg": 46, "bind": 49, "listen": 50, "socketpair": 53,
        "clone": 56, "fork": 57, "vfork": 58, "exit": 60, "kill": 62, "gettimeofday": 96, "ptrace": 101,
        "sigaltstack": 131, "personality": 135, "modify_ldt": 154, "pivot_root": 155, "chroot": 161, "mount": 165,
        "umount2": 166, "init_module": 175, "delete_module": 176, "gettid": 186, "tkill": 200, "time": 201,
        "futex": 202, "restart_syscall": 219, "clock_gettime": 228, "exit_group": 231, "kexec_load": 246,
        "add_key": 248, "request_key": 249, "keyctl": 250, "unshare": 272, "accept4": 288, "perf_event_open": 298,
        "name_to_handle_at": 303, "open_by_handle_at": 304, "setns": 308, "process_vm_readv": 310,
        "process_vm_writev": 311, "finit_module": 313, "seccomp": 317, "getrandom": 318, "memfd_create": 319,
        "kexec_file_load": 320, "bpf": 321, "execveat": 322, "userfaultfd": 323, "membarrier": 324, "rseq": 334,
        "capset": 126,
    },
    "aarch64": _SHARED | {
        "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "read": 63, "write": 64, "capset": 91,
        "personality": 92, "exit": 93, "exit_group": 94, "unshare": 97, "futex": 98, "setitimer": 103,
        "kexec_load": 104, "init_module": 105, "delete_module": 106, "clock_gettime": 113, "ptrace": 117,
        "sched_yield": 124, "restart_syscall": 128, "kill": 129, "tkill": 130, "sigaltstack": 132,
        "rt_sigprocmask": 135, "rt_sigreturn": 139, "gettimeofday": 169, "getpid": 172, "gettid": 178, "socket": 198,
        "socketpair": 199, "bind": 200, "listen": 201, "accept": 202, "connect": 203, "sendto": 206, "sendmsg": 211,
        "brk": 214, "munmap": 215, "mremap": 216, "add_key": 217, "request_key": 218, "keyctl": 219, "clone": 220,
        "mmap": 222, "mprotect": 226, "madvise": 233, "perf_event_open": 241, "accept4": 242,
        "name_to_handle_at": 264, "open_by_handle_at": 265, "setns": 268, "process_vm_readv": 270,
        "process_vm_writev": 271, "finit_module": 273, "seccomp": 277, "getrandom": 278, "memfd_create": 279,
        "bpf": 280, "execveat": 281, "userfaultfd": 282, "membarrier": 283, "rseq": 293, "kexec_file_load": 294,
    },
}
# fmt: on
_AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

WORKER_CALLS = (
    # Use the one open socket, allocate non-executable memory, read clocks, exit. Nothing else.
    *("read", "write", "mmap", "munmap", "mremap", "madvise", "mprotect", "brk"),
    *("clock_gettime", "gettimeofday", "time", "getrandom", "setitimer", "rt_sigreturn", "rt_sigprocmask"),
    *("futex", "sched_yield", "restart_syscall", "getpid", "gettid", "sigaltstack", "rseq", "membarrier"),
    *("exit", "exit_group"),
)
"""The only system calls that a worker of the process sandbox may make."""

FORBIDDEN_CALLS = (
    *("socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg"),
    *("fork", "vfork", "kill", "tkill", "pidfd_send_signal", "pidfd_open", "pidfd_getfd", "ptrace"),
    *("process_vm_readv", "process_vm_writev", "memfd_create", "personality", "modify_ldt", "unshare", "setns"),
    *("mount", "umount2", "pivot_root", "chroot", "name_to_handle_at", "open_by_handle_at", "bpf"),
    *("perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "keyctl"),
    *("add_key", "request_key", "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load"),
)
"""System calls that are blocked for a third-party program."""

_libc = ctypes.CDLL(None, use_errno=True)


def _syscall_number(name: str) -> int | None:
    return _NUMBERS[_MACHINE].get(name)


def _check_syscall(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def _prctl(option: int, value: int) -> None:
    zero = ctypes.c_ulong(0)
    _check_syscall(_libc.prctl(option, ctypes.c_ulong(value), zero, zero, zero), f"prctl {option}")


def no_new_privileges() -> None:
    """No setuid program can raise this process's privileges, and no other process of its user can inspect it."""
    _prctl(38, 1)
    _prctl(4, 0)


def set_death_signal() -> None:
    """Die with the parent."""
    _prctl(1, SIGKILL)


def drop_root() -> bool:
    """Become nobody, if root; True if it was root."""
    if os.geteuid() != 0:
        return False
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    _prctl(4, 1)  # changing the id made /proc/self unwritable, and uid_map is written below
    return True


def limit_resources(memory: int, *, threads: bool = False) -> None:
    """Hard limits: at most `memory` bytes of address space, no written files, no new processes, no core dumps."""
    wanted = {
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    if not threads:
        wanted[resource.RLIMIT_NPROC] = 0
    for kind, value in wanted.items():
        ceiling = resource.getrlimit(kind)[1]
        lower = value if ceiling == resource.RLIM_INFINITY else min(value, ceiling)
        resource.setrlimit(kind, (lower, lower))


# --- namespaces -------------------------------------------------------------------------------------------------

_NEW_MOUNT, _NEW_CGROUP, _NEW_UTS, _NEW_IPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
_NEW_USER, _NEW_PID, _NEW_NET = 0x10000000, 0x20000000, 0x40000000


def enter_namespaces(*, processes: bool = True) -> None:
    """New namespaces: no network, no other processes, no shared memory. Call with a single thread.

    With `processes`, the next child becomes process 1 of the new namespace, not the caller.
    """
    user, group = os.getuid(), os.getgid()
    flags = _NEW_USER | _NEW_MOUNT | _NEW_CGROUP | _NEW_UTS | _NEW_IPC | _NEW_NET
    _check_syscall(_libc.unshare(flags | _NEW_PID if processes else flags), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123 - without `pathlib`
            file.write(text)


def empty_root() -> None:
    """Replace the file system by an empty read-only one. Needs enter_namespaces."""
    nosuid, nodev, noexec, readonly, remount, recursive, private = 2, 4, 8, 1, 32, 0x4000, 1 << 18
    quiet = nosuid | nodev | noexec
    _check_syscall(_libc.mount(b"none", b"/", None, ctypes.c_ulong(recursive | private), None), "mount private")
    _check_syscall(_libc.mount(b"tmpfs", b"/tmp", b"tmpfs", ctypes.c_ulong(quiet), b"size=4k,mode=555"), "mount tmpfs")
    os.chdir("/tmp")  # noqa: S108 - a mount point, no file is made
    _check_syscall(_libc.syscall(_syscall_number("pivot_root"), b".", b"."), "pivot_root")
    _check_syscall(_libc.umount2(b".", 2), "umount the old root")
    os.chdir("/")
    _check_syscall(_libc.mount(b"tmpfs", b"/", b"tmpfs", ctypes.c_ulong(quiet | readonly | remount), None), "remount")


def drop_capabilities() -> None:
    """Drop root's capabilities, even those inside the namespace."""
    for capability in range(64):
        if _libc.prctl(24, ctypes.c_ulong(capability), 0, 0, 0) < 0:
            break
    header = struct.pack("Ii", 0x20080522, 0)
    _check_syscall(_libc.syscall(_syscall_number("capset"), header, bytes(24)), "capset")


# --- Landlock ---------------------------------------------------------------------------------------------------

_EXECUTE, _READ_FILE = 1, 4


def landlock(readable: "Sequence[int]" = ()) -> None:
    """Only the directories open in `readable` (read and execute, recursively); no TCP, no signals to others."""
    create, add, restrict = (
        _syscall_number(f"landlock_{name}") for name in ("create_ruleset", "add_rule", "restrict_self")
    )
    version = _check_syscall(_libc.syscall(create, None, ctypes.c_size_t(0), ctypes.c_uint32(1)), "landlock")
    files = (1 << 13) - 1
    files |= (1 << 13 if version >= 2 else 0) | (1 << 14 if version >= 3 else 0) | (1 << 15 if version >= 5 else 0)
    network = 3 if version >= 4 else 0
    scopes = 3 if version >= 6 else 0
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = struct.pack("QQQ", files, network, scopes)
    ruleset = _check_syscall(
        _libc.syscall(create, rules, ctypes.c_size_t(size), ctypes.c_uint32(0)), "landlock ruleset"
    )
    try:
        for file in readable:
            rule = struct.pack("=Qi", _EXECUTE | _READ_FILE, file)
            _check_syscall(_libc.syscall(add, ruleset, 1, rule, ctypes.c_uint32(0)), "landlock rule")
        _check_syscall(_libc.syscall(restrict, ruleset, ctypes.c_uint32(0)), "landlock restrict")
    finally:
        os.close(ruleset)


# --- seccomp: a filter of system calls, as a small program for the kernel ------------------------------------------

_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_KILL, _ALLOW, _FAIL = 0x80000000, 0x7FFF0000, 0x00050000
_PROT_EXEC, _CLONE_THREAD = 4, 0x10000
_FIRST_ARGUMENT, _THIRD_ARGUMENT = 16, 32


def allow_only_syscalls(names: "Iterable[str]") -> None:
    """Every other system call fails with EPERM from now on; memory never becomes executable."""
    program = _seccomp_prologue()
    for name in names:
        number = _syscall_number(name)
        if number is None:
            continue  # this machine has no such call (time, on aarch64)
        if name in ("mmap", "mprotect"):
            program += _seccomp_step(_IF_EQUAL, number, 0, 4) + _seccomp_step(_LOAD, _THIRD_ARGUMENT)
            program += _seccomp_step(_IF_ANY_BIT, _PROT_EXEC, 1, 0) + _seccomp_step(_RETURN, _ALLOW)
            program += _seccomp_step(_RETURN, _FAIL | errno.EPERM)
        else:
            program += _seccomp_step(_IF_EQUAL, number, 0, 1) + _seccomp_step(_RETURN, _ALLOW)
    _install_seccomp(program + _seccomp_step(_RETURN, _FAIL | errno.EPERM))


def forbid_syscalls(names: "Iterable[str]") -> None:
    """These system calls fail with EPERM from now on, and only threads can be created."""
    program = _seccomp_prologue()
    for name in names:
        number = _syscall_number(name)
        if number is not None:
            program += _seccomp_step(_IF_EQUAL, number, 0, 1) + _seccomp_step(_RETURN, _FAIL | errno.EPERM)
    program += _seccomp_step(_IF_EQUAL, _NUMBERS[_MACHINE]["clone3"], 0, 1) + _seccomp_step(
        _RETURN, _FAIL | errno.ENOSYS
    )
    program += _seccomp_step(_IF_EQUAL, _NUMBERS[_MACHINE]["clone"], 0, 3) + _seccomp_step(_LOAD, _FIRST_ARGUMENT)
    program += _seccomp_step(_IF_ANY_BIT, _CLONE_THREAD, 1, 0) + _seccomp_step(_RETURN, _FAIL | errno.EPERM)
    _install_seccomp(program + _seccomp_step(_RETURN, _ALLOW))


def _seccomp_prologue() -> bytes:
    """Kill the process on calls of another architecture (i386, x32), then load the call's number."""
    program = _seccomp_step(_LOAD, 4) + _seccomp_step(_IF_EQUAL, _AUDIT_ARCHITECTURES[_MACHINE], 1, 0)
    program += _seccomp_step(_RETURN, _KILL) + _seccomp_step(_LOAD, 0)
    return program + _seccomp_step(_IF_AT_LEAST, 0x40000000, 0, 1) + _seccomp_step(_RETURN, _KILL)


def _seccomp_step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def _install_seccomp(program: bytes) -> None:
    filled = _Program(len(program) // 8, program)
    set_mode_filter = ctypes.c_uint(1)
    _check_syscall(
        _libc.syscall(_syscall_number("seccomp"), set_mode_filter, ctypes.c_uint(0), ctypes.byref(filled)), "seccomp"
    )
