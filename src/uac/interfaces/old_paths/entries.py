"""Moved to `uac.schema.entries`."""

from uac.schema.entries import *  # noqa: F403
from uac.schema.entries import __all__, redact_entry, with_alert_tables, with_fixed_offsets  # noqa: F401

redact, settle, with_tables = redact_entry, with_fixed_offsets, with_alert_tables  # their former names
