"""The jobs of all workers, for those who may see all users."""

from starlette.responses import Response

from uac.errors import UacError
from uac.interfaces.inspector.page import Page, PageView

__all__ = ["PAGES"]


def work_page(view: PageView) -> Response:
    """Numbers only, and of all tenants: the page needs a key that belongs to no tenant and no user."""
    view.caller.check_right("admin")
    state, problem = None, ""
    if view.caller.tenant or view.caller.user:
        problem = "This key belongs to a tenant. Jobs are shown to keys without one."
    elif view.state.work is None:
        problem = "This service leaves no work to workers. Set UAC_LEARN=work on a PostgreSQL store."
    else:
        try:
            state = view.state.work()
        except UacError as error:
            problem = str(error)
    return view.render_template("work.html", state=state, problem=problem)


PAGES = (Page("/work", work_page),)
