"""Packs: ready-made domains with types, constraints, cases and knowledge. They are offered to every project.

In: the folders of installed packs (`docs/concepts/packs.md` shows their files) and a project. Out: the patches that
bring a pack's types, tables and constraints into the project.
Nothing in a pack is imported or run here: its files are read as trees, and constraints run in the sandbox.
"""

from uac.packs.files import Pack, load_pack
from uac.packs.installed import BUILT_IN, GROUP, chosen_packs, installed_packs
from uac.packs.offers import Offer, offered_constraints
from uac.packs.pack_patches import is_from_packs, needed_patches, upgrade_patches
from uac.packs.row_checks import UNCONFIRMED, VERDICTS, CheckedRows, RowCheck, Verdict, checked_rows, row_digest
from uac.packs.stale_rows import StaleRow, stale_rows
from uac.packs.table_rows import table_rows

__all__ = [
    "BUILT_IN",
    "GROUP",
    "UNCONFIRMED",
    "VERDICTS",
    "CheckedRows",
    "Offer",
    "Pack",
    "RowCheck",
    "StaleRow",
    "Verdict",
    "checked_rows",
    "chosen_packs",
    "installed_packs",
    "is_from_packs",
    "load_pack",
    "needed_patches",
    "offered_constraints",
    "row_digest",
    "stale_rows",
    "table_rows",
    "upgrade_patches",
]
