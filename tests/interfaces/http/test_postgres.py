"""The service on a real PostgreSQL: two processes of it share users, keys and what was done before."""

from support.http_service import app_over, inside, make_key
from support.postgres_server import Server
from uac.log.stores import open_store


def test_two_services_on_one_database_know_the_same_keys_and_do_a_request_once(postgres: Server) -> None:
    address = postgres.new_database()
    first, second = open_store(address), open_store(address)
    one, other = app_over(first), app_over(second)
    key = make_key(one, "read", "write", tenant="acme")
    put = {"type": "health.Allergy", "fields": {"substance": "Penicillin"}}
    prescribed = {"type": "health.Medication", "fields": {"name": "Amoxicillin"}}
    with inside(one, key, "/v1/users/ana") as here, inside(other, key, "/v1/users/ana") as there:
        assert here.post("/observations", json={"turns": [{"text": "I get hives from penicillin."}]}).status_code == 201
        done = here.post("/records", json=put, headers={"Idempotency-Key": "r-1"}).json()
        again = there.post("/records", json=put, headers={"Idempotency-Key": "r-1"}).json()
        assert again == {**done, "is_repeated": True}
        raised = there.post("/records", json=prescribed).json()
        assert [alert["constraint"] for alert in raised["alerts"]] == ["drug_allergy"]
        standing = here.get("/alerts").json()["standing"]
        assert [alert["constraint"] for alert in standing] == ["drug_allergy"]
        found = here.post("/recall", json={"query": "hives"}).json()["hits"]
        assert found[0]["text"] == "I get hives from penicillin."
    assert [user.name for user in first.users()] == ["acme/ana"]
    keyring = one.state.service.keyring
    keyring.revoke_key(keyring.all_keys()[0].id)
    with inside(other, key, "/v1/users/ana") as there:
        assert there.get("/alerts").status_code == 401
    first.close()
    second.close()
