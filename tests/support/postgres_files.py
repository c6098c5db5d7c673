"""Words in the files of a PostgreSQL server: those that an erasure must destroy."""

import secrets
from collections.abc import Sequence
from pathlib import Path

__all__ = ["Words", "found_in", "pieces"]


def found_in(folder: Path, words: Sequence[bytes]) -> list[Path]:
    """The files of the server, its WAL and its log among them, that hold one of the words."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            found += [path.relative_to(folder) for word in words if word in content]
    return found


def pieces(text: str) -> list[bytes]:
    """Parts of a long text that are short enough to lie in one piece of a TOAST table."""
    return [text[start : start + 40].encode() for start in range(0, len(text), 3000)]


class Words:
    """Words that are found nowhere else; random letters, so that compressing does not hide them."""

    def __init__(self) -> None:
        self.short = f"žluťoučký {secrets.token_urlsafe(12)}"
        self.long = secrets.token_urlsafe(20_000)
        self.all = [self.short.encode(), *pieces(self.long)]
