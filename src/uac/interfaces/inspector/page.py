"""Shared by all pages: how a page is declared, what it can use, how it is rendered, and who may see it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from uac import __version__
from uac.errors import Refused
from uac.interfaces.http.auth import authorize_user
from uac.interfaces.http.problems import Forbidden, NotFound
from uac.interfaces.http.user_context import Caller, Service, UserContext
from uac.interfaces.inspector.filters import FILTERS, printable_filter
from uac.interfaces.inspector.history_cache import HistoryCache
from uac.interfaces.inspector.sessions import Session, Sessions, session_cookie_name, set_session_cookie
from uac.interfaces.service.api_keys import Right
from uac.memory.memory import Memory
from uac.project.clocks import Clocks, parse_clocks

if TYPE_CHECKING:
    from uac.interfaces.work.job_client import WorkState

__all__ = [
    "STATIC",
    "InspectorState",
    "Page",
    "PageView",
    "read_form",
    "read_page_id",
    "read_page_position",
    "read_page_positions",
    "render_page",
    "user_url",
]

HERE = Path(__file__).parent
STATIC = HERE / "static"
MAX_POSITIONS = 1000  # in one form


@dataclass(frozen=True, slots=True)
class Page:
    """One page, or the target of one form.

    A path with `{user}` is about that user, and the view has a `user_context`. A page with a `title` is in the
    navigation, under `group`; `letter` is the key that opens it after g.
    """

    path: str
    answer: Callable[["PageView"], Response]
    title: str = ""
    letter: str = ""
    group: str = ""
    right: Right = "read"
    method: Literal["GET", "POST"] = "GET"


@dataclass(frozen=True, slots=True)
class InspectorState:
    """Everything that lives as long as the server: service, sessions, templates and cached projects."""

    service: Service
    sessions: Sessions
    pages: tuple[Page, ...] = ()
    history_cache: HistoryCache = field(default_factory=HistoryCache)
    templates: Environment = field(default_factory=lambda: _template_environment())  # noqa: PLW0108  # it is defined below
    subscriptions: ExitStack = field(default_factory=ExitStack)
    work: Callable[[], "WorkState"] | None = None
    """The jobs of all workers; None if nobody works on this store."""

    def subscribe_to_erasures(self) -> None:
        """From now on, drop cached projects as soon as a write erases text that they contain."""
        store = self.service.store
        self.subscriptions.enter_context(
            self.service.notifier.listen(lambda name: self.history_cache.drop_erased(name, store.log(name)))
        )


@dataclass(frozen=True, slots=True)
class PageView:
    """One request for a page, by a caller who may see it."""

    state: InspectorState
    request: Request
    session: Session
    page: Page
    form: Mapping[str, str] = field(default_factory=dict)
    """The fields of a submitted form; its token was checked, so it comes from a page of the inspector."""

    @property
    def caller(self) -> Caller:
        return self.session.caller

    @property
    def user(self) -> str:
        """The user that the page is about; "" if there is none."""
        return str(self.request.path_params.get("user", ""))

    @property
    def user_context(self) -> UserContext:
        """The user's memory as this caller may reach it."""
        return authorize_user(self.state.service, self.caller, self.user, self.page.right)

    @contextmanager
    def memory(self) -> Iterator[Memory]:
        """The user's memory, for this request only. Raises NotFound if the user does not exist."""
        place = self.user_context
        if not place.log.head().position:
            raise NotFound(f"User {self.user!r} has no memory yet. Choose one of the users.")
        with place.memory() as memory:
            yield memory

    def has_right(self, right: Right) -> bool:
        return right in self.caller.rights

    def query(self, name: str, default: str = "") -> str:
        """A query parameter."""
        return self.request.query_params.get(name, default)

    def query_number(self, name: str, default: int = 0) -> int:
        """A query parameter that is a non-negative number."""
        text = self.query(name)
        if not text:
            return default
        if not (text.isascii() and text.isdecimal() and len(text) < 16):
            raise Refused(f"{name} is {text!r}. Use a number.")
        return int(text)

    def clocks(self) -> Clocks:
        """The clocks that the query or the form names: `?valid=2026-03-01&told=2026-03-01&known=120`."""
        return parse_clocks(**self.clock_query())

    def clock_query(self) -> dict[str, str]:
        """The clocks as they were written, for links to other pages; `as_of` is `known`."""
        given = {name: self.form.get(name, "") or self.query(name) for name in ("valid", "told", "known")}
        given["known"] = given["known"] or self.query("as_of")
        return {name: text for name, text in given.items() if text}

    def page_url(self, path: str = "", /, **query: object) -> str:
        """The URL of a page, about this user if there is one: `code`, at=7 gives /inspector/users/ana/code?at=7."""
        return user_url(self.request, self.user, path, **query)

    def render_template(self, template: str, /, *, status: int = 200, **values: Any) -> Response:
        """The page: the template with these values, and with `view`."""
        return render_page(self.state, self.request, template, status=status, session=self.session, view=self, **values)

    def redirect(self, path: str = "", /, **query: object) -> Response:
        """Redirect to another page, after a form was submitted."""
        return RedirectResponse(self.page_url(path, **query), 303)


