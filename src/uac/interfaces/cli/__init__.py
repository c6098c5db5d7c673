"""The command line."""

from typing import TYPE_CHECKING

from uac.interfaces.cli.main import collect_rarely, main

if TYPE_CHECKING:
    from uac.interfaces.cli.output import Output
    from uac.interfaces.cli.serve import missing_serve_extra_error

__all__ = ["Output", "collect_rarely", "main", "missing_serve_extra_error"]


def __getattr__(name: str) -> object:
    """Names that the command itself does not need at its start."""
    if name == "Output":
        from uac.interfaces.cli.output import Output

        return Output
    if name == "missing_serve_extra_error":
        from uac.interfaces.cli.serve import missing_serve_extra_error

        return missing_serve_extra_error
    raise AttributeError(f"module 'uac.interfaces.cli' has no attribute {name!r}")
