"""Markdown notes, such as an Obsidian vault: each file is a document with its path and its own date."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, tzinfo
from pathlib import Path, PurePosixPath

from uac.errors import Refused
from uac.importing.archives import ArchiveFile, FolderFile, list_archive
from uac.importing.files import TOO_LONG, BadLine, Progress, Skipped, check_file_start, decode_line
from uac.importing.message_files import MessageItem, MessageOptions, ReadMessage, digest_key
from uac.schema.entries import MAX_BYTES, Observation

__all__ = ["ENDINGS", "read_markdown"]

ENDINGS = (".md", ".markdown")
DATE_NAMES = ("date", "created", "created_at", "created-at", "date created", "creation date", "updated", "modified")

_DAY_IN_NAME = re.compile(r"(?<!\d)((?:19|20)\d\d)([-_.]?)(\d\d)\2(\d\d)(?!\d)")


def read_markdown(path: Path, options: MessageOptions, progress: Progress) -> Iterator[MessageItem]:
    """The notes of a folder, a zip archive or one file, in the order of their paths."""
    is_many = path.is_dir() or path.suffix.lower() == ".zip"
    files: Iterable[ArchiveFile] = [FolderFile(path, path.name)]
    if is_many:
        files = (file for file in list_archive(path) if file.name.lower().endswith(ENDINGS))
    for number, file in enumerate(files, 1):
        try:
            yield _read_note(file, number, options, progress)
        except (Refused, ValueError) as error:
            yield BadLine(number, f"{file.name}: {str(error).removeprefix(f'{file.name}: ')}")


def _read_note(file: ArchiveFile, number: int, options: MessageOptions, progress: Progress) -> MessageItem:
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES)
    except OSError as error:
        raise Refused(f"cannot be read: {error.strerror}. Check its permissions.") from None
    progress(len(data))
    if len(data) == MAX_BYTES:
        raise ValueError(TOO_LONG)
    check_file_start(file, data)
    text = decode_line(data.removeprefix(b"\xef\xbb\xbf"), file, 0, 1).replace("\r\n", "\n")
    if not text.strip():
        return Skipped(number, "empty note")
    said = _date_of_note(text, options.zone or UTC, has_zone=options.zone is not None)
    said = said or _date_in_name(file.name, options.zone or UTC) or options.written
    if said is None:
        raise ValueError("has no date in its front matter or name. Add one, or use --written.")
    observation = Observation(
        text=text,
        said=said,
        role="document",
        speaker=file.name,
        session=f"notes:{file.name}",
        source=f"import:{file.name}",
        key=digest_key("markdown", file.name, said.isoformat(), text),
    )
    return ReadMessage(number, observation)


def _date_of_note(text: str, zone: tzinfo, *, has_zone: bool) -> datetime | None:
    """The first date of the front matter, by the order of `DATE_NAMES`. Raises ValueError if it is not a date."""
    head, end, _body = text.removeprefix("---\n").partition("\n---")
    if not text.startswith("---\n") or not end:
        return None
    lines = (line.partition(":") for line in head.split("\n") if not line.startswith(" "))
    properties = {name.strip().lower(): value.strip(" \t\"'[]") for name, _colon, value in lines}
    value = next((properties[name] for name in DATE_NAMES if properties.get(name)), "")
    if not value:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(f"has the date {value!r} in its front matter. Use one such as 2024-12-31.") from None
    if moment.tzinfo is None and len(value) > len("2024-12-31") and not has_zone:
        raise ValueError(f"has the time {value!r} without a zone. Use --zone.")
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _date_in_name(name: str, zone: tzinfo) -> datetime | None:
    for found in _DAY_IN_NAME.finditer(PurePosixPath(name).stem):
        try:
            day = date(int(found[1]), int(found[3]), int(found[4]))
        except ValueError:
            continue
        return datetime.combine(day, time(), zone)
    return None
