"""Nobody reaches what is another's: tried on every route that the OpenAPI document has."""

import io
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from support.http_routes import BOOK, json_of
from support.http_service import app_over, inside, make_key
from support.openapi_document import Operation, documented_operations
from uac.interfaces.service.api_keys import RIGHTS, Keyring
from uac.interfaces.service.tenant_store import TenantStore
from uac.interfaces.service.tenants import store_user_id
from uac.log.stores.in_memory import MemoryStore
from uac.schema.entries import Observation

CANARY = "zanzibar"
SECONDS = {"seconds": 0}  # a stream ends at once


def guarded() -> list[Operation]:
    """The operations that need a key."""
    return [one for one in documented_operations() if not one.is_open]


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> FastAPI:
    monkeypatch.delenv("UAC_MODEL", raising=False)
    return app_over(MemoryStore(), with_hooks=False)


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with inside(app) as client:
        client.headers.pop("Authorization")
        yield client


def bearer(app: FastAPI, *rights: Any, **more: Any) -> dict[str, str]:
    return {"Authorization": f"Bearer {make_key(app, *rights, **more)}"}


def fill(app: FastAPI, client: TestClient, tenant: str) -> dict[str, Any]:
    """Put the canary wherever a tenant's words can stand, in records, alerts, keys and hooks; the ids of all that."""
    key = bearer(app, tenant=tenant)

    def post(path: str, body: Any) -> Any:
        return json_of(client.post(path, json=body, headers=key))

    for user in ("ana", f"{CANARY}-user"):
        post(f"/v1/users/{user}/observations", {"turns": [{"text": f"I live in {CANARY}.", "session": CANARY}]})
    note = {"name": "note", "type": "str | None", "policy": "ask"}
    post("/v1/users/ana/types", {"type": {**BOOK, "doc": CANARY, "fields": [*BOOK["fields"], note]}})
    for type_, fields in (
        ("reading.Book", {"title": "home", "note": "another"}),
        ("reading.Book", {"title": "home", "note": CANARY}),
        ("health.Allergy", {"substance": "Penicillin", "reaction": CANARY}),
        ("health.Medication", {"name": "Amoxicillin"}),
    ):
        post("/v1/users/ana/records", {"type": type_, "fields": fields, "by": CANARY})
    memory = post("/v1/memories", {"messages": f"I like {CANARY}.", "user_id": "ana", "metadata": {"word": CANARY}})
    post("/v1/groups", {"group": "lunch", "admin": "ana", "called": CANARY})
    made = post("/v1/keys", {"name": CANARY, "rights": ["read"]})
    hook = post("/v1/hooks", {"url": f"https://{CANARY}.example/hook"})
    assert CANARY in client.get("/v1/users/ana/alerts", headers=key).text
    return {
        "user": "ana",
        "record": "reading.Book:home",
        "field": "note",
        "path": "domains/reading/state.py",
        "GET /v1/users/{user}/events": {"after": 0},
        "name": "drug_allergy",
        "constraint": "drug_allergy",
        "position": 1,
        "positions": [1],
        "memory_id": memory["results"][0]["id"],
        "user_id": "ana",
        "group": "lunch",
        "member": "ana",
        "admin": "ana",
        "shares": [],
        "id": made["key"]["id"],
        "hook": hook["hook"]["id"] if "hook" in hook else hook["id"],
        **SECONDS,
    }


def state(app: FastAPI, tenant: str) -> Any:
    """All that a tenant has in the store."""
    store, keyring = app.state.service.store, app.state.service.keyring
    assert isinstance(keyring, Keyring)
    users = [user for user in store.users() if user.name.startswith(f"{tenant}/")]
    hooks = [hook for hook in app.state.webhook_sender.hooks.all_webhooks() if hook.tenant == tenant]
    keys = [key for key in keyring.all_keys() if key.tenant == tenant]
    return users, [store.log(user.name).head() for user in users], hooks, keys


def words(response: Any) -> str:
    """All that an answer says, also in its headers and inside an archive."""
    text = f"{response.headers}\n{response.text}"
    if response.headers.get("Content-Type") == "application/zip":
        archive = zipfile.ZipFile(io.BytesIO(response.content))
        text += "\n".join(f"{name}\n{archive.read(name).decode()}" for name in archive.namelist())
    return text


def test_a_tenants_own_key_sees_the_canary_on_the_routes_that_show_words(app: FastAPI, client: TestClient) -> None:
    """So the tests below would see it, too."""
    values, key = fill(app, client, "a"), bearer(app, tenant="a")
    seen = {
        str(one)
        for one in guarded()
        if one.method == "get" and CANARY in words(client.request(**one.request(values), headers=key))
    }
    unseen = {str(one) for one in guarded() if one.method == "get"} - seen
    assert unseen == {
        "GET /v1/version",
        "GET /v1/users/{user}/constraints",
        "GET /v1/users/{user}/cost",
        "GET /v1/users/{user}/coverage",
        "GET /v1/users/{user}/imports",  # no file waits on this store
    }


