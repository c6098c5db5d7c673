"""Moved to `uac.schema.entries`."""

from uac.schema.entries import *  # noqa: F403
from uac.schema.entries import __all__  # noqa: F401
from uac.schema.entries import with_fixed_offsets as settle  # noqa: F401 - its former name
