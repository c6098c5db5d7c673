"""An address decides the kind of store; the default one is in the user's data folder."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from uac.errors import NoStore, Refused, Unavailable
from uac.log.stores import default_address, open_store
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.sqlite import SqliteStore
from uac.testing.store import store_turn

NOW = datetime(2027, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("address", ["memory:", ":memory:"])
def test_a_store_in_memory_starts_empty_each_time(address: str) -> None:
    first, second = open_store(address, clock=lambda: NOW), open_store(address, create=False)
    assert isinstance(first, MemoryStore)
    first.log("ana").append([store_turn("hello")])
    assert [stored.at for stored in first.log("ana").read()] == [NOW]
    assert second.users() == ()


def test_a_path_and_a_url_of_sqlite_open_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = open_store(path, clock=lambda: NOW)
    assert isinstance(store, SqliteStore)
    store.log("ana").append([store_turn("hello")])
    store.close()
    for address in (str(path), f"sqlite:///{path}"):
        store = open_store(address, create=False)
        assert (store.address, [stored.at for stored in store.log("ana").read()]) == (str(path), [NOW])
        store.close()


def test_a_path_may_begin_with_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for address in ("~/memory.db", "sqlite:///~/memory.db"):
        store = open_store(address)
        assert store.address == str(tmp_path / "memory.db")
        store.close()


@pytest.mark.parametrize("address", ["{folder}/memory.db", "sqlite:///{folder}/memory.db"])
def test_a_missing_file_is_not_created_unless_that_was_asked_for(tmp_path: Path, address: str) -> None:
    with pytest.raises(NoStore, match="There is no store at"):
        open_store(address.format(folder=tmp_path), create=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_a_url_of_postgresql_goes_to_its_server(tmp_path: Path, scheme: str) -> None:
    address = f"{scheme}://ana:secret@/memory?host={tmp_path}"
    with pytest.raises(Unavailable, match=r"^postgresql://ana@/memory\?host=\S+ cannot be reached") as failed:
        open_store(address)
    assert "secret" not in str(failed.value)


@pytest.mark.parametrize("address", ["mysql://host/base", "redis://host", "sqlite:/memory.db", "s3+x://bucket/key"])
def test_an_unknown_kind_of_store_is_refused(address: str) -> None:
    scheme = address.partition(":")[0]
    with pytest.raises(Refused) as failed:
        open_store(address)
    assert str(failed.value) == (
        f"store: '{scheme}' is not a kind of store. Use a path, sqlite:///path or postgresql://host/database."
    )


@pytest.mark.parametrize("address", ["", "sqlite:///"])
def test_an_empty_address_is_refused(address: str) -> None:
    with pytest.raises(Refused, match=r"^store: The address is empty\. Use a path"):
        open_store(address)


@pytest.mark.parametrize(
    ("settings", "address"),
    [
        ({"UAC_STORE": "postgresql://host/base", "XDG_DATA_HOME": "/data"}, "postgresql://host/base"),
        ({"UAC_STORE": "", "XDG_DATA_HOME": "/data"}, "/data/uac/memory.db"),
        ({"XDG_DATA_HOME": "relative/folder"}, "/home/ana/.local/share/uac/memory.db"),
        ({"XDG_DATA_HOME": ""}, "/home/ana/.local/share/uac/memory.db"),
        ({}, "/home/ana/.local/share/uac/memory.db"),
    ],
)
def test_the_default_address_comes_from_the_settings_or_is_in_the_data_folder(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], address: str
) -> None:
    monkeypatch.setenv("HOME", "/home/ana")
    for name in ("UAC_STORE", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert default_address() == address
