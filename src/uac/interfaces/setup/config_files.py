"""One change of an agent's configuration file: planned, written at once, and undone exactly.

A note of each change is kept beside the default store: where the file differs, not the file itself, which may hold
keys. A file that nobody has changed since gets its old bytes back; otherwise only the entry is taken out.
"""

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from uac.errors import Refused
from uac.interfaces.setup.agents import Agent
from uac.interfaces.setup.json_edits import read_json, remove_json_member, set_json_member
from uac.interfaces.setup.toml_edits import read_toml, remove_toml_table, set_toml_table

__all__ = ["ConfigChange", "plan_setup", "plan_undo", "read_entry", "write_change"]

MOST_BYTES = 50_000_000


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """What a file is and what it will be; None: no file."""

    agent: Agent
    file: Path
    name: str
    before: str | None
    after: str | None

    @property
    def is_needed(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class _Note:
    """Where a file was changed: it has this digest now, and `inserted` at `start` stands for `removed`."""

    file: str
    name: str
    digest: str
    start: int
    removed: str
    inserted: str
    existed: bool
    made_folder: str = ""


def read_entry(agent: Agent, file: Path, name: str) -> object:
    """The entry of that name in a file; None if there is none."""
    servers = _value(agent, _read_text(file) or "", file).get(agent.servers)
    return servers.get(name) if isinstance(servers, dict) else None


def plan_setup(agent: Agent, file: Path, name: str, entry: Mapping[str, Any]) -> ConfigChange:
    """The change that adds or replaces one entry, and nothing else."""
    before = _read_text(file)
    if read_entry(agent, file, name) == entry:
        return ConfigChange(agent, file, name, before, before)
    change = set_toml_table if agent.form == "toml" else set_json_member
    after = _changed(file, lambda: change(before or "", agent.path(name), entry))
    wanted = _value(agent, before or "", file)
    servers = wanted.get(agent.servers)
    wanted[agent.servers] = {**(servers if isinstance(servers, dict) else {}), name: dict(entry)}
    _check_rest(agent, file, after, wanted)
    return ConfigChange(agent, file, name, before, after)


def plan_undo(agent: Agent, file: Path, name: str, *, notes: Path) -> ConfigChange:
    """The change that takes the entry out again: to the bytes of before, if nobody has changed the file since."""
    before = _read_text(file)
    if before is None:
        return ConfigChange(agent, file, name, None, None)
    note = next((each for each in _read_notes(notes) if (each.file, each.name) == (str(file), name)), None)
    if note is not None and note.digest == _digest(before):
        old = before[: note.start] + note.removed + before[note.start + len(note.inserted) :]
        return ConfigChange(agent, file, name, before, old if note.existed else None)
    if read_entry(agent, file, name) is None:
        return ConfigChange(agent, file, name, before, before)
    change = remove_toml_table if agent.form == "toml" else remove_json_member
    after = _changed(file, lambda: change(before, agent.path(name)))
    wanted = _value(agent, before, file)
    del wanted[agent.servers][name]
    _check_rest(agent, file, after, wanted)
    return ConfigChange(agent, file, name, before, after)


def write_change(change: ConfigChange, *, notes: Path, is_undo: bool = False) -> None:
    """Write the file at once, and note how to undo it. Refused if the file has changed since the plan."""
    if _read_text(change.file) != change.before:
        raise Refused(f"{change.file} has changed in the meantime. Nothing was written; run the command again.")
    others = [each for each in _read_notes(notes) if (each.file, each.name) != (str(change.file), change.name)]
    noted = next((each for each in _read_notes(notes) if each not in others), None)
    try:
        if change.after is None:
            change.file.unlink()
            _remove_made_folders(change.file.parent, noted.made_folder if noted else "")
        else:
            made = _missing_folder(change.file.parent)
            _replace_file(change.file, change.after)
    except OSError as error:
        raise Refused(f"{change.file} cannot be written: {error.strerror}. Check its permissions.") from None
    if is_undo or change.after is None:
        _write_notes(notes, others)
        return
    # A second change keeps the note of the first: undoing goes back to the file as it was found.
    base = change.before if noted is None or noted.digest != _digest(change.before or "") else _undone(change, noted)
    existed = change.before is not None if base is change.before else bool(noted and noted.existed)
    folder = noted.made_folder if noted is not None and base is not change.before else made
    _write_notes(notes, [*others, _note(change, base or "", existed=existed, made_folder=folder)])


def _undone(change: ConfigChange, note: _Note) -> str:
    text = change.before or ""
    return text[: note.start] + note.removed + text[note.start + len(note.inserted) :]


def _note(change: ConfigChange, base: str, *, existed: bool, made_folder: str) -> _Note:
    after = change.after or ""
    start = _common_length(base, after)
    end = _common_length(base[start:][::-1], after[start:][::-1])
    removed, inserted = base[start : len(base) - end], after[start : len(after) - end]
    return _Note(str(change.file), change.name, _digest(after), start, removed, inserted, existed, made_folder)


def _common_length(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))


