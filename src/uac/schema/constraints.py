"""Constraints as data: a function over the user's state, the cases that prove it, and the tables that it looks up."""

import base64
import zlib
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from hashlib import sha256
from typing import Literal

import msgspec

from uac.errors import Refused
from uac.schema.types import Json
from uac.schema.word_caches import word_cache

__all__ = [
    "BUILT_IN",
    "INCOMPLETE_RECORD",
    "MAX_CASES",
    "MAX_GIVEN",
    "MAX_TABLE",
    "OPEN_CONFLICT",
    "Case",
    "Constraint",
    "Given",
    "Knowledge",
    "Origin",
    "Severity",
    "Unreviewed",
    "case_moment",
]

Severity = Literal["critical", "warning", "info"]

Origin = Literal["pack", "person", "model"]
"""Who wrote a constraint. A model's constraint is unreviewed until a person approves it."""

Unreviewed = Literal["raise", "mark", "wait"]
"""Treatment of constraints that a model wrote and nobody approved: raise alerts of any severity; raise none above
warning (they are marked in both cases); or wait for approval without running."""

OPEN_CONFLICT = "open_conflict"
"""A built-in constraint, which is not a function: a field whose claims disagree and whose policy is to ask."""

INCOMPLETE_RECORD = "incomplete_record"
"""A built-in constraint: a record without a field that its type requires, because its words were not understood."""

BUILT_IN = frozenset({OPEN_CONFLICT, INCOMPLETE_RECORD})

MAX_CASES = 100

MAX_GIVEN = 1_000  # records of all cases together


class Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A part of a constraint that is stored with it."""


class Given(Part, frozen=True, kw_only=True):
    """A record of a case. `ended` is the time at which it ended, or empty."""

    type: str
    fields: dict[str, Json]
    ended: str = ""


class Case(Part, frozen=True, kw_only=True):
    """A state and a time for which the constraint must fire, or must stay silent."""

    name: str
    now: str
    """An ISO 8601 date (meaning noon, UTC) or time."""
    fires: bool
    given: tuple[Given, ...] = ()
    says: tuple[str, ...] = ()
    """Texts that must all occur in one of the messages; letter case does not matter."""


def case_moment(case: Case) -> datetime:
    """The time of a case; noon in UTC for a date."""
    try:
        moment = datetime.fromisoformat(case.now) if "T" in case.now else None
        moment = moment or datetime.combine(date.fromisoformat(case.now), time(12))
    except ValueError:
        raise Refused(f"case {case.name!r}: now is {case.now!r}. Use an ISO 8601 date or time.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


class Constraint(Part, frozen=True, kw_only=True, weakref=True):
    """A function `name(user, now)` that returns alerts, and its cases."""

    name: str
    code: str
    cases: tuple[Case, ...]
    origin: Origin
    pack: str = ""
    """The pack it is from, with its version: 'health 1'."""


class Knowledge(Part, frozen=True, kw_only=True, weakref=True):
    """A lookup table for constraints. It is kept in the log, so that the same log gives the same alerts."""

    name: str
    version: str
    date: str
    source: str
    note: str
    """Its limits, in words."""
    packed: str
    """The table as compressed JSON in base64: two machines may pack the same table to other bytes."""
    is_imported: bool = False
    """Whether a person put it in the place of a pack's table: an upgrade leaves it alone."""
    packed_origins: str = ""
    """Packed as well: regions, source and review of the rows that are plain values."""
    packed_unconfirmed: str = ""
    """Packed as well: the rows that no source confirms, by verdict."""

    @classmethod
    def of(
        cls, table: Json, origins: Json = None, *, name: str, version: str, date: str, source: str, note: str
    ) -> "Knowledge":
        return cls(
            name=name,
            version=version,
            date=date,
            source=source,
            note=note,
            packed=_pack_knowledge(table),
            packed_origins=_pack_knowledge(origins) if origins else "",
        )

    @classmethod
    def imported(
        cls, table: Json, origins: Json, *, name: str, version: str, date: str, source: str, note: str
    ) -> "Knowledge":
        """A table in the place of a pack's. `origins` has, for each plain value, where it came from."""
        learned = cls.of(table, origins, name=name, version=version, date=date, source=source, note=note)
        return msgspec.structs.replace(learned, is_imported=True)

    def with_unconfirmed(self, rows: Mapping[str, str]) -> "Knowledge":
        """The same table; `rows` has the verdict ('partly', 'unfound') of each row that no source confirms, by id.

        The id `names:*` means all rows whose ids begin with `names:`.
        """
        by_verdict: dict[str, Json] = {}
        for row, verdict in rows.items():
            by_verdict.setdefault(verdict, []).append(row)
        return msgspec.structs.replace(self, packed_unconfirmed=_pack_knowledge(by_verdict) if rows else "")

    def unconfirmed(self, row: str) -> str:
        """The verdict of a row that no source confirms: 'partly' or 'unfound'; empty for the others."""
        verdicts = _unpack_verdicts(self.packed_unconfirmed)
        return verdicts.get(row) or verdicts.get(f"{row.partition(':')[0]}:*", "")

    @property
    def table(self) -> Json:
        return _unpack_knowledge(self.packed)

    @property
    def origins(self) -> Json:
        """Regions, source and review of plain values: rows with `section` and `name` or, for several, `names`.

        The name `*` means all values of the section that no other row names.
        """
        return _unpack_knowledge(self.packed_origins) if self.packed_origins else []

    def regions_of(self, row: str) -> str:
        """Where a row holds that is a plain value, by its id: 'dishes:hummus'; empty if its origin is not known."""
        section, _, name = row.partition(":")
        of_section = [origin for origin in self.origins if origin.get("section") == section]
        own = [each for each in of_section if name in each.get("names", [each.get("name")])]
        whole = [each for each in of_section if each.get("name") == "*"]
        return str(next((each.get("in", "") for each in (*own, *whole)), ""))

    @property
    def digest(self) -> str:
        """The SHA-256 of everything that it says, however it is packed: a person signs this."""
        return _knowledge_digest(self)


