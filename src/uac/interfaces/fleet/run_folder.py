"""The folder of a run: what was asked, of whom, and the parts that are done. A run that was interrupted goes on here.

A part is written to another name and moved into place, so that it is whole or absent. The folder holds what users'
memories hold, so that only its owner may read it.
"""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import msgspec

from uac.errors import Refused, Unavailable
from uac.interfaces.fleet.jobs import Job, Part
from uac.interfaces.fleet.partition import Question

__all__ = ["USERS_PER_PART", "RunFolder", "RunRecord", "split_users"]

FORM = 1
USERS_PER_PART = 500


class RunRecord(msgspec.Struct, frozen=True):
    """A run: its job, without the store's password, how its users were chosen, and a digest of who they are."""

    job: Job
    selection: str
    users: int
    digest: str
    size: int = USERS_PER_PART
    form: int = FORM


def split_users(users: Sequence[str], size: int) -> list[Sequence[str]]:
    """The parts of a run: the same users always give the same parts."""
    return [users[start : start + size] for start in range(0, len(users), size)]


class RunFolder:
    """A folder with a record, the users, and the results by part; `results.jsonl` once all parts are done."""

    def __init__(self, folder: Path, record: RunRecord, users: Sequence[str]) -> None:
        self.folder = folder
        self.record = record
        self.users = users
        self.parts = split_users(users, record.size)

    @classmethod
    def open(cls, folder: Path, job: Job, selection: str, users: Sequence[str], size: int) -> "RunFolder":
        """The folder of this run: a new one, or one that was interrupted, with its users and its time.

        Refused if the folder is of another run, or holds something else.
        """
        try:
            if (folder / "run.json").exists():
                return cls._resume(folder, job, selection)
            if folder.exists() and any(folder.iterdir()):
                raise Refused(f"--out: {folder} is not empty and is not the folder of a run. Use another folder.")
            return cls._create(folder, RunRecord(job, selection, len(users), _digest(users), size), users)
        except OSError as error:
            raise Unavailable(f"--out: {folder} cannot be used: {error.strerror}. Check its permissions.") from None

    @classmethod
    def _create(cls, folder: Path, record: RunRecord, users: Sequence[str]) -> "RunFolder":
        (folder / "parts").mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        _write_whole(folder / "users.jsonl", b"".join(f"{json.dumps(user)}\n".encode() for user in users))
        _write_whole(folder / "run.json", msgspec.json.format(msgspec.json.encode(record)) + b"\n")  # last: it is whole
        return cls(folder, record, users)

    @classmethod
    def _resume(cls, folder: Path, job: Job, selection: str) -> "RunFolder":
        try:
            record = msgspec.json.decode((folder / "run.json").read_bytes(), type=RunRecord)
            users = [json.loads(line) for line in (folder / "users.jsonl").read_bytes().splitlines()]
        except (msgspec.MsgspecError, ValueError):
            raise Refused(f"--out: {folder} is not the folder of a run of this version. Use another folder.") from None
        if (record.form, record.users, record.digest) != (FORM, len(users), _digest(users)):
            raise Refused(f"--out: The users in {folder} are not those of its run. Use another folder.")
        if _without_time(record.job) != _without_time(job) or record.selection != selection:
            raise Refused(
                f"--out: {folder} is the folder of another run. Ask the same of the same users, or use another."
            )
        return cls(folder, record, users)

    @property
    def results(self) -> Path:
        return self.folder / "results.jsonl"

    @property
    def is_complete(self) -> bool:
        return self.results.exists() or (self.folder / "report.json").exists()

    def done(self) -> Iterator[Part]:
        """The parts that are done, in their order. One that is not whole is not among them."""
        for number, users in enumerate(self.parts):
            try:
                lines = self._path(number).read_bytes()
            except FileNotFoundError:
                continue
            if _users_of(lines) == [*users]:
                yield Part(number, lines)

    def keep(self, part: Part) -> None:
        _write_whole(self._path(part.number), part.lines)

    def finish(self) -> None:
        """Join the parts. From now on the run is complete, and its parts are gone."""
        partial = self.folder / "results.partial"
        with _private_file(partial) as file:
            for number in range(len(self.parts)):
                file.write(self._path(number).read_bytes())
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self.results)
        self.drop_parts()

    def keep_report(self, report: bytes) -> None:
        """Keep a report and remove what it was made of: the answers of single users."""
        _write_whole(self.folder / "report.json", report + b"\n")
        self.results.unlink(missing_ok=True)

    def drop_parts(self) -> None:
        shutil.rmtree(self.folder / "parts", ignore_errors=True)

    def _path(self, number: int) -> Path:
        return self.folder / "parts" / f"{number:07}.jsonl"


def _without_time(job: Job) -> Job:
    """The job without what may differ when it is resumed: the time is that of the first start."""
    task = msgspec.structs.replace(job.task, now=None) if isinstance(job.task, Question) else job.task
    return msgspec.structs.replace(job, task=task, at=None)


def _users_of(lines: bytes) -> list[str] | None:
    """The users of the lines; None if a line is damaged."""
    try:
        return [json.loads(line)["user"] for line in lines.splitlines()]
    except (ValueError, KeyError, TypeError):
        return None


def _digest(users: Sequence[str]) -> str:
    return sha256("\n".join(users).encode()).hexdigest()


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file whole and durably, or not at all."""
    partial = path.with_name(f"{path.name}.partial")
    with _private_file(partial) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def _private_file(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")
