"""Checks a constraint before it is adopted: it must type-check, and its cases must give the results they state.

The cases run in the sandbox, those of a model's constraint in a separate session; each case has its own state,
built from the user's own types.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeAlias
from weakref import WeakKeyDictionary

from uac.constraints.shipped_proofs import has_shipped_proof
from uac.errors import Refused, RunError, SandboxError
from uac.project.apply_patches import apply_patch
from uac.project.claims import Source
from uac.project.digest_cache import DigestCache
from uac.project.draft import Draft
from uac.project.project import Project
from uac.project.render import field_annotation, rendered_fields
from uac.project.runtime import source
from uac.sandbox.compute import PRELUDE
from uac.sandbox.loading import LOADED, classes_to_load, load_records, load_tables
from uac.sandbox.port import Sandbox, SandboxSession, Value
from uac.schema.code_wrapping import wrap_in_function
from uac.schema.constraint_code import constraint_definition, constraint_function_name, read_constraint
from uac.schema.constraints import Case, Constraint, Knowledge, Origin, case_moment
from uac.schema.patches import End, Put
from uac.schema.periods import Period
from uac.schema.persistent_map import Map
from uac.schema.syntax import parse_code
from uac.schema.types import Json, Type, parse_type

__all__ = [
    "Proof",
    "imported_tables",
    "proof_inputs",
    "proof_type_errors",
    "prove_constraints",
    "run_cases",
]

STUBS = source("prelude.pyi")


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of one case or, with no case, of the type checker. An empty `why` means success."""

    constraint: str
    case: str
    why: str = ""
    has_run: bool = field(default=False, compare=False)
    """Whether the case ran, so that `why` is about its alerts."""

    @property
    def reason(self) -> str:
        """The reason against the constraint, without its name."""
        return f"case {self.case!r}: {self.why}" if self.case else self.why

    def __str__(self) -> str:
        return f"{self.constraint}: {self.reason}"


def prove_constraints(project: Project, constraints: Sequence[Constraint], sandbox: Sandbox) -> list[Proof]:
    """The failed proofs; empty if all constraints can be adopted. Successful proofs are cached per sandbox.

    The cases of a pack are written for its tables. With an imported table they need only run: which alerts it gives is
    for whoever answers for the table.
    """
    proved = _proof_cache(sandbox)
    fresh: list[Constraint] = []
    for constraint in constraints:
        inputs = proof_inputs(project, constraint)
        if inputs not in proved:
            if has_shipped_proof(*inputs, sandbox):
                proved.add(inputs)
            else:
                fresh.append(constraint)
    try:
        failed = [Proof(name, "", why) for name, why in proof_type_errors(project, fresh, sandbox)]
    except SandboxError as error:  # one parser may accept what another does not
        if len(fresh) == 1:
            return [Proof(fresh[0].name, "", str(error))]
        return [proof for constraint in fresh for proof in prove_constraints(project, [constraint], sandbox)]
    names = {proof.constraint for proof in failed}
    cases = run_cases(project, [constraint for constraint in fresh if constraint.name not in names], sandbox)
    imported = {each.name for each in fresh if each.origin == "pack" and imported_tables(project, each)}
    failed += [proof for proof in cases if proof.why and not (proof.has_run and proof.constraint in imported)]
    names = {proof.constraint for proof in failed}
    for constraint in fresh:
        if constraint.name not in names:
            proved.add(proof_inputs(project, constraint))
    return failed


def imported_tables(project: Project, constraint: Constraint) -> list[str]:
    """The imported tables that the constraint looks values up in."""
    knows = read_constraint(constraint.name, constraint.code).knows
    return [name for name in knows if name in project.knowledge and project.knowledge[name].is_imported]


_PROVED: "WeakKeyDictionary[Sandbox, DigestCache]" = WeakKeyDictionary()
"""The successful proofs of each sandbox, while it exists. A proof in one sandbox does not count in another."""
MOST_PROVED = 4096


def _proof_cache(sandbox: Sandbox) -> DigestCache:
    try:
        return _PROVED.setdefault(sandbox, DigestCache(MOST_PROVED))
    except TypeError:  # a custom sandbox class without weak references
        return DigestCache(MOST_PROVED)


