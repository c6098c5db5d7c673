"""Folders and zip archives that must not be trusted."""

import zipfile
from pathlib import Path

import pytest

from uac.errors import Refused
from uac.importing import archives as archives_module
from uac.importing.archives import list_archive, title_of


def packed(path: Path, *names: str, content: bytes = b"Hello") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, content)
    return path


def test_files_are_sorted_by_name_and_hidden_ones_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    for name in ("b/c.md", "a.md", ".git/x.md", "b/.hidden.md", "B.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    archive = packed(tmp_path / "a.zip", "b/c.md", ".git/x.md", "a.md", "b/.hidden.md", "B.md")
    assert [file.name for file in list_archive(folder)] == ["B.md", "a.md", "b/c.md"]
    assert [file.name for file in list_archive(archive)] == ["B.md", "a.md", "b/c.md"]


@pytest.mark.parametrize("target", ["/etc/passwd", "folder"])
def test_a_symbolic_link_in_a_folder_is_refused(target: str, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (tmp_path / "folder").mkdir()
    (notes / "a.md").symlink_to(tmp_path / target)
    with pytest.raises(Refused, match="is a symbolic link"):
        list_archive(notes)


def test_a_symbolic_link_in_an_archive_is_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("a.md")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(Refused, match=r"'a.md' is a symbolic link"):
        list_archive(tmp_path / "a.zip")


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    (bomb,) = list_archive(packed(tmp_path / "a.zip", "a.md", content=b"\0" * (4 << 20)))
    with pytest.raises(Refused, match="as a zip bomb does"):
        bomb.open("rb")


def test_a_member_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives_module, "MAX_MEMBER", 4)
    (file,) = list_archive(packed(tmp_path / "a.zip", "a.md"))
    with pytest.raises(Refused, match="Split it"):
        file.open("rb")


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", "a.md")
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    (file,) = list_archive(path)
    with pytest.raises(Refused, match="is encrypted"):
        file.open("rb")


def test_damaged_bytes_are_refused_when_they_are_read(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", "a.md", content=b"Hello " * 50)
    data = bytearray(path.read_bytes())
    start = data.index(b"a.md") + 4
    data[start : start + 4] = b"\xff\xff\xff\xff"
    path.write_bytes(data)
    (file,) = list_archive(path)
    with file.open("rb") as stream, pytest.raises(Refused, match="is damaged"):
        stream.read()


def test_an_archive_that_is_none_or_has_too_many_or_equal_names_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no.zip").write_bytes(b"PK\x03\x04 and nothing")
    with pytest.raises(Refused, match="is not a usable zip archive"):
        list_archive(tmp_path / "no.zip")
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = packed(tmp_path / "twice.zip", "a.md", "a.md")
    with pytest.raises(Refused, match="two files of one name"):
        list_archive(twice)
    monkeypatch.setattr(archives_module, "MAX_FILES", 1)
    with pytest.raises(Refused, match="more than 1 files"):
        list_archive(packed(tmp_path / "many.zip", "a.md", "b.md"))
    (tmp_path / "folder").mkdir()
    for name in ("a.md", "b.md"):
        (tmp_path / "folder" / name).write_text("Hello")
    with pytest.raises(Refused, match="more than 1 files"):
        list_archive(tmp_path / "folder")


@pytest.mark.parametrize(
    ("name", "title"),
    [("Chat.zip", "Chat"), ("Chat (2).zip", "Chat"), ("Chat (Ben).txt", "Chat (Ben)"), ("(2).txt", "(2)")],
)
def test_a_copy_has_the_title_of_the_original(name: str, title: str) -> None:
    assert title_of(Path(name)) == title
