"""Runs constraints inside the sandbox, and finds the records that one of them cannot cope with.

It is loaded after `prelude.py`, whose list `uac_looks` it uses, and keeps to the same part of Python.
"""

__all__ = ["uac_check", "uac_knowledge", "uac_look", "uac_narrow"]

date: type = object  # this and the next two are the prelude's
uac_looks: list[object] = []
uac_tables: dict[object, object] = {}

# --- below: what is loaded

from copy import copy as uac_copy  # noqa: E402 - it is loaded with what needs it
from copy import deepcopy as uac_deepcopy  # noqa: E402 - the same


def uac_check(function, user, now):
    """One constraint: [what it raised, its alerts, when it asks to be run again]. No row of these is large."""
    uac_looks.clear()
    try:
        found = []
        for alert in function(user, now):
            ids = [record.uac_id for record in alert.records][:1000]
            again = alert.look_again if isinstance(alert.look_again, date) else None
            found.append([uac_text(alert.severity), uac_text(alert.subject), uac_text(alert.message), ids, again])
            if len(found) > 1000:
                break
        return ["", found, [when for when in uac_looks[:10000] if isinstance(when, date)]]
    except Exception as error:  # noqa: BLE001 - the constraint runner: the host makes a finding of it
        return [f"{type(error).__name__}: {str(error)[:1000]}", [], []]


def uac_text(text):
    """A text of an alert, no longer than a message may be."""
    if not isinstance(text, str):
        raise TypeError("the severity, the subject and the message of an alert must be texts")
    return text[:3000]


def uac_look(functions, user, now):
    """Run constraints one after the other; what one raises does not stop the others.

    Each comes as [name, function, what makes a user of its own]; None: the loaded one.
    """
    results = []
    for name, function, make in functions:
        print(name)  # noqa: T201 - so that the host knows who was running when time is up
        results.append([name, *uac_check(function, make() if make else user, now)])
    return results


def uac_records(user, domain, collection):
    """The records of a collection, of which there may be one or many."""
    held = getattr(getattr(user, domain), collection)
    return held if isinstance(held, list) else [] if held is None else [held]


def uac_narrow(check, places, known, most_tries, most_records):
    """The records without which a constraint that fails comes to a result: [[[record, field], …], its result], ….

    `check` is [function, make, now]. `places` has [domain, collection, is it one record, {field: a harmless
    value}] for each collection that is read, and `known` are records that are known to fail. Each collection is
    searched by halves; the answers are those with the fewest records.
    """
    function, make, now = check
    tries = [0]

    def attempt(without, record=None, field=None, value=None):
        """The result without some records, or with one field of one record changed; None if it fails."""
        tries[0] = tries[0] + 1
        gone = set(without)
        user = make()
        for domain, collection, is_one, _fields in places:
            kept = []
            for item in uac_records(user, domain, collection):
                if item.uac_id == record:
                    item = uac_copy(item)  # noqa: PLW2901 - the loaded one stays as it is
                    setattr(item, field, value)
                if item.uac_id not in gone:
                    kept.append(item)
            setattr(getattr(user, domain), collection, (kept[0] if kept else None) if is_one else kept)
        result = uac_check(function, user, now)
        return None if result[0] else result

    def search(members):
        """The members without which it comes to a result, or None."""
        if not members or attempt([*known, *members]) is None:
            return None
        culprits = [*known]
        while attempt(culprits) is None:
            rest = [member for member in members if member not in culprits]
            low, high = 0, len(rest)  # it fails without the first `low`, and does not without the first `high`
            while high - low > 1:
                middle = (low + high) // 2
                if attempt([*culprits, *rest[:middle]]) is None:
                    low = middle
                else:
                    high = middle
            culprits.append(rest[high - 1])
            if len(culprits) > most_records or tries[0] > most_tries:
                return None
        return least(culprits)

    def least(culprits):
        """The culprits without those that are known from before and can be checked again."""
        for one in known:
            others = [culprit for culprit in culprits if culprit != one]
            culprits = others if attempt(others) is not None else culprits
        return culprits

    def blamed(record, others):
        """The field of the record with another value of which it does not fail, or nothing."""
        for _domain, _collection, _is_one, fields in places:
            for field, value in fields.get(record.partition(":")[0], {}).items():
                if tries[0] < most_tries and attempt(others, record, field, value) is not None:
                    return field
        return ""

    loaded = make()
    listed = [[item.uac_id for item in uac_records(loaded, place[0], place[1])] for place in places]
    found = [least(known)] if known and attempt(known) is not None else []
    if not found:
        # From both ends: where two records fail together, the one that comes last in a search is not found by it.
        ways = [way for members in listed for way in [members, members[::-1]]]
        found = [culprits for culprits in [search(way) for way in ways] if culprits is not None]
    if not found:
        culprits = search([member for members in listed for member in members])
        found = [] if culprits is None else [culprits]
    fewest = min([len(culprits) for culprits in found] or [0])
    return [
        [[[one, blamed(one, [other for other in culprits if other != one])] for one in culprits], attempt(culprits)]
        for culprits in found
        if len(culprits) == fewest
    ]


def uac_knowledge(name):
    """A table of the code's own: what code that no person has reviewed finds as `knowledge`."""
    return uac_deepcopy(uac_tables[name])
