"""Runs constraints and queries inside the sandbox, and finds the records on which a constraint fails.

Loaded after `prelude.py`, whose list `uac_looks` it uses, and written in the same subset of Python.
"""

from typing import Any

__all__ = ["uac_blame", "uac_check", "uac_guarded", "uac_knowledge", "uac_look", "uac_search"]

# Defined by the prelude.
date: type = object
as_date: Any = None
timedelta: Any = None
uac_looks: list[object] = []
uac_tables: dict[object, object] = {}

# --- below: what is loaded

from copy import copy as uac_copy  # noqa: E402 - loaded with the code that uses it
from copy import deepcopy as uac_deepcopy  # noqa: E402 - the same


def uac_check(function, user, now):
    """Run one constraint: [its error, its alerts, the times to run it again]. The lengths are limited."""
    uac_looks.clear()
    try:
        found = []
        for alert in function(user, now):
            ids = [record.uac_id for record in alert.records][:1000]
            again = alert.look_again if isinstance(alert.look_again, date) else None
            texts = [uac_text(alert.severity), uac_text(alert.subject), uac_text(alert.message)]
            rows = uac_rows(alert.rows)
            found.append([*texts, ids, again, *([rows] if rows else [])])
            if len(found) > 1000:
                break
        return ["", found, uac_ahead(now)]
    except MemoryError:
        raise  # other code may have used the memory; the host tries again
    except Exception as error:  # noqa: BLE001 - the constraint runner: the host makes a finding of it
        return [f"{type(error).__name__}: {str(error)[:1000]}", [], []]


def uac_rows(rows):
    """The rows that an alert names: [table, id, regions], and of a row that ages [..., reviewed_on, expires].

    A row without an id is left out.
    """
    named = [[table, row["id"], row.get("in", ""), *uac_row_days(row)] for table, row in rows if row.get("id")]
    return [[uac_text(part)[:100] for part in row] for row in named][:20]


def uac_row_days(row):
    """The day of a row's review and its last day; nothing of a row that does not age."""
    return [row.get("reviewed_on", ""), row["expires"]] if row.get("expires") else []


def uac_ahead(now):
    """The times at which to run the constraint again, earliest first; times more than two days ago are dropped."""
    start = str(as_date(now) - timedelta(days=2))
    asked = dict.fromkeys([when for when in uac_looks if isinstance(when, date)])
    return sorted([when for when in asked if str(when) >= start], key=str)[:1000]


def uac_text(text):
    """A text of an alert, cut to the length of a message."""
    if not isinstance(text, str):
        raise TypeError("the severity, the subject and the message of an alert must be texts")
    return text[:3000]


def uac_look(functions, user, now):
    """Run constraints one after the other; an error in one does not stop the others.

    Each is [name, function, a function that makes its own user]; None for the last: it gets the loaded user.
    """
    results = []
    for name, function, make in functions:
        print(name)  # noqa: T201 - tells the host which one was running when time is up
        results.append([name, *uac_check(function, make() if make else user, now)])
    return results


def uac_records(user, domain, collection):
    """The records of a collection as a list; a type of one record has one or none."""
    held = getattr(getattr(user, domain), collection)
    return held if isinstance(held, list) else [] if held is None else [held]


def uac_attempt(check, places, without, record=None, field=None, value=None):
    """The result of a constraint without some records, or with one field of one record changed; None if it fails.

    `check` is [function, a function that makes a user, now]; `places` has [domain, collection, is it one record] for
    each collection that the constraint reads.
    """
    function, make, now = check
    gone = set(without)
    user = make()
    for domain, collection, is_one in places:
        kept = []
        for item in uac_records(user, domain, collection):
            if item.uac_id == record:
                item = uac_copy(item)  # noqa: PLW2901 - the loaded record stays unchanged
                setattr(item, field, value)
            if item.uac_id not in gone:
                kept.append(item)
        setattr(getattr(user, domain), collection, (kept[0] if kept else None) if is_one else kept)
    result = uac_check(function, user, now)
    return None if result[0] else result


def uac_search(check, places, chosen, known, from_the_end, most):
    """The records without which a failing constraint succeeds, found by bisection, and its result without them.

    `known` have failed before and are tried first. None if no such records exist, or more than `most`.
    """
    user = check[1]()
    members = [item.uac_id for place in chosen for item in uac_records(user, place[0], place[1])]
    members = members[::-1] if from_the_end else members
    if not members or uac_attempt(check, places, [*known, *members]) is None:
        return None
    culprits = [*known]
    while uac_attempt(check, places, culprits) is None:
        rest = [member for member in members if member not in culprits]
        low, high = 0, len(rest)  # it fails without the first `low`, and does not without the first `high`
        while high - low > 1:
            middle = (low + high) // 2
            if uac_attempt(check, places, [*culprits, *rest[:middle]]) is None:
                low = middle
            else:
                high = middle
        culprits.append(rest[high - 1])
        if len(culprits) > most:
            return None
    for one in known:  # a known one on which it no longer fails is dropped
        others = [culprit for culprit in culprits if culprit != one]
        culprits = others if uac_attempt(check, places, others) is not None else culprits
    return [culprits, uac_attempt(check, places, culprits)]


def uac_blame(check, places, record, others, fields):
    """The field that makes the constraint fail: with another value in it, it succeeds. Empty if there is none."""
    for field, value in fields.items():
        if uac_attempt(check, places, others, record, field, value) is not None:
            return field
    return ""


def uac_guarded(function, *arguments):
    """The result of a query. A long error text is cut here, before it reaches the host."""
    try:
        return function(*arguments)
    except MemoryError:
        raise
    except Exception as error:
        text = str(error)
        if len(text) > 4000:
            raise ValueError(f"uac cut {type(error).__name__}: {text[:2000]}…")  # noqa: B904 - without the cause, which may be as long
        raise


def uac_knowledge(name):
    """A copy of a table: the `knowledge` of code that no person has reviewed."""
    return uac_deepcopy(uac_tables[name])
