"""The project: manifest, files, types, and the coverage of the log."""

from dataclasses import dataclass
from typing import Annotated

from uac.interfaces.views.view import Doc, View, build_view
from uac.project.project import Project
from uac.schema.types import Cardinality, Policy, Type

__all__ = [
    "CoverageView",
    "DomainCoverageView",
    "FieldView",
    "FilesView",
    "ManifestView",
    "TypeView",
    "TypesView",
    "coverage_view",
    "type_view",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestView(View):
    """The index of what is known, short enough to be always in an agent's context."""

    text: Annotated[str, Doc("Python source.", '"""What is known of this user."""')]
    position: Annotated[int, Doc("The end of the log that it describes.", 12)]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesView(View):
    """The project as Python that runs with nothing installed."""

    files: Annotated[
        dict[str, str], Doc("The text of each file by its path.", {"manifest.py": "…", "domains/health/state.py": "…"})
    ]
    position: Annotated[int, Doc("The end of the log that it describes.", 12)]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldView(View):
    """A field of a type, and how disagreeing claims are decided."""

    name: Annotated[str, Doc(example="substance")]
    type: Annotated[str, Doc("As Python writes it.", "str | None")]
    doc: Annotated[str, Doc(example="What it is an allergy to.")]
    policy: Annotated[Policy, Doc("Which of several claims gives the value.", "latest")]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeView(View):
    """A type of a domain; `collection` is its name in compute."""

    type: Annotated[str, Doc(example="health.Allergy")]
    collection: Annotated[str, Doc("Its name in compute.", "health.allergies")]
    doc: Annotated[str, Doc(example="Something that the user must not get.")]
    cardinality: Annotated[Cardinality, Doc("One at a time, many by their key, or events.", "many")]
    key: Annotated[tuple[str, ...], Doc("The fields that identify a record.", ["substance"])]
    fields: tuple[FieldView, ...]
    records: Annotated[int, Doc("The number of its records, ended ones included.", 2)]


def type_view(project: Project, type_: Type) -> TypeView:
    return build_view(
        TypeView,
        type_,
        type=type_.full_name,
        collection=f"{type_.domain}.{type_.collected_as}",
        fields=tuple(build_view(FieldView, each) for each in type_.fields),
        records=project.count(type_.full_name),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TypesView(View):
    """All types of the project."""

    types: tuple[TypeView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainCoverageView(View):
    """How many facts of a domain are in records, and how many were set aside with a reason."""

    structured: Annotated[int, Doc(example=40)]
    aside: Annotated[int, Doc(example=2)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageView(View):
    """How much of the log is in records, and what is not."""

    domains: Annotated[dict[str, DomainCoverageView], Doc(example={"health": {"structured": 40, "aside": 2}})]
    waiting: Annotated[int, Doc("Facts that are in no record yet.", 3)]
    unread: Annotated[int, Doc("Observations that no model has read.", 5)]
    stuck: Annotated[
        dict[int, str],
        Doc(
            "Entries that no model could handle, by position, and why.",
            {7: "The reply has no JSON object. Answer with one."},
        ),
    ]


def coverage_view(project: Project) -> CoverageView:
    return CoverageView(
        domains={name: build_view(DomainCoverageView, each) for name, each in sorted(project.coverage.items())},
        waiting=len(project.waiting),
        unread=len(project.progress.unread),
        stuck=dict(sorted(project.progress.stuck.items())),
    )
