"""Finds the files of an embedder, which come in a package whose code is never imported.

A digest of them is part of the embedder's name, so that other files, which give other vectors, have another name.
"""

import base64
import hashlib
import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["installed_folder", "model_files_digest"]

DIGEST_LENGTH = 12


def installed_folder(package: str) -> Path | None:
    """The folder of an installed package, which is only located."""
    found = importlib.util.find_spec(package)
    return Path(next(iter(found.submodule_search_locations))) if found and found.submodule_search_locations else None


def model_files_digest(recipe: bytes, package: Path, files: Sequence[Path]) -> str:
    """A digest of how vectors are made and of the files, which may be in the folder of an installed package."""
    installed = _installed_digests(package)
    parts = [hashlib.sha256(recipe).digest()]
    for path in files:
        digest = installed.get((path.relative_to(package.parent).as_posix(), path.stat().st_size))
        parts.append(digest or _file_digest(path))
    return hashlib.sha256(b"".join(parts)).hexdigest()[:DIGEST_LENGTH]


def _file_digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _installed_digests(folder: Path) -> Mapping[tuple[str, int], bytes]:
    """The digests of the package's files by path and size, as noted by the installer: hashing them takes 20 ms."""
    found: dict[tuple[str, int], bytes] = {}
    for record in sorted(folder.parent.glob(f"{folder.name}-*.dist-info/RECORD")):
        for line in record.read_text("utf-8").splitlines():
            path, algorithm, digest, size = [*line.replace(",sha256=", ",sha256,").split(","), "", "", ""][:4]
            if algorithm == "sha256" and size.isdigit():
                found[path, int(size)] = base64.urlsafe_b64decode(digest + "=" * (-len(digest) % 4))
    return found