def user_url(request: Request, user: str, path: str = "", /, **query: object) -> str:
    """The URL of a page; parameters that are None or "" are left out."""
    root: str = request.scope.get("root_path", "")
    about = f"/users/{quote(user, safe='')}" if user else ""
    encoded = urlencode([(name, str(value)) for name, value in query.items() if value not in (None, "")])
    return f"{root}{about}/{path}".rstrip("/") + (f"?{encoded}" if encoded else "") or "/"


def render_page(
    state: InspectorState, request: Request, template: str, /, *, status: int, session: Session | None, **values: Any
) -> Response:
    """A page as HTML. The cookie is set again, so that its forms can be submitted."""
    root: str = request.scope.get("root_path", "")
    number = session.id if session else request.cookies.get(session_cookie_name(request), "")
    user = request.path_params.get("user", "")
    text = state.templates.get_template(template).render(
        {
            "root": root,
            "static": lambda name: f"{root}/static/{name}?v={_static_file_digest(name)}",
            "caller": session.caller if session else None,
            "user": user,
            "link": lambda path="", **query: user_url(request, user, path, **query),
            "home": lambda path="", **query: user_url(request, "", path, **query),
            "has": lambda path: any(page.path == f"/users/{{user}}/{path}" for page in state.pages),
            "navigation": _navigation_links(state, request, user, session) if user else [],
            "form_token": state.sessions.form_token(number) if number else "",
            "sessions": state.sessions,
            "version": __version__,
            **values,
        }
    )
    response = HTMLResponse(text, status)
    if session is not None:
        set_session_cookie(request, response, session.id)
    return response


class _Link(NamedTuple):
    """A page in the navigation."""

    title: str
    letter: str
    url: str
    is_here: bool


def _navigation_links(
    state: InspectorState, request: Request, user: str, session: Session | None
) -> list[tuple[str, list[_Link]]]:
    """The pages about a user that the caller may see, by group, in the order of their declaration."""
    groups: dict[str, list[_Link]] = {}
    here = request.url.path.rstrip("/")
    for page in state.pages:
        if page.title and session is not None and page.right in session.caller.rights:
            url = user_url(request, user, page.path.removeprefix("/users/{user}").lstrip("/"))
            path = request.scope.get("root_path", "") + page.path.replace("{user}", user)
            is_here = here == path or (page.path.count("/") > 2 and here.startswith(f"{path}/"))
            groups.setdefault(page.group, []).append(_Link(page.title, page.letter, url, is_here))
    return list(groups.items())


def read_form(state: InspectorState, request: Request, body: bytes) -> Mapping[str, str]:
    """The fields of a submitted form. Raises Forbidden if it does not come from a page of the inspector."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    is_ours = origin is None or urlsplit(origin).netloc == request.headers.get("host", "")
    if site not in (None, "same-origin") or not is_ours or site is origin is None:
        raise Forbidden("This form was sent by another site. Open the page here and send it again.")
    try:
        fields = dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=1000))
    except ValueError:
        raise Refused("The form cannot be read. Send its fields in UTF-8.") from None
    if not state.sessions.is_form_token(
        request.cookies.get(session_cookie_name(request), ""), fields.pop("form_token", "")
    ):
        raise Forbidden("This form is too old, or not from this sign-in. Load the page and send it again.")
    return {name: value.replace("\r\n", "\n") for name, value in fields.items()}


def read_page_position(text: str) -> int:
    """A position; 0 is before all entries."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 15):
        raise Refused(f"{text!r} is not a position. Use a number such as 7.")
    return int(text)


def read_page_positions(texts: Iterable[str]) -> list[int]:
    """Positions of entries in order, each once; blank texts are ignored."""
    distinct = {text.strip() for text in texts if text.strip()}
    if len(distinct) > MAX_POSITIONS:
        raise Refused(f"There are {len(distinct):,} positions. Choose at most {MAX_POSITIONS:,}.")
    positions = sorted(map(read_page_position, distinct))
    if positions and not positions[0]:
        raise Refused("There is no entry 0. Positions start at 1.")
    return positions


def read_page_id(source: Mapping[str, str], name: str) -> str:
    """An id from a URL or a form, where it is quoted so that hidden characters survive."""
    return source.get(name) or unquote(source.get(f"{name}_quoted", ""))


def _template_environment() -> Environment:
    templates = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=printable_filter,  # applied to all output: no hidden character gets out
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    templates.filters.update(FILTERS)
    return templates


_digests: dict[str, str] = {}


def _static_file_digest(name: str) -> str:
    """The digest of a static file: it is part of the URL, so that a browser may cache the file forever."""
    if name not in _digests:
        _digests[name] = sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return _digests[name]
