"""What a checkpoint stated without effect, because a more trusted source says otherwise."""

from collections.abc import Iterator

from uac.project.history import HistoryEntry, newest_first
from uac.project.project import Project
from uac.project.records import Record
from uac.schema.entries import Checkpoint
from uac.schema.values import dump_value

__all__ = ["overruled_claims"]


def overruled_claims(project: Project, position: int) -> tuple[str, ...]:
    """A sentence for each value of the checkpoint at a position that is kept but does not stand. An open conflict is
    listed elsewhere."""
    happened = _history_entry_at(project, position)
    if happened is None or not isinstance(happened.entry, Checkpoint):
        return ()
    cited = {cited for patch in happened.entry.patches for cited in patch.cites}
    records = sorted({record for each in cited for record in project.used.get(each, ())})
    return tuple(sentence for record in records for sentence in _overruled_in(project.record(record), position))


def _overruled_in(record: Record, position: int) -> Iterator[str]:
    for name, claims in record.claims.items():
        standing = record.values.get(name)
        if name in record.conflicts or standing is None:
            continue
        among = standing if isinstance(standing, tuple) else (standing,)
        whose = next((claim.attribution for claim in claims if claim.value == standing), "")
        for claim in claims:
            said = claim.value if isinstance(claim.value, tuple) else (claim.value,)
            if claim.position == position and not set(said) <= set(among):
                yield (
                    f"{record.id}.{name} stays {dump_value(standing)}{f' ({whose})' if whose else ''}:"
                    f" {dump_value(claim.value)} is the word of the {claim.attribution}."
                )


def _history_entry_at(project: Project, position: int) -> HistoryEntry | None:
    happened = next((each for each in newest_first(project.history) if each.position <= position), None)
    return happened if happened is not None and happened.position == position else None
