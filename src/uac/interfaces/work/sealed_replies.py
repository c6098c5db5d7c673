"""Replies on their way from a model to the log, as DBOS stores them: encrypted, and unreadable after an erasure.

The key is made of the salts of the entries that the request quotes. Erasing one of these entries destroys its salt, and
so the reply, wherever a copy of it is.
"""

import base64
import os
from collections.abc import Collection
from hashlib import sha256

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from uac.log.log import Log
from uac.models.requests_and_replies import Reply

__all__ = ["open_reply", "seal_reply"]

NONCE = 12


class _Sealed(msgspec.Struct, frozen=True):
    reply: Reply
    problem: str


def seal_reply(log: Log, positions: Collection[int], reply: Reply, problem: str) -> str:
    """A reply, and the problem with the whole of it, as text for DBOS."""
    nonce = os.urandom(NONCE)
    plain = msgspec.json.encode(_Sealed(reply, problem))
    return base64.b64encode(nonce + AESGCM(_key(log, positions)).encrypt(nonce, plain, None)).decode()


def open_reply(log: Log, positions: Collection[int], sealed: str) -> tuple[Reply, str] | None:
    """The reply and its problem; None if an entry that it depends on was erased."""
    found = base64.b64decode(sealed)
    try:
        plain = AESGCM(_key(log, positions)).decrypt(found[:NONCE], found[NONCE:], None)
    except InvalidTag:
        return None
    opened = msgspec.json.decode(plain, type=_Sealed)
    return opened.reply, opened.problem


def _key(log: Log, positions: Collection[int]) -> bytes:
    digest = sha256(b"uac work\0")
    wanted = set(positions)
    for row in log.read_rows(min(wanted), max(wanted) + 1):
        if row.position in wanted:
            digest.update(f"{row.position}:{row.salt.hex()};".encode())
    return digest.digest()
