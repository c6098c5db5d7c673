"""The log folded into typed records, alerts and progress: the project of a user.

Comes in: the entries of a log. Goes out: an immutable `Project`, a pure function of them, which can be rendered as
Python, explained field by field, compared, and exported. `apply_patches.py` checks patches before they become entries.
"""

from uac.project.alerts import Alert
from uac.project.clocks import Clocks
from uac.project.diff import Change, diff
from uac.project.explain import Explanation, explain
from uac.project.fold import fold_entries, fold_whole_log
from uac.project.progress import Spent
from uac.project.project import EMPTY_PROJECT, Adopted, Conflict, Coverage, Project, Record
from uac.project.render import render
from uac.project.snapshot import encode_project

__all__ = [
    "EMPTY_PROJECT",
    "Adopted",
    "Alert",
    "Change",
    "Clocks",
    "Conflict",
    "Coverage",
    "Explanation",
    "Project",
    "Record",
    "Spent",
    "diff",
    "encode_project",
    "explain",
    "fold_entries",
    "fold_whole_log",
    "render",
]
