"""Shell completion of the types and records of a user. Names that cannot be looked up are not completed."""

from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from typing import Any

import click
from click.shell_completion import CompletionItem

from uac.errors import UacError
from uac.log.stores import default_address, open_store
from uac.packs import chosen_packs
from uac.project.fold import fold_entries
from uac.project.project import Project

__all__ = ["RecordId", "TypeName"]

MOST = 500  # names that are proposed


class TypeName(click.ParamType[str]):
    """A type of the project or of a pack, such as health.Allergy."""

    name = "type"

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:  # noqa: ARG002 - as click calls it
        return "It is a type such as health.Allergy; 'uac pack list' names the packs that have some."

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002 - as click calls it
        return _names_starting_with(incomplete, {*_pack_type_names(), *_project_names(ctx, _project_type_names)})


class RecordId(click.ParamType[str]):
    """A record by its id, such as health.Allergy:penicillin."""

    name = "record"

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:  # noqa: ARG002 - as click calls it
        user = ctx.params.get("user") if ctx is not None else None
        return f"'uac records {user or 'USER'}' lists the records, each with its id."

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002 - as click calls it
        return _names_starting_with(incomplete, _project_names(ctx, _project_record_ids))


def _names_starting_with(typed: str, names: Iterable[str]) -> list[CompletionItem]:
    return [CompletionItem(name) for name in sorted(name for name in names if name.startswith(typed))[:MOST]]


def _project_names(context: click.Context, names: Callable[[Project], set[str]]) -> set[str]:
    """Names in the user's project. Errors are swallowed, because a shell would not show them."""
    given: dict[str, Any] = context.params
    with (
        suppress(UacError),
        closing(open_store(given.get("store") or default_address(), create=False)) as store,
    ):
        return names(fold_entries(store.log(given["user"]).read()))
    return set()


def _pack_type_names() -> set[str]:
    with suppress(UacError):
        return {type_.full_name for pack in chosen_packs() for type_ in pack.types}
    return set()


def _project_type_names(project: Project) -> set[str]:
    return set(project.types)


def _project_record_ids(project: Project) -> set[str]:
    return {record for table in project.tables.values() for record in table}
