"""The proofs of the packs that ship: made when the package is built, so that a process need not repeat them.

`make proofs` proves every constraint of the packs and writes a digest of each with all that its proof depends on:
constraint, types, tables, prelude, stubs and the version of the engine. Whatever differs is proved again when it is
adopted.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec

from uac.project.runtime import source
from uac.sandbox.compute import PRELUDE
from uac.sandbox.port import Sandbox
from uac.schema.constraints import Constraint, Knowledge
from uac.schema.types import Type

__all__ = ["SHIPPED_PROOFS", "has_shipped_proof", "proof_digest"]

SHIPPED_PROOFS = Path(__file__).with_name("shipped_proofs.txt")
"""One digest a line, with the name of its constraint."""


def has_shipped_proof(
    constraint: Constraint, types: Sequence[Type | None], tables: Sequence[Knowledge | None], sandbox: Sandbox
) -> bool:
    """Whether a pack's constraint was proved, exactly so, by the engine of this sandbox."""
    engine = getattr(sandbox, "engine_version", "")
    if constraint.origin != "pack" or not engine:
        return False
    return proof_digest(constraint, types, tables, engine) in _shipped_digests()


def proof_digest(
    constraint: Constraint, types: Sequence[Type | None], tables: Sequence[Knowledge | None], engine: str
) -> str:
    """The digest of a proof's inputs. Of tables, what constraints see counts: compression differs between machines."""
    known = [table.with_unconfirmed({}).digest if table is not None else None for table in tables]
    inputs = [engine, _prelude_digest(), constraint, types, known]
    return sha256(msgspec.json.encode(inputs, order="sorted")).hexdigest()


@cache
def _shipped_digests() -> frozenset[str]:
    if not SHIPPED_PROOFS.is_file():
        return frozenset()
    lines = SHIPPED_PROOFS.read_text(encoding="ascii").splitlines()
    return frozenset(line.split()[0] for line in lines if line and not line.startswith("#"))


@cache
def _prelude_digest() -> str:
    return sha256(f"{PRELUDE}\0{source('prelude.pyi')}".encode()).hexdigest()
