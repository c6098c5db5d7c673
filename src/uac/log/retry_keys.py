"""The keys by which a log recognises a retry: of an observation it has, and of requests whose words were erased."""

from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256

from uac.errors import Damaged, NewerFormat
from uac.log.rows import Row, decode_row
from uac.schema.entries import IMPORTED, Entry, Observation, Receipt, encode

__all__ = ["observation_identity", "observation_key", "observation_key_digest", "retry_key", "retry_keys"]


def retry_keys(rows: Iterable[Row]) -> list[bytes]:
    """The keys to remember of a log that is destroyed: clients may still retry requests with them."""
    keys: list[bytes] = []
    for row in rows:
        if row.key is not None or row.kind == "receipt":
            with suppress(Damaged, NewerFormat):  # a row that cannot be read must not keep the rest from being erased
                entry = decode_row(row).entry
                keys += [key] if entry is not None and (key := retry_key(entry)) else []
    return keys


def retry_key(entry: Entry) -> bytes | None:
    """A digest of the client's key, which outlives the erased words; the client chose the key at random.

    Imported lines have keys made of their words: a digest of those would be a way to test a guess of them.
    """
    match entry:
        case Receipt():
            return sha256(b"request " + entry.key.encode()).digest()
        case Observation(key=str(key)) if key and not key.startswith(IMPORTED):
            return sha256(b"observation " + key.encode(errors="surrogatepass")).digest()
        case _:
            return None


def observation_key_digest(entry: Entry) -> bytes | None:
    text = observation_key(entry)
    try:
        return sha256(text.encode(errors="surrogatepass")).digest() if text else None
    except AttributeError:
        encode(entry)  # names the field of the wrong type
        raise


def observation_key(entry: Entry) -> str:
    return entry.key if isinstance(entry, Observation) else ""


def observation_identity(entry: Entry) -> tuple[str, ...]:
    """The fields that make two observations the same; a retry may carry another time."""
    assert isinstance(entry, Observation)
    return (entry.text, entry.role, entry.speaker, entry.session, entry.source)
