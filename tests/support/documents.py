"""Commands in documents, with their expected output."""

import re
from collections.abc import Iterator


def steps(block: str) -> Iterator[tuple[str, str]]:
    """Each command (a line after '$ ', continued after '> ') with its expected output, where '…' matches anything."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.split("\n")
        more = next(
            number for number in range(1, len(lines) + 1) if not "".join(lines[number : number + 1]).startswith(">")
        )
        command = "\n".join([lines[0], *(line[2:] for line in lines[1:more])])
        yield command, "\n".join(lines[more:]).rstrip("\n")
