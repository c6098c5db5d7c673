"""The file of a backup: frames with the rows of logs as they are stored, and a checksum at the end.

A file is a first line (`PLAIN` or `ENCRYPTED`) and frames, each after its length in four bytes. A frame is MessagePack,
compressed, and sealed in an encrypted file: a header; for each log its name and head, and its rows; texts that several
logs share, once, before the first row that has them; digests of erased keys; and an end with the checksum.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, BinaryIO

import msgspec

from uac.errors import Damaged, NewerFormat, Refused
from uac.log.backup_cipher import ENCRYPTED, KEY_BYTES, Cipher, frame_cipher, new_key_parameters
from uac.log.rows import Head, Row
from uac.log.shared_texts import join_body, pack_text, split_body, unpack_text

__all__ = ["BackupReader", "BackupWriter", "Header", "LogStart", "is_encrypted"]

PLAIN = b"uac backup 1\n"
MAX_FRAME = 64 * 1024 * 1024
"""An entry has at most 16 MiB, and a frame ends with the entry that makes it longer than `FRAME_CHARACTERS`."""
FRAME_CHARACTERS = 256 * 1024
FRAME_ROWS = 1000
LEVEL = 1  # of compression: higher ones take several times as long, for a tenth less


class Header(msgspec.Struct, frozen=True, tag="header"):
    """The first frame: when the backup was begun, and how many users it is of."""

    created: str
    users: int


class LogStart(msgspec.Struct, frozen=True, tag="log"):
    """The start of one log: its name in the store, and its head. Its rows follow."""

    name: str
    position: int
    digest: bytes
    at: str

    @property
    def head(self) -> Head:
        return Head(self.position, self.digest, self.at)


class _Text(msgspec.Struct, frozen=True, tag="text"):
    digest: bytes
    packed: bytes


_RowFields = tuple[int, str, str, int, str, bytes, bytes, bytes | None, bytes | None]
_Parts = tuple[tuple[int, bytes], ...]


class _Rows(msgspec.Struct, frozen=True, tag="rows"):
    rows: tuple[_RowFields, ...]
    parts: dict[int, _Parts] = {}
    """By position: places and digests of the texts that were cut out of the body."""


class _ErasedKeys(msgspec.Struct, frozen=True, tag="erased"):
    digests: tuple[bytes, ...]


class _End(msgspec.Struct, frozen=True, tag="end"):
    checksum: bytes


_Frame = Header | LogStart | _Text | _Rows | _ErasedKeys | _End
_DECODER = msgspec.msgpack.Decoder(_Frame)
_ENCODER = msgspec.msgpack.Encoder()


class BackupWriter:
    """Writes a backup into a file that can be truncated."""

    def __init__(self, file: BinaryIO, header: Header, *, passphrase: str = "") -> None:
        self._file = file
        self._checksum = sha256()
        self._number = 0
        self._cipher: Cipher | None = None
        self._texts: set[bytes] = set()
        if passphrase:
            parameters = new_key_parameters()
            self._cipher = frame_cipher(passphrase, parameters)
            file.write(ENCRYPTED + parameters)
        else:
            file.write(PLAIN)
        self._write(header)

    def write_log(self, name: str, head: Head, rows: Iterable[Row]) -> None:
        """Write one log; nothing of it, if reading its rows fails."""
        start = self._file.tell(), self._checksum.copy(), self._number, self._texts.copy()
        try:
            self._write(LogStart(name, head.position, head.digest, head.at))
            self._write_rows(rows)
        except Damaged:
            place, self._checksum, self._number, self._texts = start
            self._file.seek(place)
            self._file.truncate()
            raise

    def write_erased_keys(self, digests: tuple[bytes, ...]) -> None:
        self._write(_ErasedKeys(digests))

    def finish(self) -> None:
        self._write(_End(self._checksum.digest()))

    def _write_rows(self, rows: Iterable[Row]) -> None:
        batch: list[_RowFields] = []
        parts: dict[int, _Parts] = {}
        characters = 0
        for row in rows:
            rest, shared = split_body(row.body) if row.kind == "checkpoint" else (row.body, ())
            for text in shared:
                if text.digest not in self._texts:
                    self._texts.add(text.digest)
                    self._write(_Text(text.digest, pack_text(text.text)))
            if shared:
                parts[row.position] = tuple((text.place, text.digest) for text in shared)
            batch.append(row._replace(body=rest))
            characters += len(rest)
            if characters > FRAME_CHARACTERS or len(batch) == FRAME_ROWS:
                self._write(_Rows(tuple(batch), parts))
                batch, parts, characters = [], {}, 0
        if batch:
            self._write(_Rows(tuple(batch), parts))

    def _write(self, frame: _Frame) -> None:
        data = zlib.compress(_ENCODER.encode(frame), LEVEL)
        self._checksum.update(struct.pack(">I", len(data)) + data)
        sealed = data if self._cipher is None else self._cipher.seal(self._number, data)
        self._number += 1
        self._file.write(struct.pack(">I", len(sealed)) + sealed)


class BackupReader:
    """Reads a backup from its start: the header, the logs, the erased keys. Damaged if the file was cut or altered."""

    def __init__(self, file: BinaryIO, *, passphrase: str = "") -> None:
        self._file = file
        self._checksum = sha256()
        self._number = 0
        self._cipher: Cipher | None = None
        self._texts: dict[bytes, bytes] = {}
        if is_encrypted(file):
            parameters = file.read(KEY_BYTES)
            if len(parameters) < KEY_BYTES:
                raise Damaged(CUT)
            self._cipher = frame_cipher(passphrase, parameters)
        header = self._read()
        if not isinstance(header, Header):
            raise Damaged(ALTERED)
        self.header = header
        self._next = self._read()

    def logs(self) -> Iterator[tuple[LogStart, Iterator[Row]]]:
        """The logs in order; rows that were not read are passed over."""
        while isinstance(start := self._next, LogStart):
            self._next = self._read()
            rows = self._rows()
            yield start, rows
            for _row in rows:
                pass

    def erased_keys(self) -> Iterator[tuple[bytes, ...]]:
        """The digests of erased keys, after all logs; then the checksum is compared."""
        while isinstance(frame := self._next, _ErasedKeys):
            yield frame.digests
            self._next = self._read()
        if not isinstance(self._next, _End) or self._file.read(1):
            raise Damaged(ALTERED)

    def _rows(self) -> Iterator[Row]:
        while isinstance(frame := self._next, _Rows | _Text):
            if isinstance(frame, _Text):
                self._texts[frame.digest] = frame.packed
            else:
                yield from (self._join_row(fields, frame.parts) for fields in frame.rows)
            self._next = self._read()

    def _join_row(self, fields: _RowFields, parts: dict[int, _Parts]) -> Row:
        row: Row = Row._make(fields)
        if row.position not in parts:
            return row
        texts = [(place, self._unpack(digest)) for place, digest in parts[row.position]]
        return row._replace(body=join_body(row.body, texts))

    def _unpack(self, digest: bytes) -> str | None:
        packed = self._texts.get(digest)
        return None if packed is None else unpack_text(digest, packed)

    def _read(self) -> _Frame:
        length = self._file.read(4)
        size = int.from_bytes(length, "big")
        if size > MAX_FRAME:
            raise Damaged(ALTERED)
        sealed = self._file.read(size)
        if len(length) < 4 or len(sealed) < size:
            raise Damaged(CUT)
        data = sealed if self._cipher is None else self._cipher.open(self._number, sealed)
        frame = _decode_frame(data)
        if isinstance(frame, _End) and frame.checksum != self._checksum.digest():
            raise Damaged(ALTERED)
        self._checksum.update(struct.pack(">I", len(data)) + data)
        self._number += 1
        return frame


CUT = "The backup is cut: the file ends before its end. Copy it again, or use another backup."
ALTERED = "The backup was altered: the file is not as it was written. Copy it again, or use another backup."


def is_encrypted(file: BinaryIO) -> bool:
    """Reads the first line of a file. Refused if it is not that of a backup."""
    line = file.readline(64)
    if line not in (PLAIN, ENCRYPTED):
        if line and (PLAIN.startswith(line) or ENCRYPTED.startswith(line)):
            raise Damaged(CUT)
        if line.startswith(b"uac backup "):
            raise NewerFormat("The backup was written by a newer version of this package. Upgrade the package.")
        raise Refused("backup: The file is not a backup, or is empty. Use a file that 'uac backup' has written.")
    return line == ENCRYPTED


def _decode_frame(data: bytes) -> _Frame:
    unzip = zlib.decompressobj()
    try:
        plain = unzip.decompress(data, MAX_FRAME)
        if not unzip.eof or unzip.unused_data:
            raise Damaged(ALTERED)
        frame: Any = _DECODER.decode(plain)
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError):
        raise Damaged(ALTERED) from None
    assert isinstance(frame, _Frame)
    return frame
