"""Moved to `uac.schema.entries`."""

from uac.schema.entries import *  # noqa: F403
from uac.schema.entries import __all__, redact_entry, with_fixed_offsets  # noqa: F401

redact = redact_entry  # its former name
settle = with_fixed_offsets  # its former name
