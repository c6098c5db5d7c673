"""The inspector: web pages that show a user's memory and let people change it. Server-rendered; no build step.

`mount(app)` serves it at /inspector, over the service in `app.state.service`.

How to add a page:

1. Write `pages/<subject>.py` with functions `PageView -> Response`, and `PAGES`, a tuple of `Page`. Add
   `*<subject>.PAGES` to `PAGES` in `app.py`; their order there is the order of the navigation.
2. `Page("/users/{user}/alerts", alerts_page, title="Alerts", letter="a", group="Watched")` appears in the navigation,
   and is reached with g a. Without a title it is reached by links only. `right` is the right that the key needs:
   callers without it get 403 and do not see the link. A form is a page of its own: `Page(path, submit_acknowledge,
   right="write", method="POST")`; several pages may share a path if their methods differ.
3. `page.py` has what a page can use: `view.memory()` is the user's memory for this request (use it in a `with` block
   that ends before rendering); `view.user_context` has the log without the lock; `view.query("q")` and
   `view.query_number("page", 1)` are query parameters; `view.form` has the fields of a submitted form of the inspector;
   `view.has_right("write")` says whether to show a form; `view.caller` is the signed-in caller.
   A page returns `view.render_template("alerts.html", alerts=…)`, or after a form `view.redirect("alerts", done="1")`.
   An exception (`Refused`, `NotFound`, `Forbidden`) becomes an error page; a page that shows the problem beside its
   form catches `Refused` itself.
4. The template `extends "base.html"` with the blocks `title` and `main`, and has `view`, `user`, `caller`,
   `form_token`, `link("records", type=name)` for addresses of this user's pages, `home("users")` for others. Every form
   has `<input type="hidden" name="form_token" value="{{ form_token }}">` (`parts.token(form_token)`).
   Filters are in `filters.py`: `value_text` for values of fields, `moment` for times, `period`, `counted`,
   `mark_quotes`, `entry_text`. `parts.html` has severity badges, bars, empty states, and `record(link, named(id))` for
   a link to a record by its name, where `named` is `record_link_maker(project)` of `record_names.py`.
5. Everything printed is escaped, and hidden characters are shown as escapes; markup comes from `uac.display.html` only
   (tables and plots use it), never from `|safe`. The policy forbids inline scripts and styles: style by classes in
   `static/inspector.css`, where colours, spaces and sizes are variables.
6. Everything works without `static/inspector.js`. It adds: `data-letter` keys after g, `data-row` rows for j and k,
   `data-search` for /, and `data-live` parts that a form with `data-time` swaps without a reload.

Addresses that pages link to: a record is `link("records/one", id=record.id)`, an entry of the log
`link("log/7")`, a file `link("code", file=path, at=position)`, a comparison `link("code", since=6, at=7)`.
"""

from uac.interfaces.inspector.app import PATH, mount
from uac.interfaces.inspector.entry_lines import entry_line, readable_alert, readable_ids
from uac.interfaces.inspector.evidence_quotes import EvidenceQuote, quote_cited_entries
from uac.interfaces.inspector.filters import FILTERS, printable_filter
from uac.interfaces.inspector.highlight import Hunk, highlighted_difference, highlighted_lines
from uac.interfaces.inspector.page import STATIC
from uac.interfaces.inspector.sessions import Invitation

__all__ = [
    "FILTERS",
    "PATH",
    "STATIC",
    "EvidenceQuote",
    "Hunk",
    "Invitation",
    "entry_line",
    "highlighted_difference",
    "highlighted_lines",
    "mount",
    "printable_filter",
    "quote_cited_entries",
    "readable_alert",
    "readable_ids",
]