def _read_text(file: Path) -> str | None:
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}. Check its path and permissions.") from None
    if len(data) > MOST_BYTES:
        raise Refused(f"{file} has {len(data):,} bytes, which is no configuration. Check the file.")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Refused(f"{file}: byte {error.start} is not UTF-8. Save the file as UTF-8.") from None


def _value(agent: Agent, text: str, file: Path) -> dict[str, Any]:
    value = _changed(file, lambda: (read_toml if agent.form == "toml" else read_json)(text))
    if not isinstance(value, dict):
        raise Refused(f"{file}: it is not an object of settings. Nothing was changed; check the file.")
    return value


def _changed(file: Path, read: Any) -> Any:
    """What `read` gives; its refusals name the file."""
    try:
        return read()
    except Refused as error:
        raise Refused(f"{file}: {error}. Nothing was changed; repair the file first.") from None


def _check_rest(agent: Agent, file: Path, after: str, wanted: Mapping[str, Any]) -> None:
    """Refuse a change that would alter anything else: the file is written in a way that this does not understand."""
    try:
        got = (read_toml if agent.form == "toml" else read_json)(after)
    except Refused:
        got = None
    empty = {key: value for key, value in wanted.items() if value != {}}  # an empty table of TOML leaves no trace
    if got != wanted and not (agent.form == "toml" and got == empty):
        raise Refused(
            f"{file}: {agent.servers} is written in a way that cannot be changed safely. Nothing was changed;"
            " 'uac setup … --dry-run --json' prints the entry to add by hand."
        )


def _replace_file(file: Path, text: str) -> None:
    target = file.resolve() if file.is_symlink() else file  # a link into a folder of dotfiles stays one
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o7777 if target.exists() else 0o600
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(text.encode())
            stream.flush()
            os.fsync(stream.fileno())
        Path(draft).chmod(mode)
        Path(draft).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(draft).unlink()
        raise


def _missing_folder(folder: Path) -> str:
    """The highest folder that has to be made; "" if none has."""
    missing = ""
    while not folder.exists():
        missing, folder = str(folder), folder.parent
    return missing


def _remove_made_folders(folder: Path, highest: str) -> None:
    while highest and folder.is_relative_to(highest):
        try:
            folder.rmdir()
        except OSError:  # somebody uses it by now
            return
        folder = folder.parent


def _read_notes(notes: Path) -> list[_Note]:
    try:
        return [_Note(**each) for each in json.loads(notes.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        return []  # without a note, undoing takes the entry out and leaves the rest


def _write_notes(notes: Path, left: list[_Note]) -> None:
    if not left:
        with suppress(OSError):
            notes.unlink()
        return
    try:
        notes.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _replace_file(notes, json.dumps([asdict(each) for each in left], indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        raise Refused(
            f"{notes} cannot be written: {error.strerror}. The configuration is changed; --undo will take out the"
            " entry alone."
        ) from None


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
