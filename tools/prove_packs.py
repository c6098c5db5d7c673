"""Proves and analyses every constraint of the packs that ship, and writes the results into the package: `make proofs`.

src/uac/constraints/shipped_proofs.txt    the digests of all proofs
src/uac/schema/shipped_analysis.json      what is known about the code
src/uac/packs/shipped_tables.json         the tables as a user's log gets them

Run it after a change of a pack, the prelude, the version of Monty or how code is analysed. Without it everything works,
but each process proves and analyses the changed constraints again when it first needs them.
"""

import sys
from collections.abc import Iterator

import msgspec

from uac.constraints.proof import proof_inputs
from uac.constraints.shipped_proofs import SHIPPED_PROOFS, proof_digest
from uac.constraints.try_pack import try_pack, try_pack_project
from uac.packs import Pack, installed_packs
from uac.packs.files import analyse_pack_types, pack_table
from uac.packs.installed import BUILT_IN
from uac.packs.row_checks import path_of_checks
from uac.packs.shipped_tables import SHIPPED_TABLES, table_key
from uac.sandbox import shared_sandbox
from uac.sandbox.compute import PRELUDE, QUERY_PRELUDE
from uac.sandbox.monty_gaps import monty_edits
from uac.schema.code_wrapping import lines_inside_strings
from uac.schema.constraint_code import analyse_constraint, constraint_definition
from uac.schema.constraint_files import analyse_constraint_file
from uac.schema.constraints import Knowledge
from uac.schema.helper_files import analyse_helpers, read_helpers
from uac.schema.shipped_analysis import SHIPPED_ANALYSIS, analysis_key

__all__ = ["current_analysis", "current_proofs", "current_tables"]

HEAD = "# Proofs of the packs' constraints, written by `make proofs`: the digest of all that each depends on.\n"


def current_proofs() -> str:
    """The text of the file for the packs as they are. Proves nothing."""
    return HEAD + "".join(f"{digest} {name}\n" for name, digest in _current_digests())


def _current_digests() -> Iterator[tuple[str, str]]:
    engine: str = getattr(shared_sandbox(), "engine_version", "")
    for pack in _shipped_packs():
        project = try_pack_project(pack)
        for constraint in pack.constraints:
            yield f"{pack.name}.{constraint.name}", proof_digest(*proof_inputs(project, constraint), engine)


def current_analysis() -> str:
    """The text of the file for the packs as they are, analysed now."""
    lines = [f'"{key}":{msgspec.json.encode(result, order="deterministic").decode()}' for key, result in _analysed()]
    return "{\n" + ",\n".join(dict.fromkeys(lines)) + "\n}\n"


def _analysed() -> Iterator[tuple[str, object]]:
    yield from ((analysis_key("monty", prelude), monty_edits(prelude)) for prelude in (PRELUDE, QUERY_PRELUDE))
    for pack in _shipped_packs():
        path = pack.folder / "types.py"
        yield analysis_key("types", pack.name, path.read_text(encoding="utf-8")), analyse_pack_types(path, pack.name)
        yield analysis_key("helpers", pack.helpers), analyse_helpers(pack.helpers)
        for name, text in pack.sources.items():
            file = analyse_constraint_file(text, read_helpers(pack.helpers))
            yield analysis_key("file", text, pack.helpers), file
            code = pack.constraint(name).code
            yield analysis_key("reading", name, code), analyse_constraint(name, code)
            yield analysis_key("strings", code), sorted(lines_inside_strings(code))
            definition = constraint_definition(name, code)
            if (edits := monty_edits(definition)) is not None:
                yield analysis_key("monty", definition), edits


def current_tables() -> dict[str, Knowledge]:
    """The tables of the packs as they are, packed now, by their keys. Another machine may pack to other bytes."""
    tables: dict[str, Knowledge] = {}
    for pack in _shipped_packs():
        for path in sorted(pack.folder.glob("knowledge/*.json")):
            table = pack_table(path, pack.name)
            checks = path_of_checks(pack.folder, table.name)
            key = table_key(pack.name, path.read_bytes(), checks.read_bytes() if checks.is_file() else b"")
            tables[key] = table
    return tables


def _shipped_packs() -> list[Pack]:
    return [pack for pack in installed_packs() if pack.folder.parent == BUILT_IN]


def _main() -> None:
    SHIPPED_ANALYSIS.unlink(missing_ok=True)  # so that nothing is taken from the old one
    lines = [f'"{key}":{msgspec.json.encode(table).decode()}' for key, table in current_tables().items()]
    SHIPPED_TABLES.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    SHIPPED_ANALYSIS.write_text(current_analysis(), encoding="utf-8")
    failed = [f"{pack.name}: {proof}" for pack in _shipped_packs() for proof in try_pack(pack) if proof.why]
    if failed:
        sys.exit("\n".join(failed))
    SHIPPED_PROOFS.write_text(current_proofs(), encoding="ascii")
    print(f"{SHIPPED_PROOFS.name}: {len(current_proofs().splitlines()) - 1} proofs")


if __name__ == "__main__":
    _main()
