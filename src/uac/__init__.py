"""User as Code: a memory for AI agents that makes the user a small software project."""

from pathlib import Path
from typing import TYPE_CHECKING

from uac.constraints.trace import Why
from uac.conversation.ask import Answer
from uac.conversation.learning import Cadence, Learned, Outcome
from uac.display.plots import Plot
from uac.display.tables import Table
from uac.log.log import Break, Head, Log, Prefix, Stored
from uac.log.store import Store, User
from uac.log.stores import open_store
from uac.memory.background import Background
from uac.memory.memory import Memory
from uac.models import Budget, Models, OneModel
from uac.models.embedder import Embedder
from uac.models.model import Model
from uac.models.requests_and_replies import Reply, Request
from uac.models.reranker import Reranker
from uac.packs import Pack, installed_packs, load_pack
from uac.project.alerts import Alert
from uac.project.diff import Change
from uac.project.explain import Explanation
from uac.project.project import Project, Record
from uac.recall.context import Context
from uac.recall.search import Found, Hit
from uac.sandbox.compute import Computer, Result
from uac.schema.constraint_files import parse_constraint
from uac.schema.constraints import Case, Constraint, Knowledge
from uac.schema.diagnostics import Diagnostic
from uac.schema.entries import (
    AlertChange,
    Checkpoint,
    Citation,
    Correction,
    Delivery,
    Entry,
    Erasure,
    Fact,
    Look,
    ModelCall,
    NextRun,
    Observation,
    Receipt,
    Retraction,
    Tick,
)
from uac.schema.patches import (
    AddField,
    Adopt,
    Amend,
    Approve,
    ChangeKey,
    Define,
    Drop,
    End,
    Learn,
    MergeTypes,
    Patch,
    Put,
    RenameField,
    RenameType,
    Retire,
    RetireField,
    RetypeField,
    SetAside,
    SplitType,
    Switch,
)
from uac.schema.periods import Period
from uac.schema.types import Field, Type
from uac.schema.values import Money

if TYPE_CHECKING:
    from uac.interfaces.client import AsyncClient, Client

__all__ = [
    "AddField",
    "Adopt",
    "Alert",
    "AlertChange",
    "Amend",
    "Answer",
    "Approve",
    "AsyncClient",
    "Background",
    "Break",
    "Budget",
    "Cadence",
    "Case",
    "Change",
    "ChangeKey",
    "Checkpoint",
    "Citation",
    "Client",
    "Computer",
    "Constraint",
    "Context",
    "Correction",
    "Define",
    "Delivery",
    "Diagnostic",
    "Drop",
    "Embedder",
    "End",
    "Entry",
    "Erasure",
    "Explanation",
    "Fact",
    "Field",
    "Found",
    "Head",
    "Hit",
    "Knowledge",
    "Learn",
    "Learned",
    "Log",
    "Look",
    "Memory",
    "MergeTypes",
    "Model",
    "ModelCall",
    "Models",
    "Money",
    "NextRun",
    "Observation",
    "OneModel",
    "Outcome",
    "Pack",
    "Patch",
    "Period",
    "Plot",
    "Prefix",
    "Project",
    "Put",
    "Receipt",
    "Record",
    "RenameField",
    "RenameType",
    "Reply",
    "Request",
    "Reranker",
    "Result",
    "Retire",
    "RetireField",
    "Retraction",
    "RetypeField",
    "SetAside",
    "SplitType",
    "Store",
    "Stored",
    "Switch",
    "Table",
    "Tick",
    "Type",
    "User",
    "Why",
    "__version__",
    "installed_packs",
    "load_pack",
    "open_store",
    "parse_constraint",
]

__version__ = "0.1.0"

# Import paths of earlier versions keep working: `uac.client` is found in this folder.
__path__.append(str(Path(__file__).parent / "interfaces" / "old_paths"))


def __getattr__(name: str) -> object:
    """Names that few programs need are imported on first use; `Finding` is the former name of `Diagnostic`."""
    if name in ("AsyncClient", "Client"):
        from uac.interfaces import client

        return getattr(client, name)
    if name == "Finding":
        return Diagnostic
    raise AttributeError(f"module 'uac' has no attribute {name!r}")