MAX_TABLE = 4 * 1024 * 1024


def _pack_knowledge(table: Json) -> str:
    return base64.b64encode(zlib.compress(msgspec.json.encode(table), 9)).decode()


@word_cache(64)
def _knowledge_digest(knowledge: Knowledge) -> str:
    about = (knowledge.name, knowledge.version, knowledge.date, knowledge.source, knowledge.note)
    checks = [_unpack_knowledge(knowledge.packed_unconfirmed)] if knowledge.packed_unconfirmed else []
    return sha256(msgspec.json.encode([*about, knowledge.table, knowledge.origins, *checks])).hexdigest()


@word_cache(64)
def _unpack_verdicts(packed: str) -> Mapping[str, str]:
    try:
        by_verdict = msgspec.convert(_unpack_knowledge(packed) if packed else {}, dict[str, list[str]])
    except msgspec.ValidationError as error:
        raise Refused(f"The checks of a table cannot be read: {error}. Use Knowledge.with_unconfirmed.") from None
    return {row: verdict for verdict, rows in by_verdict.items() for row in rows}


@word_cache(64)
def _unpack_knowledge(packed: str) -> Json:
    """The table of a packed text. Treat it as read-only: it is cached, and only sent to the sandbox or printed."""
    try:
        unzip = zlib.decompressobj()
        text = unzip.decompress(base64.b64decode(packed, validate=True), MAX_TABLE)
        if not unzip.eof:
            raise Refused(
                f"A table is truncated or has more than {MAX_TABLE:,} bytes. Store it whole, or make it smaller."
            )
        return msgspec.json.decode(text)
    except (ValueError, zlib.error, msgspec.DecodeError) as error:
        raise Refused(f"A table cannot be read: {error}. Pack it with Knowledge.of.") from None
