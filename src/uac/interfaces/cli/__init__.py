"""The command line."""

from uac.interfaces.cli.main import main
from uac.interfaces.cli.output import Output
from uac.interfaces.cli.serve import needs_extra

__all__ = ["Output", "main", "needs_extra"]
