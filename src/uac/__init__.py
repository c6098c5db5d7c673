"""User as Code: a memory for AI agents that turns what is known about a user into a software project.

A public name is imported on first use, so a program loads only what it uses.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uac.constraints.trace import Why
    from uac.conversation.ask import Answer
    from uac.conversation.learning import Cadence, Learned, Outcome
    from uac.display.plots import Plot
    from uac.display.tables import Table
    from uac.interfaces.client import AsyncClient, Client
    from uac.log.log import Break, Head, Log, Prefix, Stored
    from uac.log.store import Store, User
    from uac.log.stores import open_store
    from uac.memory.background import Background
    from uac.memory.groups import Group, Groups
    from uac.memory.memory import Memory
    from uac.memory.remembering import Remembered
    from uac.models import Budget, Models, OneModel
    from uac.models.embedder import Embedder
    from uac.models.model import Model
    from uac.models.requests_and_replies import Reply, Request
    from uac.models.reranker import Reranker
    from uac.packs import Pack, installed_packs, load_pack
    from uac.project.alerts import Alert
    from uac.project.clocks import Clocks
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
        Authorship,
        Checkpoint,
        Citation,
        Correction,
        Delivery,
        Entry,
        Erasure,
        Fact,
        Grant,
        Look,
        Membership,
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
        Merge,
        MergeTypes,
        Patch,
        Put,
        RenameField,
        RenameType,
        Retire,
        RetireField,
        RetypeField,
        SetAside,
        Sign,
        SplitType,
        Switch,
    )
    from uac.schema.periods import Period
    from uac.schema.types import Field, Type
    from uac.schema.values import Money

__all__ = [
    "AddField",
    "Adopt",
    "Alert",
    "AlertChange",
    "Amend",
    "Answer",
    "Approve",
    "AsyncClient",
    "Authorship",
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
    "Clocks",
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
    "Grant",
    "Group",
    "Groups",
    "Head",
    "Hit",
    "Knowledge",
    "Learn",
    "Learned",
    "Log",
    "Look",
    "Membership",
    "Memory",
    "Merge",
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
    "Remembered",
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
    "Sign",
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
__path__.append(f"{__path__[0]}/interfaces/old_paths")

_NAMES = {
    "constraints.trace": "Why",
    "conversation.ask": "Answer",
    "conversation.learning": "Cadence Learned Outcome",
    "display.plots": "Plot",
    "display.tables": "Table",
    "interfaces.client": "AsyncClient Client",
    "log.log": "Break Head Log Prefix Stored",
    "log.store": "Store User",
    "log.stores": "open_store",
    "memory.background": "Background",
    "memory.groups": "Group Groups",
    "memory.memory": "Memory",
    "memory.remembering": "Remembered",
    "models": "Budget Models OneModel",
    "models.embedder": "Embedder",
    "models.model": "Model",
    "models.requests_and_replies": "Reply Request",
    "models.reranker": "Reranker",
    "packs": "Pack installed_packs load_pack",
    "project.alerts": "Alert",
    "project.clocks": "Clocks",
    "project.diff": "Change",
    "project.explain": "Explanation",
    "project.project": "Project Record",
    "recall.context": "Context",
    "recall.search": "Found Hit",
    "sandbox.compute": "Computer Result",
    "schema.constraint_files": "parse_constraint",
    "schema.constraints": "Case Constraint Knowledge",
    "schema.diagnostics": "Diagnostic",
    "schema.entries": (
        "AlertChange Authorship Checkpoint Citation Correction Delivery Entry Erasure Fact Grant Look Membership "
        "ModelCall NextRun Observation Receipt Retraction Tick"
    ),
    "schema.patches": (
        "AddField Adopt Amend Approve ChangeKey Define Drop End Learn Merge MergeTypes Patch Put RenameField "
        "RenameType Retire RetireField RetypeField SetAside Sign SplitType Switch"
    ),
    "schema.periods": "Period",
    "schema.types": "Field Type",
    "schema.values": "Money",
}
_MODULE_OF = {name: f"uac.{module}" for module, names in _NAMES.items() for name in names.split()}
_FORMER_NAMES = {"Finding": "Diagnostic"}
_PACKAGES = (
    "constraints conversation display errors log memory models packs project recall sandbox schema text"
).split()


def __getattr__(name: str) -> object:
    current = _FORMER_NAMES.get(name, name)
    if current in _MODULE_OF:
        globals()[name] = getattr(import_module(_MODULE_OF[current]), current)
    elif name in _PACKAGES:
        # `uac.schema.entries` works without an import of its own, at the price of importing everything.
        for module in _NAMES:
            if module != "interfaces.client":
                import_module(f"uac.{module}")
    if name not in globals():
        raise AttributeError(f"module 'uac' has no attribute {name!r}")
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
