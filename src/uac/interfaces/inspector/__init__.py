"""The inspector: a web page that shows what is known of a user, and lets it be changed. Server-rendered; no build step.

`mount(app)` serves it at /inspector, over the service in `app.state.service`.

How to add a page:

1. Write `src/uac/inspector/<subject>.py` with functions `View -> Response`, and `PAGES`, a tuple of `Page`. Add
   `*<subject>.PAGES` to `PAGES` in `app.py`; their order there is the order of the navigation.
2. `Page("/users/{user}/alerts", alerts, title="Alerts", letter="a", group="Watched")` stands in the navigation, and is
   reached with g a. Without a title it is reached by links only. `right` is what the key must allow: callers without
   it get 403 and do not see the entry. A form is a page of its own: `Page(path, acknowledge, right="write",
   method="POST")`; several pages may share a path if their methods differ.
3. What a page is given (`frame.py`): `view.memory()` is the user's memory for this request (`with` it, and leave the
   block before rendering); `view.place` has the log without the lock; `view.asked("q")`, `view.number("page", 1)` are
   arguments of the address; `view.form` are the fields of a form, which is sure to come from a page of ours;
   `view.may("write")` says whether to show a form; `view.caller` who looks.
   It answers `view.show("alerts.html", alerts=…)`, or after a form `view.go("alerts", done="1")`.
   What is refused (`Refused`, `NotFound`, `Forbidden`) becomes a page that says so; a page that would rather show the
   problem beside its form catches `Refused` itself.
4. The template `extends "base.html"` with the blocks `title` and `main`, and has `view`, `user`, `caller`,
   `form_token`, `link("records", type=name)` for addresses of this user's pages, `home("users")` for others. Every form
   that is sent has `<input type="hidden" name="form_token" value="{{ form_token }}">` (`parts.token(form_token)`).
   Filters are in `shown.py`: `told` for values of fields, `moment` for times, `period`, `counted`, `marked`, `says`.
   `parts.html` has severity badges, bars, empty states, and
   `record(link, named(id))` for a link to a record by its name, where `named` is `naming(project)` of `names.py`.
5. All that is printed is escaped, and characters that are not seen are shown as escapes; markup comes from
   `uac.markup` alone (tables and plots give such), never from `|safe`. The policy forbids inline scripts and styles:
   style by classes in `static/inspector.css`, where colours, spaces and sizes are variables.
6. Everything works without `static/inspector.js`. It adds: `data-letter` keys after g, `data-row` rows that j and k go
   through, `data-search` what / goes to, and `data-live` parts that a form with `data-time` swaps without a reload.

Addresses that pages link to: a record is `link("records/one", id=record.id)`, an entry of the log
`link("log/7")`, a file `link("code", file=path, at=position)`, a comparison `link("code", since=6, at=7)`.
"""

from uac.interfaces.inspector.app import PATH, mount
from uac.interfaces.inspector.sessions import Invitation

__all__ = ["PATH", "Invitation", "mount"]
