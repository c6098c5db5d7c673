"""Files that are not whole backups are refused, wherever they were cut or altered, and nothing is written."""

import struct
import subprocess
import sys
import zlib
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from uac.errors import Damaged, NewerFormat, Refused, UacError, Unavailable
from uac.log.backups import check_backup, restore_backup, write_backup
from uac.log.stores.in_memory import MemoryStore
from uac.schema.constraints import Knowledge
from uac.schema.entries import Checkpoint
from uac.schema.patches import Learn
from uac.testing.store import store_pack, store_turn

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RIGHT = "correct horse"


@pytest.fixture(autouse=True)
def cheap_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uac.log.backup_cipher.COST", 2)


def written(path: Path, passphrase: str = "") -> bytes:
    store = MemoryStore()
    store.own().append([store_turn("a key was made")])
    for user in ("ana", "ben"):
        store.log(user).append([store_turn("I am allergic to penicillin", key="k"), store_pack(1)])
    store.log("ana").erase([1], why="asked")
    store.log("gone").append([store_turn("x", key="x")])
    store.erase("gone")
    write_backup(store, path, created=NOON, passphrase=passphrase, replace=True)
    return path.read_bytes()


@pytest.mark.parametrize("passphrase", ["", "right"])
def test_a_file_that_was_cut_anywhere_is_refused(tmp_path: Path, passphrase: str) -> None:
    path = tmp_path / "backup"
    data = written(path, passphrase)
    for end in range(0, len(data), 7):
        path.write_bytes(data[:end])
        with pytest.raises((Damaged, Refused), match=r"cut|is not a backup"):
            restore_backup(MemoryStore(), path, passphrase=passphrase)


@pytest.mark.parametrize("passphrase", ["", "right"])
def test_a_file_that_was_altered_anywhere_is_refused_and_nothing_is_written(tmp_path: Path, passphrase: str) -> None:
    path = tmp_path / "backup"
    data = written(path, passphrase)
    store = MemoryStore()
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x41]) + data[place + 1 :])
        with pytest.raises((Damaged, Refused, NewerFormat)):
            restore_backup(store, path, passphrase=passphrase)
    for longer in (data + b"x", data + data):
        path.write_bytes(longer)
        with pytest.raises(Damaged, match="altered"):
            restore_backup(store, path, passphrase=passphrase)
    assert store.users() == ()


def test_an_encrypted_file_has_no_readable_words_and_needs_the_passphrase(tmp_path: Path) -> None:
    path = tmp_path / "backup"
    assert b"penicillin" in plain_frames(written(path))
    data = written(path, RIGHT)
    for word in (b"penicillin", b"ana", zlib.compress(b"ana")[2:-4]):
        assert word not in data
    with pytest.raises(Refused, match="passphrase is wrong"):
        check_backup(path, passphrase=RIGHT[:-1])
    with pytest.raises(Refused, match="passphrase is empty"):
        check_backup(path)
    assert [log.user for log in check_backup(path, passphrase=RIGHT).logs] == ["", "ana", "ben"]


def test_frames_of_an_encrypted_file_cannot_change_places(tmp_path: Path) -> None:
    path = tmp_path / "backup"
    data = written(path, RIGHT)
    start = data.index(b"\n") + 18
    frames = split_frames(data[start:])
    for index in range(1, len(frames) - 1):
        swapped = [*frames[:index], frames[index + 1], frames[index], *frames[index + 2 :]]
        path.write_bytes(data[:start] + b"".join(swapped))
        with pytest.raises(Damaged, match=f"frame {index} cannot be decrypted"):
            check_backup(path, passphrase=RIGHT)


