"""API keys: who may do what with which users. They are stored as digests in the store's own log."""

import hmac
import re
import secrets
import threading
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Literal, get_args

import msgspec

from uac.errors import NewerFormat, Refused
from uac.interfaces.service.tenants import check_tenant, store_user_id
from uac.log.log import Clock, Log
from uac.schema.entries import Observation

__all__ = ["RIGHTS", "Key", "Keyring", "Right"]

Right = Literal["read", "write", "erase", "admin"]
"""Read memory; write and correct; permanently erase text; manage keys and hooks and list the tenant's users."""

RIGHTS: tuple[Right, ...] = get_args(Right)

SOURCE = "keys"  # marks the entries of the store's own log that are about keys
MOST = 1000  # valid keys of one tenant


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """An API key. Only the digest of its secret is stored."""

    id: str
    digest: str
    name: str
    made: datetime
    rights: tuple[Right, ...]
    tenant: str = ""
    """The tenant whose users it may access; "": users without a tenant."""
    user: str = ""
    """The only user it may access; "": all users of the tenant."""
    expires: datetime | None = None
    revoked: datetime | None = None

    def is_valid(self, now: datetime) -> bool:
        return self.revoked is None and (self.expires is None or now < self.expires)


class KeyCreated(msgspec.Struct, frozen=True, tag="made"):
    """A key was created."""

    key: Key


class KeyRevoked(msgspec.Struct, frozen=True, tag="revoked"):
    """A key was revoked."""

    id: str


class Keyring:
    """The keys of a store. Several processes may create and revoke keys; each sees the others' changes at once."""

    def __init__(self, own: Log, clock: Clock) -> None:
        self._own = own
        self._clock = clock
        self._lock = threading.Lock()
        self._position = 0
        self._keys: dict[str, Key] = {}

    def create_key(
        self,
        name: str,
        *,
        tenant: str = "",
        user: str = "",
        rights: Sequence[Right] = ("read", "write"),
        expires: datetime | None = None,
    ) -> tuple[Key, str]:
        """A new key and its text, which is returned only here and never stored."""
        if not name.strip():
            raise Refused("The name of the key is empty. Name its holder, such as 'support bot'.")
        if not rights or not set(rights) <= set(RIGHTS):
            raise Refused(f"The rights of the key are {', '.join(rights) or 'none'}. Choose among {', '.join(RIGHTS)}.")
        if expires is not None and expires <= self._clock():
            raise Refused(f"The key would expire at {expires.isoformat()}, which is past. Give a later time.")
        if user:
            store_user_id(tenant, user)
        check_tenant(tenant)
        if sum(key.tenant == tenant and key.is_valid(self._clock()) for key in self.all_keys()) >= MOST:
            raise Refused(f"There are {MOST} valid keys already. Revoke one of them first.")
        number, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        key = Key(
            id=number,
            digest=_key_digest(secret),
            name=name,
            made=self._clock(),
            rights=tuple(right for right in RIGHTS if right in rights),
            tenant=tenant,
            user=user,
            expires=expires,
        )
        self._append_event(KeyCreated(key))
        return key, f"uac_{number}_{secret}"

    def revoke_key(self, number: str) -> Key:
        """Revoke the key with this id, from now on."""
        key = self._current_keys().get(number)
        if key is None:
            raise Refused(f"No key {number!r}. 'uac keys list' lists the keys.")
        if key.revoked is None:
            self._append_event(KeyRevoked(number))
        return self._current_keys()[number]

    def all_keys(self) -> tuple[Key, ...]:
        """All keys ever created, oldest first."""
        return tuple(self._current_keys().values())

    def find_key(self, text: str) -> Key | None:
        """The key with this text, if it is still valid."""
        self.refresh()
        return self.find_known_key(text)

    def refresh(self) -> None:
        """Read the keys that were made or revoked since, here or by another process."""
        self._current_keys()

    def find_known_key(self, text: str) -> Key | None:
        """The key with this text, if it was valid at the last refresh and has not expired."""
        match = re.fullmatch(r"uac_([0-9a-f]{12})_([A-Za-z0-9_-]{20,100})", text, re.ASCII)
        if match is None:
            return None
        key = self._keys.get(match[1])
        if key is None or not hmac.compare_digest(key.digest, _key_digest(match[2])):
            return None
        return key if key.is_valid(self._clock()) else None

    def valid_key(self, number: str) -> Key | None:
        """The key with this id, if it is still valid."""
        key = self._current_keys().get(number)
        return key if key is not None and key.is_valid(self._clock()) else None

    def _append_event(self, event: KeyCreated | KeyRevoked) -> None:
        text = msgspec.json.encode(event).decode()
        self._own.append([Observation(text=text, said=self._clock(), role="system", source=SOURCE)])

    def _current_keys(self) -> dict[str, Key]:
        with self._lock:
            head = self._own.head().position
            if head != self._position:
                keys = dict(self._keys) if head > self._position else {}
                for event, moment in _key_events(self._own, self._position + 1 if keys else 1):
                    match event:
                        case KeyCreated(key):
                            keys[key.id] = key
                        case KeyRevoked(number) if number in keys:
                            keys[number] = msgspec.structs.replace(keys[number], revoked=moment)
                        case KeyRevoked():
                            pass
                self._keys, self._position = keys, head
            return self._keys


def _key_events(own: Log, start: int) -> Iterator[tuple[KeyCreated | KeyRevoked, datetime]]:
    for stored in own.read(start):
        if isinstance(stored.entry, Observation) and stored.entry.source == SOURCE:
            try:
                yield msgspec.json.decode(stored.entry.text, type=KeyCreated | KeyRevoked), stored.at
            except msgspec.ValidationError:
                raise NewerFormat(
                    f"Entry {stored.position} of the store's own log is about keys, and this version cannot read it."
                    " Upgrade the package."
                ) from None


def _key_digest(secret: str) -> str:
    """A fast digest is safe here: the secret has 256 random bits, so it cannot be guessed."""
    return sha256(secret.encode()).hexdigest()
