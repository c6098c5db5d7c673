"""Recorded replies: replayed by the hash of their request, or recorded from a model.

A line is one reply: {"hash": …, "step": "extract", "reply": …, "model": …, "input_tokens": …, "output_tokens": …}.
"""

import os
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from threading import Lock

import msgspec

from uac.errors import ModelError, NoModel
from uac.models.model import Model
from uac.models.requests_and_replies import Reply, Request, Step
from uac.text.token_count import count_tokens

__all__ = ["RecordedModel", "Recorder"]


class RecordedReply(msgspec.Struct, frozen=True, kw_only=True):
    """One recorded reply, without its cost: replaying costs nothing."""

    hash: str
    step: Step
    reply: str
    model: str = "recorded"
    input_tokens: int = 0
    output_tokens: int = 0


class RecordedModel:
    """Answers from the `*.jsonl` files of a folder, or from one file; calls no model."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._lines: dict[str, RecordedReply] = {}
        for file in _reply_files(self._path):
            for line in _read_replies(file):
                self._lines.setdefault(line.hash, line)

    @property
    def name(self) -> str:
        return "recorded"

    def ask(self, request: Request) -> Reply:
        line = self._lines.get(request.hash)
        if line is None:
            raise NoModel(
                f"No reply is recorded for request {request.hash} (step {request.step}) in {self._path}. "
                "Record it with UAC_RECORD."
            )
        return Reply(
            text=line.reply,
            model=line.model,
            input_tokens=line.input_tokens or request.tokens,  # a reply written by hand has no token counts
            output_tokens=line.output_tokens or count_tokens(line.reply),
            cost=Decimal(0),
        )

    def __repr__(self) -> str:
        return f"RecordedModel({str(self._path)!r})"


class Recorder:
    """Calls a model and appends each reply to a file for RecordedModel; each request is recorded once.

    `path` is a file, or a folder, in which `replies.jsonl` is written. Only its owner may read it: replies contain
    personal data.
    """

    def __init__(self, model: Model, path: str | os.PathLike[str]) -> None:
        self._model = model
        self._file = Path(path) if Path(path).suffix == ".jsonl" else Path(path) / "replies.jsonl"
        self._lock = Lock()
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600))
            _drop_partial_reply(self._file)
        except OSError as error:
            raise NoModel(
                f"{self._file} cannot be written: {error.strerror}. Set UAC_RECORD to another path."
            ) from None
        self._known = {line.hash for line in _read_replies(self._file)}

    @property
    def name(self) -> str:
        return self._model.name

    def ask(self, request: Request) -> Reply:
        reply = self._model.ask(request)
        with self._lock:
            if request.hash not in self._known:
                self._append_reply(
                    RecordedReply(
                        hash=request.hash,
                        step=request.step,
                        reply=reply.text,
                        model=reply.model,
                        input_tokens=reply.input_tokens,
                        output_tokens=reply.output_tokens,
                    )
                )
                self._known.add(request.hash)
        return reply

    def __repr__(self) -> str:
        return f"Recorder({self._model!r}, {str(self._file)!r})"

    def _append_reply(self, line: RecordedReply) -> None:
        """Append in one write, so that concurrent recorders do not mix their lines."""
        row = msgspec.json.encode(line) + b"\n"
        try:
            opened = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                written = os.write(opened, row)
                os.fsync(opened)
            finally:
                os.close(opened)
        except OSError as error:
            raise ModelError(
                f"{self._file} cannot be written: {error.strerror}. Set UAC_RECORD to another path."
            ) from None
        if written != len(row):
            raise ModelError(f"{self._file} has only a part of the reply: the disk is full. Free some space.")


def _reply_files(path: Path) -> list[Path]:
    if path.is_dir():
        if files := sorted(path.glob("*.jsonl")):
            return files
        raise NoModel(f"{path} has no *.jsonl file. Set UAC_REPLIES to a folder that has one.")
    if path.is_file():
        return [path]
    raise NoModel(f"{path} does not exist. Set UAC_REPLIES to a file or folder.")


def _read_replies(file: Path) -> Iterator[RecordedReply]:
    """All replies of a file. A partial last line, left by a crash, is ignored."""
    try:
        *rows, last = file.read_bytes().split(b"\n")
    except OSError as error:
        raise NoModel(f"{file} cannot be read: {error.strerror}. Check its permissions.") from None
    for number, row in enumerate(rows, start=1):
        if not row.strip():
            continue
        try:
            yield _decode_recorded_reply(row)
        except msgspec.DecodeError as error:
            raise NoModel(f"{file}: line {number} is not a recorded reply: {error}. Remove the line.") from None
    if _is_recorded_reply(last):
        yield _decode_recorded_reply(last)


def _drop_partial_reply(file: Path) -> None:
    """Remove a partial last line, so that the next reply starts on its own line."""
    content = file.read_bytes()
    end = content.rfind(b"\n") + 1
    if _is_recorded_reply(content[end:]):
        with file.open("ab") as opened:
            opened.write(b"\n")
    elif end != len(content):
        os.truncate(file, end)


def _is_recorded_reply(row: bytes) -> bool:
    try:
        _decode_recorded_reply(row)
    except msgspec.DecodeError:
        return False
    return True


def _decode_recorded_reply(row: bytes) -> RecordedReply:
    return msgspec.json.decode(row, type=RecordedReply)
