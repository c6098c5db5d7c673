"""The users that the caller may see, with a search."""

from dataclasses import dataclass

from starlette.responses import RedirectResponse, Response

from uac.interfaces.inspector.page import Page, PageView, user_url
from uac.interfaces.service.tenant_store import TenantStore
from uac.log.store import User

__all__ = ["PAGES"]

SHOWN = 50
SEARCHED = 20_000  # users checked for one page of a search


@dataclass(frozen=True, slots=True)
class UserPage:
    """A page of users, by their ids in the tenant; `then` is where the next page begins, "" at the end."""

    users: tuple[User, ...]
    then: str
    searched: int


def redirect_home_to_users(view: PageView) -> Response:
    caller = view.caller
    return RedirectResponse(user_url(view.request, caller.user) if caller.user else view.page_url("users"), 303)


def users_page(view: PageView) -> Response:
    """Listing needs the same right as in the API; a key without it opens users by their id."""
    if view.caller.user:
        return RedirectResponse(user_url(view.request, view.caller.user), 303)
    wanted = view.query("q").strip()
    may_list = view.has_right("admin")
    store = TenantStore(view.state.service.store, view.caller.tenant)
    if wanted and not may_list:
        return RedirectResponse(user_url(view.request, wanted), 303)
    page = find_users(store, wanted, view.query("after")) if may_list else UserPage((), "", 0)
    return view.render_template("users.html", found=page, wanted=wanted, may_list=may_list, after=view.query("after"))


def find_users(store: TenantStore, wanted: str, after: str) -> UserPage:
    """Users whose id contains the text, in the store's order."""
    matches: list[User] = []
    behind, searched = after, 0
    while searched < SEARCHED and (page := store.users(after=behind, limit=1000)):
        for user in page:
            if wanted.casefold() in user.name.casefold():
                if len(matches) == SHOWN:
                    return UserPage(tuple(matches), matches[-1].name, searched)
                matches.append(user)
            behind, searched = user.name, searched + 1
        if len(page) < 1000:
            return UserPage(tuple(matches), "", searched)
    return UserPage(tuple(matches), behind if searched else "", searched)


PAGES = (Page("/", redirect_home_to_users), Page("/users", users_page))
