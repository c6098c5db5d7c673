"""User as Code: a memory for AI agents that makes the user a small software project."""

from uac.entries import (
    AlertChange,
    Checkpoint,
    Citation,
    Correction,
    Entry,
    Erasure,
    Fact,
    ModelCall,
    Observation,
    Retraction,
    Tick,
)
from uac.log import Break, Head, Log, Prefix, Stored
from uac.patches import Patch
from uac.periods import Period
from uac.store import Finding, Store, User
from uac.stores import open_store

__all__ = [
    "AlertChange",
    "Break",
    "Checkpoint",
    "Citation",
    "Correction",
    "Entry",
    "Erasure",
    "Fact",
    "Finding",
    "Head",
    "Log",
    "ModelCall",
    "Observation",
    "Patch",
    "Period",
    "Prefix",
    "Retraction",
    "Store",
    "Stored",
    "Tick",
    "User",
    "__version__",
    "open_store",
]

__version__ = "0.1.0"
