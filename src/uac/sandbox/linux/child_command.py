"""The command that starts a child: a bare interpreter with the standard library and the modules beside this one."""

import platform
import sys
from pathlib import Path

__all__ = ["can_confine_child", "child_command"]

# The child has no site-packages. The packages are created from their paths, so that uac/__init__.py never runs.
_START = """
import sys, types
for name, path in (("uac", sys.argv[1]), ("uac.sandbox", sys.argv[2]), ("uac.sandbox.linux", sys.argv[3])):
    package = types.ModuleType(name)
    package.__path__ = [path]
    sys.modules[name] = package
from uac.sandbox.linux import {module}
{function}(sys.argv[4:])
"""


def can_confine_child() -> bool:
    """Whether `kernel.py` supports this system."""
    return sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64")


def child_command(function: str, *arguments: str, python: str = sys.executable) -> list[str]:
    """The command line that runs a function of a module in this folder. Run it with an empty environment."""
    here = Path(__file__).parent
    # -I would be shorter, but it ignores PYTHONHASHSEED, and sets would be in another order each time
    flags = ("-s", "-S", "-P", "-B", "-X", "utf8", "-W", "ignore")
    return [
        python,
        *flags,
        "-c",
        _START.format(module=function.partition(".")[0], function=function),
        str(here.parent.parent),
        str(here.parent),
        str(here),
        *arguments,
    ]
