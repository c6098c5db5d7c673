"""The sample exports of other programs that the tests of imports share."""

import shutil
from pathlib import Path

from support.importing import memory_at
from uac.schema.entries import Observation

SAMPLES = Path(__file__).parent.parent / "importing" / "samples"


def sample(name: str) -> str:
    """A copy of a sample, file or folder, in the current folder."""
    if (SAMPLES / name).is_dir():
        shutil.copytree(SAMPLES / name, name)
    else:
        shutil.copy(SAMPLES / name, name)
    return name


def stored_observations(store: Path) -> list[Observation]:
    return [stored.entry for stored in memory_at(store).log.read() if isinstance(stored.entry, Observation)]


def stored_words(store: Path) -> list[tuple[str, str, str, str]]:
    """Time, role, speaker and words of what was stored."""
    return [(entry.said.isoformat(), entry.role, entry.speaker, entry.text) for entry in stored_observations(store)]
