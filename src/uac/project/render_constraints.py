"""The constraints of a project as files, with their cases, and what makes them run with nothing installed.

The code of a constraint is printed as it was adopted, and a comment names its author.
"""

import json

from uac.project.project import Adopted, Project
from uac.project.runtime import source, source_without_money
from uac.schema.constraints import Case, Given
from uac.schema.literals import literal, text_literal
from uac.schema.types import Json, parse_type
from uac.schema.values import Typed, parse_value

__all__ = ["render_constraint", "render_constraints"]

PRELUDE = source_without_money("domains._money")
EXPORTED = '__all__ += ["ended", "fires", "silent"]'
ALONE = source("standalone.py")


def render_constraints(project: Project) -> dict[str, str]:
    """The files of the folder `constraints`, and the test that runs all cases."""
    names = sorted(project.constraints)
    about = "one function a file" if names else "none yet"
    files = {"constraints/__init__.py": f'"""Constraints over the domains: {about}."""\n'}
    if not names:
        return files
    files["constraints/_given.py"] = "\n\n".join(
        [PRELUDE, _render_given_collections(project), EXPORTED, "", _rendered_runtime(ALONE)]
    )
    for name in names:  # unreviewed constraints are shown, but not run with the tests
        ending = "py" if project.constraints[name].is_reviewed else "py.txt"
        files[f"constraints/{name}.{ending}"] = render_constraint(project, project.constraints[name])
    for name, table in sorted(project.knowledge.items()):
        files[f"constraints/knowledge/{name}.json"] = json.dumps(table.table, ensure_ascii=False, indent=1) + "\n"
    files["tests/test_constraints.py"] = _render_constraint_tests(
        [name for name in names if project.constraints[name].is_reviewed]
    )
    return files


def render_constraint(project: Project, adopted: Adopted) -> str:
    """The file of a constraint: who wrote it, its code, its cases."""
    constraint = adopted.constraint
    by = f"the pack {constraint.pack}" if constraint.pack else f"a {constraint.origin}"
    states = [f"written by {by}", "reviewed" if adopted.is_reviewed else "not reviewed yet"]
    states += [] if adopted.is_on else ["switched off"]
    domains = sorted({given.type.partition(".")[0] for case in constraint.cases for given in case.given})
    imports = [f"from domains import {', '.join(domains)}"] if domains else []
    imports.append("from ._given import *  # noqa: F403")
    cases = "".join(f"    {_render_case(project, case)},\n" for case in constraint.cases)
    return "\n".join(
        [f"# {', '.join(states)}", *imports, "", "", constraint.code.strip("\n"), "", "", f"CASES = [\n{cases}]\n"]
    )


def _render_case(project: Project, case: Case) -> str:
    arguments = [text_literal(case.name), _render_case_time(case)]
    arguments += [_render_given_record(project, given) for given in case.given]
    if case.says:
        arguments.append(f"says={literal(case.says, indent=8, lead=14)}")
    inner = "".join(f"        {argument},\n" for argument in arguments)
    return f"{'fires' if case.fires else 'silent'}(\n{inner}    )"


def _render_case_time(case: Case) -> str:
    kind = "datetime" if "T" in case.now else "date"
    value = parse_value(case.now, parse_type(kind))
    return literal(value)


def _render_given_record(project: Project, given: Given) -> str:
    type_ = project.types.get(given.type)
    fields: list[str] = []
    for name, raw in given.fields.items():
        part = type_.field(name) if type_ else None
        try:
            value = parse_value(raw, parse_type(part.type)) if part else _untyped_given_value(raw)
        except ValueError:  # the type has changed since
            value = _untyped_given_value(raw)
        fields.append(f"{name}={literal(value)}")
    made = f"{given.type}({', '.join(fields)})"
    return f"ended({made}, {text_literal(given.ended)})" if given.ended else made


def _untyped_given_value(raw: Json) -> Typed:
    """A value of JSON as it is, where no type says what it means."""
    if isinstance(raw, list):
        return tuple(_untyped_given_value(item) for item in raw)
    return raw if isinstance(raw, str | int | float | bool | None) else json.dumps(raw)


def _render_given_collections(project: Project) -> str:
    """The collection of each type in its domain, and whether it has only one record."""
    rows = [
        f"    {text_literal(name)}: ({text_literal(type_.collected_as)}, {type_.cardinality == 'one'}),\n"
        for name, type_ in sorted(project.types.items())
    ]
    return f"COLLECTIONS = {{\n{''.join(rows)}}}"


def _rendered_runtime(text: str) -> str:
    """A module without its docstring and imports, to be pasted below others."""
    return text[text.index("# --- below") :].partition("\n")[2].strip("\n") + "\n"


def _render_constraint_tests(names: list[str]) -> str:
    lines = ['"""Each constraint gives what its cases say."""', ""]
    lines += [f"from constraints import {name}" for name in names]
    lines += ["from constraints._given import check", "", ""]
    for name in names:
        lines += [f"def test_{name}() -> None:", f"    check({name}.{name}, {name}.CASES)", "", ""]
    return "\n".join(lines).rstrip("\n") + "\n"
