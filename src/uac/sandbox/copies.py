"""Code that creates copies of the loaded objects that a query may change."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from uac.project.project import Project
from uac.project.render import rendered_fields
from uac.sandbox.loading import LOADED, is_loaded_single
from uac.sandbox.row_code import loaded_arguments, loaded_class_name
from uac.schema.code_effects import Effect
from uac.schema.types import Type, parse_type

__all__ = ["Copies", "copy_domains"]


@dataclass(frozen=True, slots=True)
class Copies:
    """Code that creates a private copy of the user: statements, and the expression for each domain."""

    lines: tuple[str, ...]
    domains: Mapping[str, str]

    def user_code(self) -> str:
        """The statements as the body of a function that returns the user."""
        parts = [f"own__user.{domain} = {name}" for domain, name in self.domains.items()]
        body = [*self.lines, "own__user = user__all()", *parts, "return own__user"]
        return "\n".join(f"    {line}" for line in body)


def copy_domains(project: Project, domains: Collection[str], reads: Collection[str], effect: Effect) -> Copies:
    """New domains of these names, with new lists of only the collections that are read.

    Records are shared, unless the code names a list field of theirs: then they are copied, too.
    """
    lines: list[str] = []
    for domain in domains:
        lines.append(f"own__{domain} = {domain}__domain()")
        for type_ in project.types_of(domain):
            if effect.attributes is None or type_.name in effect.attributes:
                lines.append(f"own__{domain}.{type_.name} = {loaded_class_name(type_)}")
            for collection in (type_.collected_as, type_.former):
                name = f"{domain}.{collection}"
                if name in reads:
                    copied = _copy_records_code(
                        type_, f"{LOADED}{name}", effect, single=is_loaded_single(type_, collection)
                    )
                    lines.append(f"own__{name} = {copied}")
    return Copies(tuple(lines), {domain: f"own__{domain}" for domain in domains})


def _copy_records_code(type_: Type, source: str, effect: Effect, *, single: bool) -> str:
    lists = {part.name for part in type_.fields if parse_type(part.type).kind == "list"}
    reached = lists if effect.attributes is None else lists & effect.attributes
    if not reached:
        return source if single else f"list({source})"
    fields = [
        f"(None if r.{part.name} is None else list(r.{part.name}))" if part.name in lists else f"r.{part.name}"
        for part in rendered_fields(type_)
    ]
    made = f"uac_named({loaded_class_name(type_)}({loaded_arguments(fields)}), r.uac_id)"
    if single:
        return f"None if {source} is None else [{made} for r in [{source}]][0]"
    return f"[{made} for r in {source}]"
