"""Prints random functions without their files: can a reader who has not seen the code place them by name alone?

`python tools/name_quiz.py` prints 20 signatures, and the list of files to choose from; `--answers` prints the files.
"""

import argparse
import ast
import random
from collections.abc import Iterator
from pathlib import Path

__all__ = ["functions"]

SOURCE = Path(__file__).parent.parent / "src"


def functions() -> list[tuple[str, str]]:
    """Every function of the source with its file, except special methods and the content of packs."""
    return [
        (signature, str(path.relative_to(SOURCE)))
        for path in _files()
        for signature in _signatures(ast.parse(path.read_text(encoding="utf-8")).body, "")
    ]


def _files() -> list[Path]:
    packs, old_paths = SOURCE / "uac" / "packs", SOURCE / "uac" / "interfaces" / "old_paths"
    content = {path for path in packs.rglob("*.py") if path.parent != packs} | {*old_paths.rglob("*.py")}
    return sorted({*SOURCE.rglob("*.py")} - content)


def _signatures(body: list[ast.stmt], prefix: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("__"):
            returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            yield f"{prefix}{node.name}({ast.unparse(node.args)}){returns}"
        elif isinstance(node, ast.ClassDef):
            yield from _signatures(node.body, f"{prefix}{node.name}.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=20261116)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--answers", action="store_true", help="Print the file of each function as well.")
    options = parser.parse_args()
    if not options.answers:
        print(*(path.relative_to(SOURCE) for path in _files()), sep="\n", end="\n\n")
    for number, (signature, file) in enumerate(random.Random(options.seed).sample(functions(), options.count), 1):
        print(f"{number}. {signature}" + (f"    {file}" if options.answers else ""))
