"""All threads of a service use the memory that one of them has freed."""

import platform
from pathlib import Path

import httpx2
import pytest

from support.http_process import uac_serve
from support.http_service import LONG

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library has no arenas")

RESERVED = 64 * 2**20
"""The addresses that glibc reserves for an arena of a thread start and end at multiples of it."""


def arenas_of_threads(process: int) -> int:
    """How many arenas a process has beside the first one: each has addresses that nothing uses yet."""
    found = 0
    for line in Path(f"/proc/{process}/maps").read_text(encoding="utf-8").splitlines():
        addresses, access, _offset, _device, inode, *_name = line.split()
        start, end = (int(address, 16) for address in addresses.split("-"))
        found += access == "---p" and inode == "0" and end - start > RESERVED // 2 and end % RESERVED == 0
    return found


@pytest.mark.parametrize(("settings", "has_others"), [({}, False), ({"MALLOC_ARENA_MAX": "4"}, True)])
def test_threads_of_a_service_share_one_arena_unless_the_operator_wants_more(
    tmp_path: Path, settings: dict[str, str], *, has_others: bool
) -> None:
    with uac_serve(tmp_path / "memory.db", "--no-keys", **settings) as process:
        said = {"turns": [{"text": "hello"}]}
        httpx2.post(f"{process.address}/v1/users/ana/observations", json=said, trust_env=False, timeout=LONG)
        assert (arenas_of_threads(process.running.pid) > 0) == has_others
