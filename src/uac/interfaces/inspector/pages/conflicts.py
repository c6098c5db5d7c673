"""Fields whose sources disagree: the value of each source, and a form to decide."""

from dataclasses import dataclass

from starlette.responses import Response

from uac.interfaces.inspector.evidence_quotes import EvidenceQuote, quotes_by_observation
from uac.interfaces.inspector.page import Page, PageView
from uac.interfaces.inspector.pages.correct import text_to_correct
from uac.interfaces.inspector.record_names import record_link_maker
from uac.project.explain import Explanation, explain
from uac.project.project import Conflict

__all__ = ["PAGES"]

SHOWN = 30


@dataclass(frozen=True, slots=True)
class Disputed:
    """A field that needs a decision; `texts` are the claimed values as a person would type them."""

    conflict: Conflict
    explained: Explanation
    quoted: tuple[tuple[EvidenceQuote, ...], ...]
    """The sentences behind each claim."""
    texts: tuple[str, ...]


def conflicts_page(view: PageView) -> Response:
    first = max(view.query_number("first", 1), 1)
    with view.memory() as memory:
        project = memory.project()
        every = project.conflicts
        disputed = [
            Disputed(
                conflict,
                explained := explain(project, memory.log, conflict.record, conflict.field),
                tuple(quotes_by_observation(item.evidence) for item in explained.claims),
                tuple(text_to_correct(item.claim.value) for item in explained.claims),
            )
            for conflict in every[first - 1 : first - 1 + SHOWN]
        ]
    return view.render_template(
        "conflicts.html", shown=disputed, first=first, total=len(every), most=SHOWN, named=record_link_maker(project)
    )


PAGES = (Page("/users/{user}/conflicts", conflicts_page, title="Conflicts", letter="d", group="Watched"),)
