"""The command line."""

from uac.cli.main import main

__all__ = ["main"]
