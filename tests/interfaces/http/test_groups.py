"""Groups over HTTP: keys for one user act as that member, and nobody reaches more than the member may."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from support.http_routes import json_of, problem
from support.http_service import app_over, inside, make_key, serving
from uac.errors import NoGroup
from uac.interfaces.client import Client
from uac.log.stores.in_memory import MemoryStore


@pytest.fixture
def app() -> FastAPI:
    return app_over(MemoryStore(), with_hooks=False)


class Office:
    """A client with one key for each user of the tenant acme, and one for all of them."""

    def __init__(self, app: FastAPI, client: TestClient) -> None:
        self.client = client
        self.keys = {user: make_key(app, tenant="acme", user=user) for user in ("ana", "ben", "carl")}
        self.keys |= {"all": make_key(app, tenant="acme"), "other": make_key(app, tenant="other")}
        self.keys |= {"reading ben": make_key(app, "read", tenant="acme", user="ben")}

    def ask(self, who: str, method: str, path: str, body: Any = None, **headers: str) -> Any:
        sent = {"Authorization": f"Bearer {self.keys[who]}", **{k.replace("_", "-"): v for k, v in headers.items()}}
        return self.client.request(method, path, json=body, headers=sent)


@pytest.fixture
def office(app: FastAPI) -> Iterator[Office]:
    with inside(app) as client:
        client.headers.pop("Authorization")
        made = Office(app, client)
        allergy = {"type": "health.Allergy", "fields": {"substance": "shellfish", "reaction": "hives"}}
        json_of(made.ask("ana", "POST", "/v1/users/ana/records", allergy))
        json_of(made.ask("ana", "POST", "/v1/groups", {"group": "lunch", "admin": "ana", "called": "Ana"}), 201)
        json_of(made.ask("ana", "PUT", "/v1/groups/lunch/members/ben", {"right": "write", "called": "Ben"}))
        yield made


SHARE = {"shares": ["health.Allergy.substance"]}
BOOKING = {
    "type": "food.Booking",
    "fields": {"place": "The Crab Shack", "day": "2999-11-20", "occasion": "the lunch of the group"},
}


def test_a_members_key_reads_and_writes_the_groups_memory_with_all_routes(office: Office) -> None:
    json_of(office.ask("ana", "PUT", "/v1/users/ana/shares/lunch", SHARE))
    json_of(office.ask("ben", "POST", "/v1/users/group:lunch/records", BOOKING))
    (alert,) = json_of(office.ask("ben", "GET", "/v1/users/group:lunch/alerts"))["standing"]
    assert "Ana's allergy to shellfish" in alert["message"]
    found = json_of(office.ask("ben", "POST", "/v1/users/group:lunch/recall", {"query": "crab"}))
    assert "The Crab Shack" in str(found)
    assert "hives" not in str(found)
    computed = json_of(office.ask("ben", "POST", "/v1/users/group:lunch/compute", {"code": "len(health.allergies)"}))
    assert computed["value"] == 1
    entries = json_of(office.ask("ben", "GET", "/v1/users/group:lunch/log"))["entries"]
    assert {"member": "ben"}.items() <= entries[-1]["entry"].items()
    view = json_of(office.ask("ben", "GET", "/v1/groups/lunch"))
    assert [(each["name"], each["right"], each["shares"]) for each in view["members"]] == [
        ("Ana", "admin", ["health.Allergy.substance"]),
        ("Ben", "write", []),
    ]
    assert [each["group"] for each in json_of(office.ask("ben", "GET", "/v1/users/ben/groups"))["groups"]] == ["lunch"]


def test_what_a_member_changes_reaches_the_group_and_its_followers_at_once(office: Office) -> None:
    json_of(office.ask("ana", "PUT", "/v1/users/ana/shares/lunch", SHARE))
    before = office.ask("ben", "GET", "/v1/users/group:lunch/manifest").headers["ETag"]
    more = {"type": "health.Allergy", "fields": {"substance": "peanuts"}}
    json_of(office.ask("ana", "POST", "/v1/users/ana/records", more))
    answer = office.ask("ben", "GET", "/v1/users/group:lunch/records?type=health.Allergy", If_None_Match=before)
    assert answer.status_code == 200
    assert "peanuts" in answer.text


@pytest.mark.parametrize(
    ("who", "method", "path", "body", "status"),
    [
        ("ben", "GET", "/v1/users/ana/log", None, 403),
        ("ben", "GET", "/v1/users/ana/groups", None, 403),
        ("ben", "PUT", "/v1/users/ana/shares/lunch", SHARE, 403),
        ("ben", "PUT", "/v1/groups/lunch/members/ben", {"right": "admin"}, 403),
        ("ben", "PUT", "/v1/groups/lunch/members/carl", {"right": "read"}, 403),
        ("ben", "DELETE", "/v1/groups/lunch/members/ana", None, 403),
        ("ben", "POST", "/v1/users/group:lunch/erasures", {"positions": [1], "why": "x"}, 403),
        ("ben", "DELETE", "/v1/users/group:lunch", None, 403),
        ("ben", "POST", "/v1/groups", {"group": "other", "admin": "ana"}, 403),
        ("reading ben", "POST", "/v1/users/group:lunch/records", BOOKING, 403),
        ("carl", "GET", "/v1/groups/lunch", None, 404),
        ("carl", "GET", "/v1/groups/nothing", None, 404),
        ("carl", "GET", "/v1/users/group:lunch/log", None, 404),
        ("carl", "POST", "/v1/users/group:lunch/recall", {"query": "shellfish"}, 404),
        ("carl", "POST", "/v1/users/group:lunch/observations", {"turns": [{"text": "hello"}]}, 404),
        ("carl", "PUT", "/v1/groups/lunch/members/carl", {"right": "read"}, 404),
        ("other", "GET", "/v1/groups/lunch", None, 404),
        ("other", "GET", "/v1/users/group:lunch/log", None, 404),
        ("all", "GET", "/v1/memories?user_id=group:lunch", None, 403),
        ("ben", "GET", "/v1/memories?user_id=group:lunch", None, 403),
        ("all", "POST", "/v1/users/group:new/observations", {"turns": [{"text": "hello"}]}, 404),
        ("all", "PUT", "/v1/groups/lunch/members/group:lunch", {"right": "read"}, 422),
    ],
)
def test_nobody_reaches_more_than_the_key_and_the_membership_allow(
    office: Office, who: str, method: str, path: str, body: Any, status: int
) -> None:
    json_of(office.ask("ana", "PUT", "/v1/users/ana/shares/lunch", SHARE))
    answer = office.ask(who, method, path, body)
    assert problem(answer)[0] == status
    assert "shellfish" not in answer.text
    assert "Ana" not in answer.text


def test_a_key_for_all_users_acts_as_the_member_it_names(office: Office) -> None:
    path = "/v1/users/group:lunch/observations"
    body = {"turns": [{"text": "Noon?"}]}
    json_of(office.ask("all", "POST", path, body, Uac_Member="ben"))
    entries = json_of(office.ask("all", "GET", "/v1/users/group:lunch/log"))["entries"]
    assert (entries[-2]["entry"]["speaker"], entries[-1]["entry"]["member"]) == ("Ben", "ben")
    assert problem(office.ask("all", "POST", path, body, Uac_Member="carl"))[0] == 404
    assert problem(office.ask("ben", "POST", path, body, Uac_Member="ana"))[0] == 403
    assert problem(office.ask("all", "GET", "/v1/users/ana/log", Uac_Member="ben"))[0] == 422


def test_a_key_for_the_group_itself_acts_as_the_operator_of_this_group_alone(app: FastAPI, office: Office) -> None:
    office.keys["lunch"] = make_key(app, tenant="acme", user="group:lunch")
    office.keys["elsewhere"] = make_key(app, tenant="other", user="group:lunch")
    json_of(office.ask("ana", "POST", "/v1/groups", {"group": "family", "admin": "ana"}), 201)
    json_of(office.ask("lunch", "GET", "/v1/users/group:lunch/records"))
    assert office.ask("lunch", "GET", "/v1/users/group:family/records").status_code == 404
    assert office.ask("lunch", "GET", "/v1/users/ana/records").status_code == 403
    assert office.ask("elsewhere", "GET", "/v1/users/group:lunch/records").status_code == 404


def test_a_removed_member_and_a_revoked_share_are_gone_at_the_next_request(office: Office) -> None:
    json_of(office.ask("ana", "PUT", "/v1/users/ana/shares/lunch", SHARE))
    tag = office.ask("ben", "GET", "/v1/users/group:lunch/manifest").headers["ETag"]
    json_of(office.ask("ana", "PUT", "/v1/users/ana/shares/lunch", {"shares": []}))
    entries = json_of(office.ask("ben", "GET", "/v1/users/group:lunch/log"))["entries"]
    said = [each for each in entries if each["kind"] == "observation"]
    assert said
    assert all(each["entry"] is None for each in said)
    assert office.ask("ana", "DELETE", "/v1/groups/lunch/members/ben").status_code == 204
    assert problem(office.ask("ben", "GET", "/v1/users/group:lunch/manifest", If_None_Match=tag))[0] == 404


def test_no_route_makes_a_user_with_the_id_of_a_group(office: Office) -> None:
    words = [{"role": "user", "content": "hello"}]
    for who in ("all", "ben"):
        sent = {"messages": words, "user_id": "group:new"}
        assert office.ask(who, "POST", "/v1/memories", sent).status_code in (403, 404)
        assert office.ask(who, "POST", "/v1/users/group:new/records", BOOKING).status_code == 404
    json_of(office.ask("ben", "POST", "/v1/groups", {"group": "new", "admin": "ben"}), 201)


def test_an_erased_group_leaves_no_open_memory(app: FastAPI, office: Office) -> None:
    json_of(office.ask("ben", "GET", "/v1/users/group:lunch/records"))
    json_of(office.ask("all", "GET", "/v1/users/group:lunch/records"))
    before = app.state.service.memories.open_count()
    assert office.ask("ana", "DELETE", "/v1/users/group:lunch").status_code == 204
    assert app.state.service.memories.open_count() == before - 2


def test_the_stream_of_a_removed_member_ends(office: Office) -> None:
    with office.client.stream(
        "GET",
        "/v1/users/group:lunch/events?of=log&after=0&seconds=60",
        headers={"Authorization": f"Bearer {office.keys['ben']}"},
    ) as stream:
        lines = stream.iter_lines()
        assert next(lines) == "retry: 2000"
        assert office.ask("ana", "DELETE", "/v1/groups/lunch/members/ben").status_code == 204
        assert "ben left" not in "".join(lines)


def test_erasing_a_user_erases_them_from_their_groups(office: Office) -> None:
    json_of(office.ask("ben", "POST", "/v1/users/ben/observations", {"turns": [{"text": "Hello."}]}))
    json_of(office.ask("ben", "POST", "/v1/users/group:lunch/observations", {"turns": [{"text": "Code 4711."}]}))
    assert office.ask("ben", "DELETE", "/v1/users/ben").status_code == 204
    assert "4711" not in office.ask("ana", "GET", "/v1/users/group:lunch/log").text
    assert problem(office.ask("ben", "GET", "/v1/users/group:lunch/log"))[0] == 404


def test_the_client_has_groups(app: FastAPI) -> None:
    with serving(app) as served, Client(served.address, key=served.key()) as client:
        client.user("ana").put("health.Allergy", {"substance": "shellfish"})
        client.make_group("lunch", "ana", called="Ana")
        client.set_member("lunch", "ben", "read")
        shared = client.user("ana").set_shares("lunch", ["health.Allergy.substance"])
        assert [(each.name, each.right) for each in shared.members] == [("Ana", "admin"), ("ben", "read")]
        assert [each.record for each in client.user("group:lunch").records("health.Allergy").records] == [
            "health.Allergy:shellfish|ana|ana"
        ]
        assert [each.group for each in client.user("ben").groups().groups] == ["lunch"]
        client.remove_member("lunch", "ben")
        assert [each.name for each in client.group("lunch").members] == ["Ana"]
        with pytest.raises(NoGroup):
            client.group("nothing")
