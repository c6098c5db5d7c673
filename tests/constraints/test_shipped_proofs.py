"""A pack's constraint that was proved when the package was built is not proved again; whatever differs is."""

from base64 import b64encode
from datetime import datetime
from typing import Any
from zlib import compress

import msgspec
import pytest

from support.packs import PACKS
from tools.prove_packs import current_proofs
from uac.constraints.proof import proof_inputs, prove_constraints
from uac.constraints.shipped_proofs import SHIPPED_PROOFS, has_shipped_proof, proof_digest
from uac.constraints.try_pack import try_pack_project
from uac.sandbox import shared_sandbox
from uac.sandbox.port import Limits, Sandbox, SandboxSession
from uac.schema.constraints import Constraint, Knowledge

HEALTH = next(pack for pack in PACKS if pack.name == "health")
RULE = next(rule for rule in HEALTH.constraints if rule.name == "drug_allergy")
PROJECT = try_pack_project(HEALTH)
CONSTRAINT, TYPES, TABLES = proof_inputs(PROJECT, RULE)


class Watched:
    """A sandbox that tells what it was asked to prove."""

    name = "watched"

    def __init__(self, sandbox: Sandbox, engine_version: str) -> None:
        self._sandbox = sandbox
        self.engine_version = engine_version
        self.asked: list[str] = []

    def session(self, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> SandboxSession:
        self.asked.append("cases")
        return self._sandbox.session(now=now, seed=seed, limits=limits)

    def type_errors(self, code: str, stubs: str) -> tuple[tuple[int, str], ...]:
        self.asked.append("types")
        return self._sandbox.type_errors(code, stubs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sandbox, name)


@pytest.fixture
def engine() -> str:
    version: str = getattr(shared_sandbox(), "engine_version", "")
    if not version:
        pytest.skip("Monty is not installed, and the proofs that ship are of Monty")
    return version


def test_the_proofs_that_ship_are_those_of_the_packs_as_they_are(engine: str) -> None:
    assert SHIPPED_PROOFS.read_text() == current_proofs(), "A pack has changed. Run 'make proofs'."
    assert engine.startswith("Monty ")


def test_a_constraint_whose_proof_ships_is_not_proved_again(engine: str) -> None:
    sandbox = Watched(shared_sandbox(), engine)
    assert (prove_constraints(PROJECT, HEALTH.constraints, sandbox), sandbox.asked) == ([], [])


@pytest.mark.parametrize("engine_version", ["", "Monty 0.1"])
def test_an_engine_that_did_not_make_the_proof_makes_its_own(engine_version: str) -> None:
    sandbox = Watched(shared_sandbox(), engine_version)
    assert prove_constraints(PROJECT, [RULE], sandbox) == []
    assert sandbox.asked == ["types", "cases"]


def changed(**fields: Any) -> Constraint:
    return msgspec.structs.replace(RULE, **fields)


@pytest.mark.parametrize(
    "constraint",
    [
        changed(code=f"{RULE.code}# changed\n"),
        changed(cases=RULE.cases[:-1]),
        changed(cases=(msgspec.structs.replace(RULE.cases[0], fires=not RULE.cases[0].fires), *RULE.cases[1:])),
        changed(origin="user"),
        changed(origin="model"),
        changed(pack="health 0"),
    ],
    ids=["code", "fewer cases", "another case", "a user's", "a model's", "another version"],
)
def test_a_constraint_that_differs_in_anything_has_no_shipped_proof(constraint: Constraint, engine: str) -> None:
    sandbox = Watched(shared_sandbox(), engine)
    assert constraint != RULE
    assert has_shipped_proof(CONSTRAINT, TYPES, TABLES, sandbox)
    assert not has_shipped_proof(constraint, TYPES, TABLES, sandbox)


def test_a_changed_constraint_of_a_pack_is_refused_by_its_cases_though_the_original_ships(engine: str) -> None:
    silent = changed(cases=(*RULE.cases, opposite()))
    sandbox = Watched(shared_sandbox(), engine)
    assert {proof.case for proof in prove_constraints(PROJECT, [silent], sandbox)} == {"the opposite"}


def opposite() -> Any:
    """A case of the rule that cannot hold."""
    return msgspec.structs.replace(next(case for case in RULE.cases if case.fires), name="the opposite", fires=False)


def test_other_types_and_tables_give_another_digest_and_another_compression_does_not(engine: str) -> None:
    same = proof_digest(CONSTRAINT, TYPES, TABLES, engine)
    table = next(table for table in TABLES if table is not None)
    again = msgspec.structs.replace(table, packed=b64encode(compress(msgspec.json.encode(table.table), 1)).decode())
    other = Knowledge.of([], name=table.name, version="1", date="2026-01-01", source="", note="")
    type_ = next(type_ for type_ in TYPES if type_ is not None)
    fewer = msgspec.structs.replace(type_, fields=type_.fields[:-1])
    assert proof_digest(CONSTRAINT, TYPES, [again, *TABLES[1:]], engine) == same
    assert proof_digest(CONSTRAINT, TYPES, [other, *TABLES[1:]], engine) != same
    assert proof_digest(CONSTRAINT, TYPES, [None, *TABLES[1:]], engine) != same
    assert proof_digest(CONSTRAINT, [fewer, *TYPES[1:]], TABLES, engine) != same