ProofInputs: TypeAlias = tuple[Constraint, list[Type | None], list[Knowledge | None]]


def proof_inputs(project: Project, constraint: Constraint) -> ProofInputs:
    """The constraint with everything of the user that its proof depends on: types and tables."""
    reading = read_constraint(constraint.name, constraint.code)
    owners = project.owners()
    names = {owners[collection] for collection in reading.reads if collection in owners}
    names |= {given.type for case in constraint.cases for given in case.given}
    types = [project.types.get(name) for name in sorted(names)]
    tables = [project.knowledge.get(name) for name in reading.knows]
    return constraint, types, tables


def proof_type_errors(project: Project, constraints: Sequence[Constraint], sandbox: Sandbox) -> list[tuple[str, str]]:
    """The type checker's errors against the user's own types: the constraint's name, and the line with the message."""
    if not constraints:
        return []
    texts: list[str] = []
    places: list[tuple[int, str]] = []  # where the text of each constraint begins
    for constraint in constraints:
        places.append((sum(text.count("\n") + 1 for text in texts), constraint.name))
        texts.append(_constraint_to_prove(constraint))
    errors: list[tuple[str, str]] = []
    for row, message in sandbox.type_errors("\n".join(texts), STUBS + _proof_stubs(project)):
        start, name = max(place for place in places if place[0] < row)
        plain = message.replace("`", "").replace("__domain", "").replace("__all", "").replace("__", ".")
        errors.append((name, f"line {row - start - 1}: {plain}"))
    return errors


def _constraint_to_prove(constraint: Constraint) -> str:
    """The constraint inside a function, with the types of its two arguments added."""
    code, tree = parse_code(constraint.code)
    lines = code.split("\n")
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == constraint.name:
            kinds = ("user__all", "datetime")
            for argument, kind in sorted(zip(node.args.args, kinds, strict=True), key=lambda pair: -pair[0].col_offset):
                if argument.annotation is None:
                    row, end = argument.lineno - 1, argument.col_offset + len(argument.arg)
                    lines[row] = f"{lines[row][:end]}: {kind}{lines[row][end:]}"
    text = "\n".join(lines)
    return wrap_in_function(text, parse_code(text)[1], constraint_function_name(constraint.name))


def _proof_stubs(project: Project) -> str:
    """Type stubs of the user's types."""
    lines: list[str] = []
    for domain in project.domains:
        types = project.types_of(domain)
        lines += [_proof_class_stub(type_) for type_ in types]
        fields = "".join(f"    {name}: {kind}\n" for type_ in types for name, kind in _proof_collection_stubs(type_))
        lines.append(f"@dataclass\nclass {domain}__domain:\n{fields}")
    fields = "".join(f"    {domain}: {domain}__domain\n" for domain in project.domains) or "    pass\n"
    lines.append(f"@dataclass\nclass user__all:\n{fields}")
    return "\n" + "\n".join(lines)


def _proof_class_stub(type_: Type) -> str:
    fields = "".join(f"    {part.name}: {field_annotation(parse_type(part.type))}\n" for part in rendered_fields(type_))
    return f"@dataclass\nclass {type_.domain}__{type_.name}:\n{fields}"


def _proof_collection_stubs(type_: Type) -> list[tuple[str, str]]:
    name = f"{type_.domain}__{type_.name}"
    single = f"{name} | None" if type_.cardinality == "one" else f"list[{name}]"
    return [(type_.collected_as, single), (type_.former, f"list[{name}]")]


def run_cases(project: Project, constraints: Sequence[Constraint], sandbox: Sandbox) -> list[Proof]:
    """The result of each case of each constraint, with the types and tables of the project."""
    if not constraints:
        return []
    bare = Project(types=project.types, tables={name: Map() for name in project.types})
    needed = {name for each in constraints for name in read_constraint(each.name, each.code).knows}
    proofs: list[Proof] = []
    session: SandboxSession | None = None
    try:
        for constraint in constraints:
            for case in constraint.cases:
                if session is None or not session.alive:
                    session = _open_proof_session(sandbox, project, needed)
                why, has_run = _run_case(session, bare, constraint, case)
                proofs.append(Proof(constraint.name, case.name, why, has_run))
                if constraint.origin == "model":  # its side effects must not reach any other proof
                    session.close()
    finally:
        if session is not None:
            session.close()
    return proofs


