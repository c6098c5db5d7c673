"""Assigns to each field of a patch the cited facts that support it. The checks of words are imported only if needed."""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from uac.project.claims import claim_trust
from uac.project.project import Project
from uac.schema.entries import Entry
from uac.schema.patches import Amend, Define, Patch, Put
from uac.schema.types import Type

__all__ = ["assign_field_cites"]


def assign_field_cites(
    patches: Sequence[Patch],
    project: Project,
    *,
    entry_at: Callable[[int], Entry | None],
    offered: Callable[[], Iterable[Type]] = lambda: (),
) -> tuple[Patch, ...]:
    """The patches, each with the facts that support its fields, replacing what the patch claimed itself.

    If all cited facts are equally trusted and name nobody, nothing is read. `offered` are types of packs that are not
    in use yet.
    """
    plain = tuple(_with_field_cites(patch, {}) if isinstance(patch, Put | Amend) else patch for patch in patches)
    if not any(_has_mixed_sources(patch, project) for patch in plain):
        return plain
    from uac.conversation.checks.field_support import field_cites  # most patches cite one source, and need none of it

    types = {type_.full_name: type_ for type_ in offered()} | dict(project.types)
    types |= {patch.type.full_name: patch.type for patch in plain if isinstance(patch, Define)}
    return tuple(
        _with_field_cites(patch, field_cites(patch, project, types, entry_at))
        if isinstance(patch, Put | Amend) and _has_mixed_sources(patch, project)
        else patch
        for patch in plain
    )


def _has_mixed_sources(patch: Patch, project: Project) -> bool:
    """Whether it puts values into a record and cites sources of different trust, or words of different people."""
    sources = [project.sources[cited] for cited in patch.cites if cited in project.sources]
    return isinstance(patch, Put | Amend) and (
        len({(claim_trust(source.authority), source.according_to) for source in sources}) > 1
    )


def _with_field_cites(patch: Put | Amend, field_cites: dict[str, tuple[int, ...]]) -> Put | Amend:
    return patch if patch.field_cites == field_cites else msgspec.structs.replace(patch, field_cites=field_cites)
