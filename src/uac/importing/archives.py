"""The files of a folder or a zip archive, sorted by name. Nothing is unpacked, and no link is followed."""

import io
import os
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias
from zipfile import BadZipFile, ZipFile, ZipInfo

from uac.errors import Refused

__all__ = ["ArchiveFile", "FolderFile", "ZipMember", "list_archive", "title_of"]

MAX_FILES = 200_000
MAX_MEMBER = 1 << 30  # bytes of one unpacked file
MAX_RATIO = 200  # unpacked to packed size; text comes to some 20
SMALL = 1 << 20  # a file that may be packed more tightly


@dataclass(frozen=True, slots=True)
class FolderFile:
    """A file in a folder, named by its path there."""

    path: Path
    name: str

    def open(self, mode: Literal["rb"], /) -> BinaryIO:
        return self.path.open(mode)


@dataclass(frozen=True, slots=True)
class ZipMember:
    """A file in a zip archive, read from the archive each time."""

    archive: Path
    name: str

    def open(self, _mode: Literal["rb"], /) -> BinaryIO:
        with _open_zip(self.archive) as archive:
            member = archive.getinfo(self.name)
            _check_member(self.archive, member)
            return io.BufferedReader(_MemberStream(self.archive, self.name, archive))


ArchiveFile: TypeAlias = FolderFile | ZipMember


def list_archive(path: Path) -> list[ArchiveFile]:
    """All files, without hidden ones and those in hidden folders. Raises Refused if one of them is a link."""
    files: list[ArchiveFile] = list(_list_folder(path) if path.is_dir() else _list_zip(path))
    return sorted(files, key=lambda file: file.name)


def title_of(path: Path) -> str:
    """The name of a file or folder without its ending and the number of a copy: `Chat (2).zip` is `Chat`."""
    stem = path.absolute().name if path.is_dir() else path.stem
    name, _space, number = stem.rpartition(" ")
    return name if name and number.startswith("(") and number.endswith(")") and number[1:-1].isdigit() else stem


def _list_folder(folder: Path) -> Iterator[FolderFile]:
    count = 0
    for place, folders, names in os.walk(folder, onerror=_refuse_folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted((*folders, *names)):
            path = Path(place, name)
            if name.startswith("."):
                continue
            if path.is_symlink():
                raise Refused(f"{path} is a symbolic link. Replace it with the file, or remove it.")
            if path.is_file():
                count += 1
                if count > MAX_FILES:
                    raise Refused(f"{folder} has more than {MAX_FILES:,} files. Import its parts.")
                yield FolderFile(path, path.relative_to(folder).as_posix())


def _refuse_folder(error: OSError) -> None:
    raise Refused(f"{error.filename} cannot be read: {error.strerror}. Check its path and permissions.") from None


def _list_zip(path: Path) -> Iterator[ZipMember]:
    with _open_zip(path) as archive:
        members = archive.infolist()
        names = {member.filename for member in members}
        if len(members) > MAX_FILES:
            raise Refused(f"{path.name} has more than {MAX_FILES:,} files. Import its parts.")
        if len(names) != len(members):
            raise Refused(f"{path.name} has two files of one name. Pack it again.")
        for member in members:
            if stat.S_ISLNK(member.external_attr >> 16):
                raise Refused(f"{path.name}: {member.filename!r} is a symbolic link. Pack the file in its place.")
            is_hidden = any(part.startswith(".") for part in member.filename.split("/"))
            if not member.is_dir() and not is_hidden:
                yield ZipMember(path, member.filename)


def _open_zip(path: Path) -> ZipFile:
    try:
        return ZipFile(path)
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}. Check its path and permissions.") from None
    except (BadZipFile, ValueError, NotImplementedError) as error:
        raise Refused(f"{path.name} is not a usable zip archive: {error}. Export it again.") from None


def _check_member(path: Path, member: ZipInfo) -> None:
    if member.flag_bits & 1:
        raise Refused(f"{path.name}: {member.filename!r} is encrypted. Pack it without a password.")
    if member.file_size > MAX_MEMBER:
        raise Refused(f"{path.name}: {member.filename!r} has more than {MAX_MEMBER >> 30} GiB. Split it.")
    if member.file_size > SMALL and member.file_size > MAX_RATIO * member.compress_size:
        raise Refused(
            f"{path.name}: {member.filename!r} unpacks to more than {MAX_RATIO} times its size, as a zip bomb does. "
            "Unpack it yourself, if you trust it."
        )


class _MemberStream(io.RawIOBase):
    """The unpacked bytes of a member: never more than its header says, and Refused if they are damaged."""

    def __init__(self, path: Path, name: str, archive: ZipFile) -> None:
        self._path = path
        self._name = name
        try:
            self._stream = archive.open(name)
        except (BadZipFile, NotImplementedError, RuntimeError) as error:
            raise self._refusal(error) from None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer)
        try:
            data = self._stream.read(len(view))
        except (BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise self._refusal(error) from None
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed and hasattr(self, "_stream"):
            self._stream.close()
        super().close()

    def _refusal(self, error: Exception) -> Refused:
        return Refused(f"{self._path.name}: {self._name!r} is damaged: {error}. Export it again.")
