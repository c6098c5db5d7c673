"""uac completion: the completion scripts of shells, and the names that they complete.

Names that cannot be looked up are not completed.
"""

from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from uac.errors import UacError
from uac.interfaces.cli.click_groups import STORE
from uac.log.stores import default_address, open_store

if TYPE_CHECKING:
    from uac.project.project import Project
    from uac.schema.types import Type

__all__ = [
    "FieldValues",
    "HintedText",
    "RecordId",
    "TypeName",
    "complete_constraint_names",
    "complete_pack_names",
    "complete_table_names",
    "complete_user_names",
    "print_completion_script",
]

MOST = 500  # names that are proposed


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def print_completion_script(shell: str) -> None:
    """Print the completion script for SHELL.

    \b
      uac completion bash >> ~/.bashrc
      uac completion zsh >> ~/.zshrc
      uac completion fish > ~/.config/fish/completions/uac.fish
    """
    script = get_completion_class(shell)
    assert script is not None
    click.echo(script(click.get_current_context().find_root().command, {}, "uac", "_UAC_COMPLETE").source())


class TypeName(click.ParamType[str]):
    """A type of the project or of a pack, such as health.Allergy."""

    name = "type"

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:  # noqa: ARG002 - as click calls it
        return "It is a type such as health.Allergy; 'uac pack list' names the packs that have some."

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002 - as click calls it
        return _names_starting_with(
            incomplete, {*_complete_pack_types(), *_project_names(ctx, _complete_project_types)}
        )


class HintedText(click.ParamType[str]):
    """Any text. If it is missing, the hint says what to give; USER in it stands for the user's name."""

    name = "text"

    def __init__(self, hint: str) -> None:
        self._hint = hint

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:  # noqa: ARG002 - as click calls it
        user = ctx.params.get("user") if ctx is not None else None
        return self._hint.replace("USER", user or "USER")


class FieldValues(click.ParamType[str]):
    """A value written name=value. If there is none, the fields of the type are listed."""

    name = "text"

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:  # noqa: ARG002 - as click calls it
        name = ctx.params.get("type_name") if ctx is not None else None
        found = [type_ for type_ in _pack_types() if type_.full_name == name]
        listed = f" {name} has: {', '.join(field.name for field in found[0].fields)}." if found else ""
        return f"Write each as name=value.{listed}"


class RecordId(click.ParamType[str]):
    """A record by its id, such as health.Allergy:penicillin."""

    name = "record"

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:  # noqa: ARG002 - as click calls it
        user = ctx.params.get("user") if ctx is not None else None
        return f"'uac records {user or 'USER'}' lists the records, each with its id."

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002 - as click calls it
        return _names_starting_with(incomplete, _project_names(ctx, _complete_record_ids))


def complete_user_names(context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    with (
        suppress(UacError),
        closing(open_store(_store_address(context), create=False)) as store,
    ):
        return [CompletionItem(user.name) for user in store.users() if user.name.startswith(typed)]
    return []


def complete_constraint_names(context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    from uac.memory.memory import Memory

    with (
        suppress(UacError),
        closing(open_store(_store_address(context), create=False)) as store,
    ):
        project = Memory(store.log(context.params.get("user") or "")).project()
        names = {*project.constraints, *(constraint for constraint, _subject in project.alerts)}
        return [CompletionItem(name) for name in sorted(names) if name.startswith(typed)]
    return []


def complete_pack_names(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    from uac.packs import installed_packs

    return _names_starting_with(typed, (pack.name for pack in installed_packs()))


def complete_table_names(context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The tables of the pack that is named before."""
    from uac.packs import installed_packs

    chosen = context.params.get("pack") or context.params.get("name")
    tables = (table for pack in installed_packs() if chosen in (None, pack.name) for table in pack.knowledge)
    return _names_starting_with(typed, (table.name.partition(".")[2] for table in tables))


def _names_starting_with(typed: str, names: Iterable[str]) -> list[CompletionItem]:
    return [CompletionItem(name) for name in sorted(name for name in names if name.startswith(typed))[:MOST]]


def _project_names(context: click.Context, names: "Callable[[Project], set[str]]") -> set[str]:
    """Names in the user's project. Errors are swallowed, because a shell would not show them."""
    from uac.memory.snapshots import fold_log

    given: dict[str, Any] = context.params
    with (
        suppress(UacError),
        closing(open_store(_store_address(context), create=False)) as store,
    ):
        return names(fold_log(store.log(given["user"])))
    return set()


def _store_address(context: click.Context) -> str:
    """The store of the command line: --store may stand before the command or after it."""
    return context.params.get("store") or context.meta.get(STORE) or default_address()


def _complete_pack_types() -> set[str]:
    return {type_.full_name for type_ in _pack_types()}


def _pack_types() -> "list[Type]":
    from uac.packs import chosen_packs

    with suppress(UacError):
        return [type_ for pack in chosen_packs() for type_ in pack.types]
    return []


def _complete_project_types(project: "Project") -> set[str]:
    return {*project.types, *project.owners()}


def _complete_record_ids(project: "Project") -> set[str]:
    return {record for table in project.tables.values() for record in table}
