"""User as Code: a memory for AI agents that makes the user a small software project."""

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
from uac.models.requests import Reply, Request
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
    Observation,
    Receipt,
    Retraction,
    Tick,
)
from uac.schema.patches import Patch
from uac.schema.periods import Period

__all__ = [
    "Alert",
    "AlertChange",
    "Answer",
    "Background",
    "Break",
    "Budget",
    "Cadence",
    "Case",
    "Change",
    "Checkpoint",
    "Citation",
    "Computer",
    "Constraint",
    "Context",
    "Correction",
    "Delivery",
    "Diagnostic",
    "Embedder",
    "Entry",
    "Erasure",
    "Explanation",
    "Fact",
    "Found",
    "Head",
    "Hit",
    "Knowledge",
    "Learned",
    "Log",
    "Look",
    "Memory",
    "Model",
    "ModelCall",
    "Models",
    "Observation",
    "OneModel",
    "Outcome",
    "Pack",
    "Patch",
    "Period",
    "Plot",
    "Prefix",
    "Project",
    "Receipt",
    "Record",
    "Reply",
    "Request",
    "Reranker",
    "Result",
    "Retraction",
    "Store",
    "Stored",
    "Table",
    "Tick",
    "User",
    "Why",
    "__version__",
    "installed_packs",
    "load_pack",
    "open_store",
    "parse_constraint",
]

__version__ = "0.1.0"
