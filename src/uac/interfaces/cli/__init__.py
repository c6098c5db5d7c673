"""The command line."""

from uac.interfaces.cli.main import main

__all__ = ["main"]
