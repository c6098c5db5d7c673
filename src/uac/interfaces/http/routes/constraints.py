"""Constraints: those of the project, those that packs offer, and a trace of one."""

from typing import Annotated

from fastapi import APIRouter, Path

from uac.interfaces.http.auth import Reader
from uac.interfaces.http.fields import ClocksQuery
from uac.interfaces.http.problems import NotFound
from uac.interfaces.views.constraints import (
    ConstraintsView,
    ConstraintTraceView,
    OfferView,
    constraint_trace_view,
    constraint_view,
)
from uac.interfaces.views.view import build_view
from uac.schema.constraints import INCOMPLETE_RECORD, OPEN_CONFLICT

__all__ = ["router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["alerts"])

_BUILT_IN_PATHS = {
    OPEN_CONFLICT: "conflicts has its claims",
    INCOMPLETE_RECORD: "records?unsure=true has the records",
}


@router.get("/constraints", name="listed")
def list_constraints(context: Reader, clocks: ClocksQuery) -> ConstraintsView:
    """The constraints of the project, and those that packs offer. Checkpoints change them."""
    with context.memory() as memory:
        project = memory.project_at(clocks)
        offers = memory.offers() if clocks.is_present else []
    return ConstraintsView(
        constraints=tuple(constraint_view(project, project.constraints[name]) for name in sorted(project.constraints)),
        offers=tuple(build_view(OfferView, offer) for offer in offers),
    )


@router.get("/constraints/{name}", name="explained")
def explain_constraint(
    context: Reader,
    name: Annotated[str, Path(min_length=1, description="The name of a constraint.", examples=["drug_allergy"])],
) -> ConstraintTraceView:
    """Why a constraint fired, or did not: it is run again, and every test it makes is listed."""
    with context.memory() as memory:
        if name not in memory.project().constraints:
            hint = f"GET …/{_BUILT_IN_PATHS.get(name, 'constraints lists the constraints')}."
            raise NotFound(f"No constraint {name!r}. {hint}")
        return constraint_trace_view(memory.project(), memory.why(name), memory.log.now())
