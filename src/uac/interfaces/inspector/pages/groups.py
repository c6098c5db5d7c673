"""The members of a group, their rights and what each of them shares; or the groups that a user is a member of."""

from starlette.responses import Response

from uac.interfaces.inspector.page import Page, PageView
from uac.interfaces.views.groups import group_view

__all__ = ["PAGES"]


def groups_page(view: PageView) -> Response:
    context = view.user_context
    if not context.log.head().position:
        context.check_has_memory()
    own = context.group()
    found = [own] if own is not None else context.service.groups(context.caller.tenant).of(context.user)
    return view.render_template(
        "groups.html", found=[group_view(group) for group in found], is_group=own is not None, member=context.user
    )


PAGES = (Page("/users/{user}/groups", groups_page, title="Groups", letter="m", group="Known"),)
