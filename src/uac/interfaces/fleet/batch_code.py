"""Code that runs one program for many users in one run of a session, each on objects that no other run has."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from uac.project.columns import record_columns
from uac.project.project import EMPTY_PROJECT, Project
from uac.sandbox.loading import classes_to_load, is_loaded_single
from uac.sandbox.port import Value
from uac.sandbox.row_code import RowCode, loaded_class_name
from uac.schema.code_effects import Effect
from uac.schema.constraint_code import Reading, constraint_definition, constraint_function_name
from uac.schema.constraints import Knowledge
from uac.schema.queries import FUNCTION, Query
from uac.schema.types import Type

__all__ = ["BATCH", "CALL", "BatchPlan", "RowsOf", "constraint_plan", "query_plan", "user_rows"]

BATCH = "batch__0"
"""The input of a batch: a list with the rows of each user. Code that names it gets a session of its own, as does all
code with two underscores in a name: so nobody's query reads another's rows."""

CALL = f"fleet__batch({BATCH}, now)"
"""Runs a batch."""


class RowsOf(NamedTuple):
    """The rows of one collection: of a type's current records, or of its former ones."""

    type: str
    is_former: bool


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """What a session must hold to run a program for users with the same types, and which rows each user sends.

    Two plans that are equal can share a session: it holds classes, functions and tables, and no user's data.
    """

    pieces: tuple[str, ...]
    """Code to run once in a session: classes, the program, and the function that runs a batch."""
    rows: tuple[RowsOf, ...]
    makers: Mapping[str, RowCode]
    tables: Mapping[str, Knowledge]
    effect: Effect
    types: Mapping[str, Type]

    @property
    def may_share_tables(self) -> bool:
        """Whether the code gets the loaded tables and not copies: it cannot change them."""
        return self.effect.change == "nothing"


def query_plan(query: Query, types: Mapping[str, Type], knowledge: Mapping[str, Knowledge]) -> BatchPlan:
    """The plan of a query for users with these types and tables of knowledge."""
    arguments = ", ".join("own__user" if name == "user" else f"own__user.{name}" for name in query.names)
    body = f"        results.append([1, {FUNCTION}({arguments})])"
    domains = [name for name in query.names if name != "user"]
    tables = {name: knowledge[name] for name in sorted(query.knows & knowledge.keys())}
    return _plan(query.code, body, query.reads, domains, query.effect, types, tables)


def constraint_plan(
    reading: Reading, code: str, types: Mapping[str, Type], knowledge: Mapping[str, Knowledge]
) -> BatchPlan:
    """The plan of a constraint, whose collections are all of these types."""
    body = f"        results.append([1, uac_check({constraint_function_name(reading.name)}, own__user, now__)])"
    definition = constraint_definition(reading.name, code)
    tables = {name: knowledge[name] for name in sorted(reading.knows)}
    return _plan(definition, body, reading.reads, (), reading.effect, types, tables)


def _plan(
    definition: str,
    call: str,
    reads: Sequence[str],
    domains: Collection[str],
    effect: Effect,
    types: Mapping[str, Type],
    tables: Mapping[str, Knowledge],
) -> BatchPlan:
    used = {*domains, *(name.partition(".")[0] for name in reads)}
    chosen = {name: types[name] for name in sorted(types) if types[name].domain in used}
    project = replace(EMPTY_PROJECT, types=chosen)
    makers: dict[str, RowCode] = {}
    rows: list[RowsOf] = []
    lines = ["own__user = user__all()"]
    for domain in project.domains:
        lines += [f"own__{domain} = {domain}__domain()", f"own__user.{domain} = own__{domain}"]
        for type_ in project.types_of(domain):
            if effect.attributes is None or type_.name in effect.attributes:
                lines.append(f"own__{domain}.{type_.name} = {loaded_class_name(type_)}")
            for collection in (type_.collected_as, type_.former):
                if f"{domain}.{collection}" in reads:
                    makers[type_.full_name] = RowCode(type_, None)
                    source = f"fleet__{loaded_class_name(type_)}(rows__[{len(rows)}])"
                    single = is_loaded_single(type_, collection)
                    lines.append(f"own__{domain}.{collection} = {f'({source} or [None])[0]' if single else source}")
                    rows.append(RowsOf(type_.full_name, collection == type_.former))
    made = [
        f"def fleet__{loaded_class_name(maker.type)}(rows__):\n    return {maker.objects.replace('%s', 'rows__')}"
        for maker in makers.values()
    ]
    user = "\n".join(f"    {line}" for line in (*lines, "return own__user"))
    pieces = (*classes_to_load(project), *made, definition, f"def fleet__user(rows__):\n{user}", _batch_function(call))
    return BatchPlan(pieces, tuple(rows), makers, tables, effect, chosen)


def _batch_function(call: str) -> str:
    """One after the other; a user whose run fails is run again alone, where the error is reported in full."""
    return f"""\
def fleet__batch(users__, now__):
  results = []
  for rows__ in users__:
    uac_looks.clear()
    try:
        own__user = fleet__user(rows__)
{call}
    except MemoryError:
        raise
    except Exception:
        results.append([0, None])
  uac_looks.clear()
  return results"""


def user_rows(plan: BatchPlan, project: Project) -> list[Value]:
    """The rows of one user's records, as the plan needs them."""
    columns = {
        name: record_columns(project.tables[name], [part.name for part in maker.parts])
        for name, maker in plan.makers.items()
        if name in project.tables
    }
    return [
        plan.makers[each.type].rows(columns[each.type][each.is_former]) if each.type in columns else []
        for each in plan.rows
    ]