def _open_proof_session(sandbox: Sandbox, project: Project, tables: set[str]) -> SandboxSession:
    session = sandbox.session(now=datetime(2000, 1, 1, tzinfo=UTC))
    session.run(PRELUDE, {"now": None})
    load_records(session, Project(types=project.types, tables={}), classes_to_load(project))
    load_tables(session, project, sorted(tables))
    return session


def _run_case(session: SandboxSession, bare: Project, constraint: Constraint, case: Case) -> tuple[str, bool]:
    """The problem with the case, or "", and whether it ran to its end."""
    try:
        load_records(
            session,
            _proof_case_project(bare, case, constraint.origin),
            [constraint_definition(constraint.name, constraint.code)],
        )
        function = f"({constraint.name!r}, {constraint_function_name(constraint.name)}, None)"
        call = f"uac_look([{function}], {LOADED}user, moment__0)"
        rows = session.run(call, {"moment__0": case_moment(case)}).value
    except (RunError, Refused) as error:
        return str(error), False
    return _case_verdict(case, rows)


def _case_verdict(case: Case, rows: Value) -> tuple[str, bool]:
    match rows:
        case [[str(), str() as error, list() as found, list()]]:
            return (error, False) if error else (_wrong_alerts(case, found), True)
        case _:
            return "gave no alerts", False


def _wrong_alerts(case: Case, found: list[Value]) -> str:
    """How the alerts differ from what the case states, or ""."""
    messages = [str(alert[2]) for alert in found if isinstance(alert, list) and len(alert) in (5, 6)]
    if not case.fires:
        return f"should stay silent, but says: {messages[0]}" if messages else ""
    if not messages:
        return "should fire, but stays silent"
    if any(all(text.casefold() in message.casefold() for text in case.says) for message in messages):
        return ""
    missing = [text for text in case.says if text.casefold() not in messages[0].casefold()]
    return f"should say {', '.join(map(repr, missing))}, but says: {messages[0]}"


def _proof_case_project(bare: Project, case: Case, origin: Origin) -> Project:
    """A project with the records of a case; each cites a source of its own.

    A user may have added fields to a pack's type, which its cases cannot know: those get a neutral value.
    """
    draft = Draft(bare)
    said = case_moment(case)
    for number, given in enumerate(case.given, 1):
        draft.learn(number, Source("user", said, Period(), (), is_fact=False))
        fields = {**_neutral_values(bare.types[given.type]), **given.fields} if origin == "pack" else given.fields
        put = Put(type=given.type, fields=fields, cites=(number,))
        try:
            apply_patch(draft, put, 1_000_000 + number, 0, said)
            if given.ended:
                record = draft.used[number][0]
                apply_patch(draft, End(record=record, when=given.ended, cites=(number,)), 2_000_000 + number, 0, said)
        except Refused as error:
            raise Refused(f"{given.type}: {error}") from None
    return draft.freeze(len(case.given))


def _neutral_values(type_: Type) -> dict[str, Json]:
    """A value for each required field that is not part of the key."""
    values: dict[str, Json] = {}
    for part in type_.fields:
        parsed = parse_type(part.type)
        if not parsed.optional and parsed.kind in _NEUTRAL and part.name not in type_.key:
            values[part.name] = _NEUTRAL[parsed.kind]
        elif not parsed.optional and parsed.kind == "choice":
            values[part.name] = parsed.choices[0]
    return values


_NEUTRAL: Mapping[str, Json] = {
    "str": "-",
    "int": 0,
    "float": 0.0,
    "bool": False,
    "Decimal": "0",
    "Money": "0 USD",
    "date": "2000-01-01",
    "datetime": "2000-01-01T00:00:00+00:00",
    "time": "00:00",
    "timedelta": "PT0S",
}
