"""Proves every constraint of the packs that ship, and writes src/uac/constraints/shipped_proofs.txt: `make proofs`.

Run it after a change of a pack, the prelude or the version of Monty. Without it everything works, but each process
proves the changed constraints again when it first needs them.
"""

import sys
from collections.abc import Iterator

from uac.constraints.proof import proof_inputs
from uac.constraints.shipped_proofs import SHIPPED_PROOFS, proof_digest
from uac.constraints.try_pack import try_pack, try_pack_project
from uac.packs import installed_packs
from uac.packs.installed import BUILT_IN
from uac.sandbox import shared_sandbox

__all__ = ["current_proofs"]

HEAD = "# Proofs of the packs' constraints, written by `make proofs`: the digest of all that each depends on.\n"


def current_proofs() -> str:
    """The text of the file for the packs as they are. Proves nothing."""
    return HEAD + "".join(f"{digest} {name}\n" for name, digest in _current_digests())


def _current_digests() -> Iterator[tuple[str, str]]:
    engine: str = getattr(shared_sandbox(), "engine_version", "")
    for pack in installed_packs():
        if pack.folder.parent == BUILT_IN:
            project = try_pack_project(pack)
            for constraint in pack.constraints:
                yield f"{pack.name}.{constraint.name}", proof_digest(*proof_inputs(project, constraint), engine)


def _main() -> None:
    failed = [
        f"{pack.name}: {proof}"
        for pack in installed_packs()
        if pack.folder.parent == BUILT_IN
        for proof in try_pack(pack)
        if proof.why
    ]
    if failed:
        sys.exit("\n".join(failed))
    SHIPPED_PROOFS.write_text(current_proofs(), encoding="ascii")
    print(f"{SHIPPED_PROOFS.name}: {len(current_proofs().splitlines()) - 1} proofs")


if __name__ == "__main__":
    _main()
