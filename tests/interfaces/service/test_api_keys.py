"""Keys: made, found, revoked, expired; whom they reach; and what of them is kept."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from support.http_service import app_over, make_key
from uac.errors import Refused
from uac.interfaces.cli import main
from uac.interfaces.service.api_keys import MOST, RIGHTS, Key, Keyring, Right
from uac.interfaces.service.tenants import check_tenant, store_user_id
from uac.log.store import check_user
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.sqlite import SqliteStore

START = datetime(2026, 3, 2, 12, tzinfo=UTC)


def is_user(text: str) -> bool:
    try:
        return check_user(text) == text
    except Refused:
        return False


tenants = st.one_of(st.just(""), st.from_regex(r"[a-z0-9][a-z0-9._-]{0,5}", fullmatch=True))
users = st.text(min_size=1, max_size=6).filter(is_user)
rights = st.lists(st.sampled_from(RIGHTS), min_size=1, unique=True)


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


class KeyringMachine(RuleBasedStateMachine):
    """Two keyrings on one store, as two processes have them, beside a model of what is good."""

    texts = Bundle("texts")

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        own = MemoryStore(clock=self.clock).own()
        self.rings = (Keyring(own, self.clock), Keyring(own, self.clock))
        self.known: dict[str, Key] = {}
        self.revoked: set[str] = set()

    @rule(target=texts, ring=st.sampled_from((0, 1)), tenant=tenants, chosen=rights, hours=st.integers(0, 50))
    def create(self, ring: int, tenant: str, chosen: list[Right], hours: int) -> str:
        expires = self.clock.now + timedelta(hours=hours) if hours else None
        key, text = self.rings[ring].create_key("a name", tenant=tenant, rights=chosen, expires=expires)
        assert text not in self.known
        assert set(key.rights) == set(chosen)
        self.known[text] = key
        return text

    @rule(ring=st.sampled_from((0, 1)), text=texts)
    def revoke(self, ring: int, text: str) -> None:
        assert self.rings[ring].revoke_key(self.known[text].id).revoked is not None
        self.revoked.add(text)

    @rule(hours=st.integers(1, 30))
    def wait(self, hours: int) -> None:
        self.clock.now += timedelta(hours=hours)

    @invariant()
    def a_text_opens_as_long_as_it_is_neither_revoked_nor_expired_for_every_process(self) -> None:
        for text, key in self.known.items():
            is_good = text not in self.revoked and (key.expires is None or self.clock.now < key.expires)
            assert [ring.find_key(text) for ring in self.rings] == [key if is_good else None] * 2

    @invariant()
    def all_keys_are_listed_in_the_order_in_which_they_were_made(self) -> None:
        for ring in self.rings:
            assert [key.id for key in ring.all_keys()] == [key.id for key in self.known.values()]


KeyringMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)
TestKeyringMachine = KeyringMachine.TestCase


@given(st.integers(0, 59), st.sampled_from("abz019_-AZ \n./é"))
def test_a_text_that_is_changed_anywhere_opens_nothing(place: int, other: str) -> None:
    keyring = Keyring(MemoryStore().own(), lambda: START)
    _key, text = keyring.create_key("mine")
    assert len(text) == 60
    changed = other if text[place] != other else "."
    assert keyring.find_key(text[:place] + changed + text[place + 1 :]) is None


@given(st.text())
def test_no_other_text_opens_anything(text: str) -> None:
    keyring = Keyring(MemoryStore().own(), lambda: START)
    keyring.create_key("mine")
    assert keyring.find_key(text) is None


def test_the_secret_of_one_key_does_not_open_another() -> None:
    keyring = Keyring(MemoryStore().own(), lambda: START)
    (one, first), (two, second) = keyring.create_key("one"), keyring.create_key("two")
    assert keyring.find_key(first.replace(one.id, two.id)) is None
    assert keyring.find_key(second.replace(two.id, one.id)) is None


def test_the_secret_is_nowhere_in_the_store(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    _key, text = Keyring(store.own(), lambda: START).create_key("mine")
    secret = text.split("_", 2)[2]
    before_close = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    store.close()
    after_close = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"mine" in before_close + after_close
    assert secret.encode() not in before_close + after_close


def test_another_process_sees_at_once_that_a_key_was_revoked(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = SqliteStore(path)
    keyring = Keyring(store.own(), lambda: START)
    key, text = keyring.create_key("mine")
    assert keyring.find_key(text) == key
    command = [sys.executable, "-m", "uac", "keys", "revoke", key.id, "--store", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    assert keyring.find_key(text) is None
    store.close()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"name": " "}, "name of the key is empty"),
        ({"rights": ()}, "rights of the key are none"),
        ({"rights": ("read", "fly")}, "rights of the key are read, fly"),
        ({"tenant": "A corp"}, "The tenant 'A corp' is not a valid name"),
        ({"tenant": "a/b"}, "'a/b' is not a valid name"),
        ({"user": "a/b"}, "contains a slash"),
        ({"user": " ana"}, "starts or ends with a space"),
        ({"expires": START}, "which is past"),
    ],
)
def test_a_key_that_makes_no_sense_is_refused_and_not_made(arguments: dict[str, Any], reason: str) -> None:
    keyring = Keyring(MemoryStore().own(), lambda: START)
    with pytest.raises(Refused, match=reason):
        keyring.create_key(**{"name": "mine", **arguments})
    assert keyring.all_keys() == ()


def test_a_tenant_has_so_many_good_keys_and_each_that_ends_makes_room_for_another() -> None:
    clock = Clock()
    keyring = Keyring(MemoryStore(clock=clock).own(), clock)
    keyring.create_key("first", tenant="acme", expires=clock() + timedelta(days=1))
    second, *_ = [keyring.create_key(str(number), tenant="acme")[0] for number in range(MOST - 1)]
    keyring.create_key("another tenant's", tenant="bolt")
    for end in (lambda: keyring.revoke_key(second.id), lambda: setattr(clock, "now", START + timedelta(days=1))):
        with pytest.raises(Refused, match=f"There are {MOST} valid keys already. Revoke one of them first."):
            keyring.create_key("one more", tenant="acme")
        end()
        keyring.create_key("in its place", tenant="acme")


def test_revoking_an_unknown_key_is_refused() -> None:
    with pytest.raises(Refused, match="No key 'x'"):
        Keyring(MemoryStore().own(), lambda: START).revoke_key("x")


# --- whose users --------------------------------------------------------------------------------------------------


@given(tenants, users, tenants, users)
def test_two_users_are_stored_under_one_id_only_if_they_are_the_same(
    tenant: str, user: str, other_tenant: str, other_user: str
) -> None:
    def stored(tenant: str, user: str) -> str | None:
        try:
            return store_user_id(tenant, user)
        except Refused:
            return None

    here, there = stored(tenant, user), stored(other_tenant, other_user)
    assert here is None or here != there or (tenant, user) == (other_tenant, other_user)


@given(tenants, st.text(max_size=20))
def test_no_user_id_reaches_beyond_its_tenant(tenant: str, user: str) -> None:
    try:
        stored = store_user_id(tenant, user)
    except Refused:
        return
    assert stored == (f"{tenant}/{user}" if tenant else user)
    assert stored.count("/") == (1 if tenant else 0)


@given(st.text(max_size=20))
def test_a_tenant_is_a_plain_name_or_refused(tenant: str) -> None:
    try:
        check_tenant(tenant)
    except Refused:
        return
    assert tenant == "" or (tenant.isascii() and "/" not in tenant and tenant == tenant.strip().lower())


# --- over HTTP ----------------------------------------------------------------------------------------------------


@pytest.fixture
def asking() -> Iterator[Callable[..., TestClient]]:
    """Makes clients, each with a key of its own, to one service."""
    clock = Clock()
    app = app_over(MemoryStore(clock=clock), clock=clock)
    app.state.clock = clock
    with TestClient(app) as plain:

        def client(*with_rights: Right, **more: Any) -> TestClient:
            text = make_key(app, *with_rights, **more)
            return TestClient(app, headers={"Authorization": f"Bearer {text}"})

        yield client
        assert plain.get("/v1/keys").status_code == 401


def test_an_administrator_makes_lists_and_revokes_keys(asking: Callable[..., TestClient]) -> None:
    admin = asking("read", "admin")
    made = admin.post("/v1/keys", json={"name": "bot", "rights": ["read"], "user": "ana"}).json()
    key, text = made["key"], made["text"]
    told = {"name": "bot", "rights": ["read"], "user": "ana", "expires": None, "revoked": None}
    assert key == {"id": key["id"], "made": "2026-03-02T12:00:00Z", **told}
    bot = {"Authorization": f"Bearer {text}"}
    assert admin.get("/v1/version", headers=bot).status_code == 200
    listed = admin.get("/v1/keys").json()
    assert [one["name"] for one in listed["keys"]] == ["test", "bot"]
    assert text.split("_", 2)[2] not in json.dumps(listed)
    assert admin.delete(f"/v1/keys/{key['id']}").json() == {**key, "revoked": "2026-03-02T12:00:00Z"}
    assert admin.get("/v1/version", headers=bot).status_code == 401


def test_keys_are_listed_page_by_page(asking: Callable[..., TestClient]) -> None:
    admin = asking("admin")
    for number in range(4):
        admin.post("/v1/keys", json={"name": str(number), "rights": ["admin"]})
    seen, after = [], ""
    while True:
        page = admin.get("/v1/keys", params={"limit": 2, "after": after}).json()
        seen.append([key["name"] for key in page["keys"]])
        if not (after := page["next"]):
            break
    assert seen == [["test", "0"], ["1", "2"], ["3"]]
    assert admin.get("/v1/keys", params={"after": "nobody"}).json() == {"keys": [], "next": None}


def test_a_key_gives_at_most_what_it_has(asking: Callable[..., TestClient]) -> None:
    until = START + timedelta(days=2)
    admin = asking("read", "admin", tenant="acme", user="ana", expires=until)

    def refused(**wanted: Any) -> str:
        answer = admin.post("/v1/keys", json={"name": "x", "user": "ana", "rights": ["read"], **wanted})
        assert answer.status_code == 403
        told: str = answer.json()["detail"]
        return told

    assert (
        refused(rights=["read", "erase", "write"])
        == "This key has no right to erase, write. It can give only its own rights."
    )
    for user in ("", "ben"):
        assert refused(user=user) == "This key is for the user 'ana' only. Make keys for that user."
    later = (until + timedelta(seconds=1)).isoformat()
    assert refused(expires=later) == "This key expires at 2026-03-04T12:00:00+00:00. Its keys cannot expire later."
    made = admin.post("/v1/keys", json={"name": "x", "user": "ana", "rights": ["read"]}).json()["key"]
    assert made["expires"] == "2026-03-04T12:00:00Z"


def test_keys_of_another_tenant_or_user_cannot_be_seen_or_revoked(asking: Callable[..., TestClient]) -> None:
    theirs = asking("admin", tenant="acme").post("/v1/keys", json={"name": "theirs", "rights": ["admin"]}).json()
    for other in (asking("admin"), asking("admin", tenant="other"), asking("admin", tenant="acme", user="ana")):
        assert "theirs" not in [key["name"] for key in other.get("/v1/keys").json()["keys"]]
        assert other.delete(f"/v1/keys/{theirs['key']['id']}").status_code == 404
    assert asking("read").get("/v1/version", headers={"Authorization": f"Bearer {theirs['text']}"}).status_code == 200


def test_keys_need_the_right_to_administer(asking: Callable[..., TestClient]) -> None:
    client = asking("read", "write", "erase")
    answers = (client.get("/v1/keys"), client.post("/v1/keys", json={"name": "x"}), client.delete("/v1/keys/x"))
    assert [answer.status_code for answer in answers] == [403, 403, 403]


def test_a_service_without_keys_has_none_to_make() -> None:
    with TestClient(app_over(MemoryStore(), with_keys=False)) as client:
        assert client.post("/v1/keys", json={"name": "x"}).status_code == 404


# --- on the command line ------------------------------------------------------------------------------------------


def uac(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["keys", *arguments], env={"UAC_NOW": "2026-03-02T12:00+01:00"})


def test_the_commands_make_list_and_revoke_keys(store: Path) -> None:
    made = uac("create", "support bot", "--tenant", "acme", "--user", "ana", "--right", "read", "--expires", "90d")
    text = made.stdout.strip()
    key = Keyring(SqliteStore(store).own(), lambda: START).find_key(text)
    assert key is not None
    assert (key.name, key.tenant, key.user, key.rights) == ("support bot", "acme", "ana", ("read",))
    shown = "user ana of acme, read, until 2026-05-31T12:00+01:00"
    assert made.stderr == f"key {key.id} for support bot: {shown}\n"
    listed = uac("list").stdout
    assert listed == f"{key.id}\tsupport bot\tuser ana of acme\tread\tuntil 2026-05-31T12:00+01:00\n"
    assert uac("revoke", key.id).stdout == f"key {key.id} of support bot is revoked\n"
    (told,) = map(json.loads, uac("list", "--json").stdout.splitlines())
    assert sorted(told) == ["expires", "id", "made", "name", "revoked", "rights", "tenant", "user"]
    assert told["revoked"] is not None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("12h", "2026-03-03T00:00:00+01:00"),
        ("4w", "2026-03-30T12:00:00+01:00"),
        ("2027-01-31", "2027-01-31T00:00:00+01:00"),
        ("2027-01-31T10:00+05:00", "2027-01-31T10:00:00+05:00"),
    ],
)
def test_an_expiry_is_a_time_from_now_or_a_date(store: Path, text: str, moment: str) -> None:
    told = json.loads(uac("create", "x", "--expires", text, "--json").stdout)
    assert datetime.fromisoformat(told["expires"]) == datetime.fromisoformat(moment)


@pytest.mark.parametrize("text", ["soon", "90", "2026-03-01", "-3d"])
def test_an_expiry_that_is_none_is_refused(store: Path, text: str) -> None:
    done = uac("create", "x", f"--expires={text}")
    assert done.exit_code == 3
    assert done.stdout == ""
