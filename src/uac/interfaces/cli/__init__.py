"""The command line."""

from uac.interfaces.cli.main import main
from uac.interfaces.cli.output import Output
from uac.interfaces.cli.serve import missing_serve_extra_error

__all__ = ["Output", "main", "missing_serve_extra_error"]
