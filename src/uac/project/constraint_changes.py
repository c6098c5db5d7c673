"""Applies patches of constraints and of their tables to a draft, as far as that needs no sandbox.

The rest (types, the current state, running the cases) is checked by `constraints/proof.py` before.
"""

import re
from datetime import datetime
from typing import TypeAlias

from uac.errors import Refused
from uac.project.draft import Draft
from uac.project.project import Adopted, Signature
from uac.schema.constraint_code import read_constraint
from uac.schema.constraints import MAX_CASES, MAX_GIVEN, Constraint, case_moment
from uac.schema.patches import Adopt, Approve, Learn, Retire, Sign, Switch
from uac.schema.types import check_name

__all__ = ["ConstraintChange", "change_constraints"]

ConstraintChange: TypeAlias = Adopt | Retire | Switch | Approve | Learn | Sign


def change_constraints(draft: Draft, patch: ConstraintChange, position: int, learned: datetime) -> None:
    """Make the change, or raise Refused and leave everything as it was."""
    match patch:
        case Adopt(constraint=constraint):
            _adopt_constraint(draft, constraint, position, patch.cites)
        case Retire():
            adopted = _adopted_constraint(draft, patch.constraint)
            if not patch.why.strip():
                raise Refused("why is empty. Give a reason.")
            _remove_constraint(draft, patch.constraint)
            if adopted.constraint.origin != "model":  # whose names must not keep a pack's constraints away
                draft.retired.add(patch.constraint)
        case Switch():
            adopted = _adopted_constraint(draft, patch.constraint)
            draft.constraints[patch.constraint] = adopted._replace(is_on=patch.on)
            draft.failures.pop(patch.constraint, None)  # it gets another chance
        case Approve():
            adopted = _adopted_constraint(draft, patch.constraint)
            if adopted.is_reviewed:
                raise Refused(f"{patch.constraint} was approved before. It needs no second approval.")
            draft.constraints[patch.constraint] = adopted._replace(is_reviewed=True)
        case Learn(knowledge=knowledge):
            domain, dot, name = knowledge.name.partition(".")
            if not dot:
                raise Refused(f"{knowledge.name!r} is not the name of a table. Use domain.name, such as health.drugs.")
            check_name(domain, "domain")
            check_name(name, "knowledge")
            _ = knowledge.table, knowledge.origins, knowledge.unconfirmed("")  # refused here if they cannot be read
            draft.knowledge[knowledge.name] = knowledge
            signed = draft.signatures.get(knowledge.name)
            if signed is not None and signed.digest != knowledge.digest:
                del draft.signatures[knowledge.name]
        case Sign():
            _sign_table(draft, patch, position, learned)


def _sign_table(draft: Draft, patch: Sign, position: int, learned: datetime) -> None:
    table = draft.knowledge.get(patch.table)
    if table is None:
        known = ", ".join(sorted(draft.knowledge)) or "none yet"
        raise Refused(f"There is no table {patch.table!r}. Use one of: {known}.")
    if not patch.who.strip() or not patch.why.strip():
        raise Refused("who or why is empty. Give the name of the person who signs, and the reason.")
    if patch.digest != table.digest:
        raise Refused(f"{patch.table} has the digest {table.digest}. Review that version, and sign its digest.")
    draft.signatures[patch.table] = Signature(patch.digest, patch.who, patch.why, position, learned)


def _adopt_constraint(draft: Draft, constraint: Constraint, position: int, cites: tuple[int, ...]) -> None:
    if not re.fullmatch(r"([a-z]\w* [\w.+-]{1,40})?", constraint.pack):
        raise Refused(f"pack is {constraint.pack!r}. Use a name and a version.")
    reading = read_constraint(constraint.name, constraint.code)
    for collection in reading.reads:
        draft.type_collected(collection)
    for name in reading.knows:
        if name not in draft.knowledge:
            known = ", ".join(sorted(draft.knowledge)) or "none yet"
            raise Refused(f"looks up knowledge({name!r}), which does not exist. Use one of: {known}.")
    _check_adopted_cases(draft, constraint)
    old = draft.constraints.get(constraint.name)
    if old is not None and constraint.origin == "model" and old.constraint.origin != "model":
        raise Refused(f"{constraint.name} exists and was written by a {old.constraint.origin}. Choose another name.")
    _remove_constraint(draft, constraint.name)
    draft.retired.discard(constraint.name)
    is_reviewed = constraint.origin != "model"
    draft.constraints[constraint.name] = Adopted(constraint, position, is_reviewed=is_reviewed, cites=cites)
    draft.unwatched.add(constraint.name)


def _check_adopted_cases(draft: Draft, constraint: Constraint) -> None:
    for fires in (True, False):
        if not any(case.fires is fires for case in constraint.cases):
            raise Refused(f"has no case that {'fires' if fires else 'stays silent'}. Give at least one of each.")
    if len(constraint.cases) > MAX_CASES:
        raise Refused(f"has {len(constraint.cases)} cases. Give at most {MAX_CASES}.")
    if (count := sum(len(case.given) for case in constraint.cases)) > MAX_GIVEN:
        raise Refused(f"its cases have {count:,} records. Give at most {MAX_GIVEN:,}.")
    used = [draft.types.get(name) for name in sorted({given.type for case in constraint.cases for given in case.given})]
    if (constraint.cases, used) in draft.checked_cases:  # replaying a log checks the same cases again and again
        return
    for case in constraint.cases:
        case_moment(case)
        for given in case.given:
            try:
                draft.check_case_values(draft.type_named(given.type), given.fields)
            except Refused as error:
                raise Refused(f"case {case.name!r}: {given.type}: {error}") from None
    draft.checked_cases.add((constraint.cases, used))


def _adopted_constraint(draft: Draft, name: str) -> Adopted:
    adopted = draft.constraints.get(name)
    if adopted is None:
        raise Refused(f"There is no constraint {name}. Use one that 'uac constraints' lists.")
    return adopted


def _remove_constraint(draft: Draft, name: str) -> None:
    """Drop what is remembered of earlier runs; the alerts of the constraint are cleared by the run that follows."""
    draft.constraints.pop(name, None)
    draft.failures.pop(name, None)
    draft.looks.pop(name, None)
    draft.unwatched.discard(name)
    draft.rechecks.discard(name)
