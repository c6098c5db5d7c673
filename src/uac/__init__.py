"""User as Code: a memory for AI agents that makes the user a small software project."""

from uac.compute import Computer, Result
from uac.diff import Change
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
from uac.explain import Explanation
from uac.log import Break, Head, Log, Prefix, Stored
from uac.memory import Memory
from uac.patches import Patch
from uac.periods import Period
from uac.project import Project, Record
from uac.store import Finding, Store, User
from uac.stores import open_store

__all__ = [
    "AlertChange",
    "Break",
    "Change",
    "Checkpoint",
    "Citation",
    "Computer",
    "Correction",
    "Entry",
    "Erasure",
    "Explanation",
    "Fact",
    "Finding",
    "Head",
    "Log",
    "Memory",
    "ModelCall",
    "Observation",
    "Patch",
    "Period",
    "Prefix",
    "Project",
    "Record",
    "Result",
    "Retraction",
    "Store",
    "Stored",
    "Tick",
    "User",
    "__version__",
    "open_store",
]

__version__ = "0.1.0"