def test_a_file_whose_checksum_was_made_again_is_refused_by_the_chain(tmp_path: Path) -> None:
    path = tmp_path / "backup"
    data = written(path)
    start = data.index(b"\n") + 1
    frames = [msgspec.msgpack.decode(zlib.decompress(frame[4:])) for frame in split_frames(data[start:])]
    for frame in frames:
        if frame["type"] == "rows":
            frame["rows"] = [[*row[:4], row[4].replace("allergic", "immune"), *row[5:]] for row in frame["rows"]]
    path.write_bytes(data[:start] + forged_frames(frames))
    with pytest.raises(Damaged, match="altered: ben: entry 1 does not match its digest"):
        check_backup(path)


def test_a_newer_form_and_other_files_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "backup"
    path.write_bytes(b"uac backup 2\n")
    with pytest.raises(NewerFormat, match="newer version"):
        check_backup(path)
    path.write_bytes(b"SQLite format 3\0")
    with pytest.raises(Refused, match="is not a backup"):
        check_backup(path)
    with pytest.raises(Refused, match="cannot be read: No such file"):
        check_backup(tmp_path / "none")


def test_a_backup_that_fails_leaves_no_file(tmp_path: Path) -> None:
    store = MemoryStore()
    store.log("ana").append([store_turn("hello")])

    def fail(_name: str, _entries: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_backup(store, tmp_path / "backup", created=NOON, progress=fail)
    assert [*tmp_path.iterdir()] == []
    with pytest.raises(Unavailable, match="cannot be written"):
        write_backup(store, tmp_path / "missing" / "backup", created=NOON)


def test_a_backup_can_be_read_by_its_owner_only(tmp_path: Path) -> None:
    written(tmp_path / "backup")
    assert (tmp_path / "backup").stat().st_mode & 0o777 == 0o600


def test_what_packs_bring_is_in_the_file_once(tmp_path: Path) -> None:
    table = {f"row {number}": sha256(bytes([number])).hexdigest() for number in range(100)}
    knowledge = Knowledge.of(table, name="food.pairs", version="1", date="2026", source="ours", note="few")
    store, sizes = MemoryStore(), []
    for user in ("ana", "ben"):
        store.log(user).append([store_turn("hello"), Checkpoint(patches=(Learn(knowledge=knowledge),))])
        write_backup(store, tmp_path / user, created=NOON)
        sizes.append((tmp_path / user).stat().st_size)
    assert sizes[0] > 3000, "digests hardly compress"
    assert sizes[1] - sizes[0] < 1000
    restored = MemoryStore()
    restore_backup(restored, tmp_path / "ben")
    assert [*restored.log("ben").read_rows()] == [*store.log("ben").read_rows()]


def test_without_the_package_an_encrypted_backup_says_how_to_install_it(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['cryptography.hazmat.primitives.kdf.scrypt'] = None\n"
        "from uac.log.backup_cipher import *\n"
        "frame_cipher('x', new_key_parameters())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert "pip install 'user-as-code[backup]'" in done.stderr


def test_errors_are_of_this_package(tmp_path: Path) -> None:
    path = tmp_path / "backup"
    for frame in (b"", b"\x93", zlib.compress(b"\x93"), zlib.compress(msgspec.msgpack.encode({"type": "other"}))):
        path.write_bytes(b"uac backup 1\n" + struct.pack(">I", len(frame)) + frame)
        with pytest.raises(UacError):
            check_backup(path)


def split_frames(data: bytes) -> list[bytes]:
    frames: list[bytes] = []
    while data:
        end = 4 + int.from_bytes(data[:4], "big")
        frames.append(data[:end])
        data = data[end:]
    return frames


def plain_frames(data: bytes) -> bytes:
    return b"".join(zlib.decompress(frame[4:]) for frame in split_frames(data[data.index(b"\n") + 1 :]))


def forged_frames(frames: list[dict[str, object]]) -> bytes:
    done = b""
    for frame in frames:
        if frame["type"] == "end":
            frame["checksum"] = sha256(done).digest()
        packed = zlib.compress(msgspec.msgpack.encode(frame))
        done += struct.pack(">I", len(packed)) + packed
    return done
