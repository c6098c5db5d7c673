"""The command `uac-bench`: what the package claims about itself, measured.

The commands are imported on first use. Benchmarks start many processes that need one module each.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uac_bench.commands import bench_commands as main

__all__ = ["main"]


def __getattr__(name: str) -> object:
    if name == "main":
        from uac_bench import commands

        return commands.bench_commands
    raise AttributeError(f"module 'uac_bench' has no attribute {name!r}")