@pytest.mark.parametrize("other", [{"tenant": "b"}, {}, {"tenant": "a", "user": "ben"}], ids=["b", "none", "ben of a"])
def test_no_route_gives_or_changes_anything_of_another(app: FastAPI, client: TestClient, other: dict[str, str]) -> None:
    values, key = fill(app, client, "a"), bearer(app, **other)
    before = state(app, "a")
    # Those that read come first, while there is nothing to read, and again when b has a user of the same id.
    told_on: dict[str, list[int]] = {}
    for one in sorted(guarded() * 2, key=lambda one: one.method == "delete"):
        response = client.request(**one.request(values), headers=key)
        assert CANARY not in words(response), (str(one), response.text)
        told_on.setdefault(str(one), []).append(response.status_code)
        assert response.status_code < 500 or response.status_code == 501, (str(one), response.text)
    after = state(app, "a")
    assert after[:3] == before[:3]
    assert [k for k in after[3] if k.user != "ben"] == [k for k in before[3] if k.user != "ben"]
    if other.get("user"):
        of_a_user = {str(one) for one in guarded() if "user" in one.names("path") or "memory_id" in one.names("path")}
        assert {name: told_on[name] for name in of_a_user} == {name: [403, 403] for name in of_a_user}


def test_only_health_is_told_without_a_key(client: TestClient) -> None:
    assert {str(one) for one in documented_operations() if one.is_open} == {"GET /healthz", "GET /readyz"}
    for headers in ({}, {"Authorization": "Bearer uac_000000000000_" + "x" * 43}, {"Authorization": "Basic YTpi"}):
        answers = {str(one): client.request(**one.request(SECONDS), headers=headers) for one in guarded()}
        assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(answers, 401)
        assert {answer.headers["WWW-Authenticate"] for answer in answers.values()} == {"Bearer"}


def needed(one: Operation) -> set[str]:
    """The rights of which a key must have one."""
    asks = ("/verify", "/recall", "/context", "/compute", "/search")
    if one.path == "/v1/version":
        return set(RIGHTS)
    # What writes or lists, and tells what is known as well: one right alone is not enough.
    if one.path.endswith("/ask") or str(one) == "POST /v1/hooks":
        return set()
    if one.path == "/v1/users" or one.path.startswith(("/v1/keys", "/v1/hooks")):
        return {"admin"}
    if one.path.endswith("/erasures") or str(one) == "DELETE /v1/users/{user}":
        return {"erase"}
    return {"read"} if one.method == "get" or one.path.endswith(asks) else {"write"}


def test_a_key_without_the_right_is_turned_away(app: FastAPI, client: TestClient) -> None:
    keys = {right: bearer(app, right) for right in RIGHTS}
    values = {**SECONDS, "user_id": "ana", "memory_id": "AAAAAAAAAAAAAAAA.1.YW5h", "rights": ["admin"]}
    taken: dict[str, set[str]] = {}
    for one in guarded():
        answers = {right: client.request(**one.request(values), headers=key) for right, key in keys.items()}
        taken[str(one)] = {right for right, answer in answers.items() if answer.status_code != 403}
    assert taken == {str(one): needed(one) for one in guarded()}


def test_a_key_that_may_not_read_is_not_told_what_is_known(app: FastAPI, client: TestClient) -> None:
    values = fill(app, client, "a")
    asked = {
        **values,
        "constraint": "drug_allergy",
        "patches": [{"op": "end", "record": "reading.Book:home", "when": "2026"}],
        "field": "note",
        "value": "x",
        "when": "2026",
        "until": "2999-01-01T00:00:00Z",
        "DELETE /v1/users/{user}": {"user": "nobody"},
    }
    deaf = bearer(app, "write", "erase", tenant="a")
    for one in guarded():
        for dry_run in (True, False) if "dry_run" in one.body.get("properties", {}) else (False,):
            response = client.request(**one.request({**asked, "dry_run": dry_run}), headers=deaf)
            assert CANARY not in words(response), (str(one), response.text)


def test_what_a_tenant_asks_for_is_kept_under_its_own_name_only(app: FastAPI, client: TestClient) -> None:
    for tenant in ("a", "b", ""):
        body = {"turns": [{"text": f"I am of {tenant or 'nobody'}."}]}
        json_of(client.post("/v1/users/ana/observations", json=body, headers=bearer(app, tenant=tenant)))
    for tenant in ("a", "b", ""):
        (entry,) = json_of(client.get("/v1/users/ana/log", headers=bearer(app, tenant=tenant)))["entries"]
        assert entry["entry"]["text"] == f"I am of {tenant or 'nobody'}."


SPELLINGS = ("a%2Fana", "a/ana", "%01own", "..%2Fa%2Fana", "a%252Fana", "%20ana", "%C3%81na%CC%81", "a%5Cana")


def test_no_spelling_of_a_user_leads_to_another_tenant(app: FastAPI, client: TestClient) -> None:
    fill(app, client, "a")
    for key in (bearer(app), bearer(app, tenant="b")):
        answers = [client.get(f"/v1/users/{user}/log", headers=key) for user in SPELLINGS]
        assert [(one.status_code, CANARY in one.text) for one in answers] == [(404, False)] * len(SPELLINGS)


Names = st.text("ab0.\U0010ffff", min_size=1, max_size=3).filter(lambda name: name not in (".", ".."))
Users = st.sets(st.tuples(st.sampled_from(["", "a", "a.b", "b"]), Names))


@given(users=Users, tenant=st.sampled_from(["", "a", "b", "c"]), size=st.integers(1, 4))
def test_the_users_of_a_tenant_are_all_its_own_and_no_others(
    users: set[tuple[str, str]], tenant: str, size: int
) -> None:
    store = MemoryStore()
    for each in users:
        store.log(store_user_id(*each)).append([Observation(text="Hello.", said=datetime.now(UTC))])
    part, found = TenantStore(store, tenant), [""]
    while page := part.users(after=found[-1], limit=size):
        found += [user.name for user in page]
    assert found[1:] == sorted(user for owner, user in users if owner == tenant)
