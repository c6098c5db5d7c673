"""Recognizes alerts whose dates moved by a few days, so that they stay acknowledged or snoozed."""

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime

import msgspec

from uac.project.alerts import Alert, Alerts, RecordOrigin
from uac.schema.entries import AlertChange

__all__ = ["keep_acknowledgements"]

NEAR = 6
"""Days by which a date may move while an acknowledged alert stays acknowledged. Weekly and rarer events are new ones,
and are reported again."""


def keep_acknowledgements(
    alerts: Alerts,
    made: Sequence[AlertChange],
    *,
    made_by: Callable[[str], RecordOrigin | None],
    first: int,
    now: datetime,
) -> list[AlertChange]:
    """The changes of one run, where an alert whose dates moved by a few days keeps its acknowledgement or snooze.

    It moved if the same constraint lost one alert and raised another, no more severe, about the same records, and the
    texts differ only in dates. `made_by` gives the identity of a record; records from position `first` on are new in
    this change. If two alerts match, the new one is reported like any other.
    """
    lost = [
        alert
        for change in made
        if change.change == "cleared" and (alert := alerts.get((change.constraint, change.subject))) is not None
    ]
    found = [change for change in made if change.change == "raised" and change.records]
    pairs = [(old, new) for old in lost for new in found if _is_moved_alert(old, new, made_by, first)]
    olds, news = [id(old) for old, _new in pairs], [id(new) for _old, new in pairs]
    follows = {
        id(new): old.raised
        for old, new in pairs
        if olds.count(id(old)) == news.count(id(new)) == 1 and old.stays_quiet(new.severity, now)
    }
    return [
        msgspec.structs.replace(change, change="updated", follows=follows[id(change)])
        if id(change) in follows
        else change
        for change in made
    ]


def _is_moved_alert(old: Alert, new: AlertChange, made_by: Callable[[str], RecordOrigin | None], first: int) -> bool:
    if old.constraint != new.constraint or len(old.records) != len(new.records):
        return False
    texts = [(old.subject, new.subject), *zip(old.records, new.records, strict=True)]
    if not all(_moved_only_in_dates(before, later) for before, later in texts):
        return False
    known = old.made or (None,) * len(old.records)
    return all(
        before == later or _is_moved_record(before, made, made_by(later), made_by, first)
        for before, made, later in zip(old.records, known, new.records, strict=True)
    )


def _is_moved_record(
    before: str,
    made: RecordOrigin | None,
    later: RecordOrigin | None,
    made_by: Callable[[str], RecordOrigin | None],
    first: int,
) -> bool:
    """Whether a record got another key, or was dropped and put again with another one in the same change.

    An ended record still exists: its successor is another record.
    """
    if later is None:
        return False
    return later == made or (made_by(before) is None and later[0] >= first)


_DATE = re.compile(
    r"(?<!\d)(\d{4}-\d\d-\d\d)(?:[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:\d\d)?)?(?!\d)", re.IGNORECASE
)


def _moved_only_in_dates(before: str, later: str) -> bool:
    """Whether two texts are equal except for dates that differ by at most a few days."""
    if _DATE.sub("\0", before) != _DATE.sub("\0", later):
        return False
    return all(
        abs((one - other).days) <= NEAR if one and other else text == written
        for (text, one), (written, other) in zip(_moved_alert_dates(before), _moved_alert_dates(later), strict=True)
    )


def _moved_alert_dates(text: str) -> list[tuple[str, date | None]]:
    return [(found[0], _moved_alert_date(found[1])) for found in _DATE.finditer(text)]


def _moved_alert_date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
