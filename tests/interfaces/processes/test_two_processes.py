"""Two processes of the service on one PostgreSQL store: any of them serves any user, and none of them is stale."""

import json
import re
from itertools import count
from typing import Any

import httpx2
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from support.examples import histories
from support.histories import check_log
from support.history_machine import HistoryMachine
from support.http_process import uac_serve
from support.http_service import LONG
from support.service_processes import HttpActor, ServicePair
from support.webhook_receiver import receiving
from uac import Memory
from uac.log.stores.postgres import PostgresStore

USERS = count(1)
PENICILLIN = {"type": "health.Allergy", "fields": {"substance": "penicillin"}}
AMOXICILLIN = {"type": "health.Medication", "fields": {"name": "amoxicillin"}}


def new_user() -> str:
    return f"user-{next(USERS)}"


def test_random_histories_written_through_two_processes_agree_with_a_plain_oracle(pair: ServicePair) -> None:
    class ProcessesMachine(HistoryMachine):
        kind = "two processes"

        def open_sides(self) -> tuple[HttpActor, HttpActor]:
            self.user = new_user()
            path = f"/v1/users/{self.user}"
            return HttpActor(pair.client(pair.first, path)), HttpActor(pair.client(pair.second, path))

        def teardown(self) -> None:
            for side in self.sides:
                assert isinstance(side, HttpActor)
                side.client.close()
            store = PostgresStore(pair.url)
            memory = Memory(store.log(self.user), embedder=None)
            check_log(memory.log, memory)
            memory.close()
            store.close()
            super().teardown()

    run_state_machine_as_test(ProcessesMachine, settings=settings(max_examples=histories(3), stateful_step_count=12))


def test_a_user_who_was_erased_through_one_process_is_gone_in_the_other_and_comes_back_as_another(
    pair: ServicePair,
) -> None:
    path = f"/v1/users/{new_user()}"
    with pair.client(pair.first, path) as here, pair.client(pair.second, path) as there:
        here.post("/records", json=PENICILLIN)
        assert there.post("/records", json=AMOXICILLIN).json()["alerts"] != []
        assert here.delete(f"{pair.first.address}{path}").status_code == 204
        assert there.get("/alerts").status_code == 404
        there.post("/records", json=AMOXICILLIN)
        assert here.get("/alerts").json()["standing"] == []


def test_an_alert_that_one_process_raises_reaches_an_event_stream_of_the_other(pair: ServicePair) -> None:
    path = f"/v1/users/{new_user()}"
    with pair.client(pair.first, path) as here, pair.client(pair.second, path) as there:
        here.post("/records", json=PENICILLIN)
        with there.stream("GET", "/events") as events:
            lines = events.iter_lines()
            assert next(lines) == "retry: 2000"
            here.post("/records", json=AMOXICILLIN)
            data = next(line for line in lines if line.startswith("data: "))
    raised = json.loads(data.removeprefix("data: "))
    assert (raised["change"], raised["constraint"]) == ("raised", "drug_allergy")


def test_a_person_who_signs_in_at_one_process_is_signed_in_and_out_at_all(pair: ServicePair) -> None:
    """The sign-in form comes from one process and goes to the other, as behind a load balancer."""
    first, second = pair.first.address, pair.second.address
    with Browser() as browser:
        token = form_token(browser.get(first, "/inspector/sign-in").text)
        signed_in = browser.post(second, "/inspector/sign-in", form_token=token, key=pair.key)
        assert (signed_in.status_code, signed_in.headers["location"]) == (303, "/inspector/users")
        page = browser.get(first, "/inspector/users")
        assert page.status_code == 200
        browser.post(first, "/inspector/sign-out", form_token=form_token(page.text))
        assert browser.get(second, "/inspector/users").status_code == 303


def test_a_session_that_was_ended_at_one_process_stays_ended_for_a_stolen_cookie_at_the_other(
    pair: ServicePair,
) -> None:
    first, second = pair.first.address, pair.second.address
    with Browser() as browser, Browser() as thief:
        token = form_token(browser.get(first, "/inspector/sign-in").text)
        browser.post(first, "/inspector/sign-in", form_token=token, key=pair.key)
        thief.cookie = browser.cookie
        page = thief.get(second, "/inspector/users")
        assert page.status_code == 200
        browser.post(first, "/inspector/sign-out", form_token=form_token(page.text))
        assert thief.get(second, "/inspector/users").status_code == 303


def test_a_session_of_a_process_without_keys_opens_nothing_in_one_that_needs_them(pair: ServicePair) -> None:
    with uac_serve(pair.url, "--no-keys", "--no-learn", "--no-hooks") as open_process, Browser() as browser:
        assert browser.get(open_process.address, "/inspector/users").status_code == 200
        answer = browser.get(pair.first.address, "/inspector/users")
        assert answer.headers["location"].startswith("/inspector/sign-in")


def test_a_key_that_is_revoked_through_one_process_opens_nothing_in_the_other(pair: ServicePair) -> None:
    with pair.client(pair.first) as here, pair.client(pair.second) as there:
        made = here.post("/v1/keys", json={"name": "phone", "rights": ["read"]}).json()
        with httpx2.Client(
            base_url=pair.second.address, headers={"Authorization": f"Bearer {made['text']}"}, trust_env=False
        ) as phone:
            assert phone.get("/v1/users/nobody/alerts").status_code == 404
            assert there.delete(f"/v1/keys/{made['key']['id']}").status_code in (200, 204)
            assert phone.get("/v1/users/nobody/alerts").status_code == 401


def test_a_webhook_is_sent_once_whichever_process_raised_the_alert(pair: ServicePair) -> None:
    users = [new_user() for _ in range(6)]
    with receiving() as receiver, pair.client(pair.first) as here, pair.client(pair.second) as there:
        made = here.post("/v1/hooks", json={"url": receiver.url, "events": ["alert.raised"]})
        assert made.status_code == 201, made.text
        for number, user in enumerate(users):
            for body in (PENICILLIN, AMOXICILLIN):
                (here, there)[number % 2].post(f"/v1/users/{user}/records", json=body)
        for _ in users:
            assert receiver.came.acquire(timeout=60)
        assert there.delete(f"/v1/hooks/{made.json()['hook']['id']}").status_code == 204
        sent = [json.loads(body)["data"]["user"] for _headers, body in receiver.heard]
    assert sorted(sent) == sorted(users)


class Browser:
    """It has one cookie, which it sends to every process, as it would if they had one name."""

    def __init__(self) -> None:
        self.cookie = ""
        self._client = httpx2.Client(trust_env=False, follow_redirects=False, timeout=LONG)

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_error: object) -> None:
        self._client.close()

    def get(self, address: str, path: str) -> httpx2.Response:
        return self._send("GET", address, path)

    def post(self, address: str, path: str, **fields: str) -> httpx2.Response:
        return self._send("POST", address, path, data=fields)

    def _send(self, method: str, address: str, path: str, **more: Any) -> httpx2.Response:
        name = f"uac_inspector_{address.rpartition(':')[2]}"
        headers = {"Origin": address, "Cookie": f"{name}={self.cookie}"}
        self._client.cookies.clear()
        answer = self._client.request(method, address + path, headers=headers, **more)
        self.cookie = answer.cookies.get(name) or self.cookie
        return answer


def form_token(page: str) -> str:
    return str(re.findall(r'name="form_token" value="([^"]+)"', page)[-1])
