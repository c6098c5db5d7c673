"""uac group, and all other commands on a group's memory with --as."""

from pathlib import Path

import pytest

from support.cli import lines, uac
from support.groups import FRIDAY
from support.postgres_server import Server


def told(*arguments: str, code: int = 0) -> str:
    result = uac(*arguments)
    assert result.exit_code == code, result.output
    return result.output


def team_lunch() -> None:
    """Ana shares an allergy with a team, and Ben books a table."""
    told("put", "ana", "health.Allergy", "substance=shellfish", "severity=severe", "reaction=hives in Lisbon")
    told("group", "create", "team", "--admin", "ana", "--called", "Ana")
    told("group", "add", "team", "ben", "--called", "Ben", "--as", "ana")
    told("group", "share", "team", "health.Allergy.substance", "health.Allergy.severity", "--as", "ana")
    booking = ("place=The Crab Shack", f"day={FRIDAY}", "occasion=team lunch")
    assert "Ana's severe allergy to shellfish" in told("put", "group:team", "food.Booking", *booking, "--as", "ben")


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_NOW", "2026-11-18T12:00+00:00")


@pytest.mark.usefixtures("store")
def test_a_team_lunch_from_the_first_command_to_the_last() -> None:
    team_lunch()
    assert "Ana's severe allergy" in told("alerts", "group:team", "--as", "ben")
    assert "Lisbon" not in told("log", "group:team", "--full", "--as", "ben")
    told("add", "ben", "I like soup.")
    both = told("context", "ben", "Where is the lunch?", "--group", "team")
    assert "# The group team" in both
    assert "Crab Shack" in both.partition("# The group")[2]
    assert "1 group up to date with what members share" in uac("doctor").output
    told("group", "unshare", "team", "--as", "ana")
    assert "Ana's severe" not in told("log", "group:team", "--full", "--as", "ben")
    assert lines(uac("alerts", "group:team", "--as", "ben", "--json")) == []
    told("group", "remove", "team", "ben", "--as", "ben")
    assert "NoGroup" in told("alerts", "group:team", "--as", "ben", code=3)
    told("verify")


def test_the_same_on_postgresql(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_STORE", postgres.new_database())
    team_lunch()
    assert "Ana's severe allergy" in told("alerts", "group:team", "--as", "ben")
    told("erase", "ana", "--all", "--leave-nothing", "--yes")
    assert "Ana's severe" not in told("log", "group:team", "--full", "--as", "ben")
    told("verify")


@pytest.mark.usefixtures("store")
def test_a_member_without_a_memory_may_be_mistyped_and_is_named() -> None:
    told("add", "ana", "hello")
    assert "is new here" not in told("group", "create", "team", "--admin", "ana")
    assert uac("group", "add", "team", "bem", "--as", "ana").stderr == "bem is new here\n"


@pytest.mark.usefixtures("store")
def test_rights_are_those_of_the_member() -> None:
    team_lunch()
    told("group", "rights", "team", "ben", "read", "--as", "ana")
    for command in ("records", "alerts", "manifest", "log", "pending"):
        told(command, "group:team", "--as", "ben")
    for refused in (
        ("add", "group:team", "hello", "--as", "ben"),
        ("put", "group:team", "food.Diet", "what=vegan", "who=me", "--as", "ben"),
        ("erase", "group:team", "1", "--why", "x", "--yes", "--as", "ben"),
        ("group", "add", "team", "carl", "--as", "ben"),
        ("group", "rights", "team", "ben", "admin", "--as", "ben"),
        ("group", "rights", "team", "carl", "admin", "--as", "ana"),
        ("records", "group:team", "--as", "carl"),
        ("records", "group:nothing"),
        ("add", "group:nothing", "hello"),
        ("group", "share", "team", "health.Allergy", "--as", "carl"),
    ):
        told(*refused, code=3)
    told("records", "ana", "--as", "ben", code=2)
    told("group", "share", "team", "health.Allergy", code=2)


def test_a_member_who_may_not_erase_cannot_destroy_or_take_away_the_whole_group(store: Path, tmp_path: Path) -> None:
    team_lunch()
    told("erase", "group:team", "--all", "--leave-nothing", "--yes", "--as", "ben", code=3)
    told("move", "group:team", "--to", str(tmp_path / "other.db"), "--as", "ana", code=2)
    told("inspect", "group:team", "--as", "ben", code=2)
    assert "Ana's severe allergy" in told("alerts", "group:team", "--as", "ben")
    told("erase", "group:team", "--all", "--leave-nothing", "--yes", "--as", "ana")
    assert "group:team" not in told("users")
    assert store.exists()


@pytest.mark.usefixtures("store")
def test_groups_are_listed_as_tables_and_as_json() -> None:
    team_lunch()
    (row,) = lines(uac("group", "list", "--of", "ben", "--json"))
    assert (row["group"], row["user"]) == ("team", "group:team")
    (row,) = lines(uac("group", "members", "group:team", "--as", "ben", "--json"))
    members = row["members"]
    assert isinstance(members, list)
    assert [(each["name"], each["right"], each["shares"]) for each in members] == [
        ("Ana", "admin", ["health.Allergy.severity", "health.Allergy.substance"]),
        ("Ben", "write", []),
    ]
    assert told("group", "list") == "group:team\tAna, Ben\n"
    assert "group:team" in told("users")


def test_a_backup_restores_the_group_and_a_move_leaves_no_copy_behind(store: Path, tmp_path: Path) -> None:
    team_lunch()
    told("backup", str(tmp_path / "b.uac"))
    other = str(tmp_path / "other.db")
    told("restore", str(tmp_path / "b.uac"), "--store", other)
    assert "Ana's severe allergy" in told("alerts", "group:team", "--as", "ben", "--store", other)
    told("move", "ana", "--to", str(tmp_path / "third.db"))
    assert "Ana's severe" not in told("log", "group:team", "--full", "--as", "ben")
    assert store.exists()


@pytest.mark.usefixtures("store")
def test_a_member_without_a_memory_of_their_own_can_be_erased_from_a_group() -> None:
    team_lunch()
    told("add", "group:team", "My door code is 4711.", "--as", "ben")
    told("group", "remove", "team", "ben", "--erase", "--as", "carl", code=3)
    told("group", "remove", "team", "ben", "--erase", "--as", "ana")
    assert "4711" not in told("log", "group:team", "--full")
    assert "ben was erased" in told("log", "group:team", "--full")


@pytest.mark.usefixtures("store")
def test_erasing_words_or_a_user_reaches_the_groups() -> None:
    team_lunch()
    told("add", "group:team", "My door code is 4711.", "--as", "ben")
    told("erase", "ana", "1", "--why", "asked", "--yes")
    assert "shellfish" not in told("records", "group:team", "--as", "ben")
    told("add", "ben", "Hello.")
    told("erase", "ben", "--all", "--why", "asked", "--yes")
    assert "4711" not in told("log", "group:team", "--full")
    told("verify")


@pytest.mark.usefixtures("store")
def test_groups_of_a_tenant_are_reached_by_commands_and_by_the_erasure_of_its_users() -> None:
    told("put", "acme/ana", "health.Allergy", "substance=shellfish")
    told("group", "create", "acme/team", "--admin", "ana")
    told("group", "create", "team", "--admin", "ana")
    told("group", "add", "acme/team", "ben", "--as", "ana")
    told("group", "share", "acme/team", "health.Allergy", "--as", "ana")
    assert "shellfish" in told("records", "acme/group:team", "--as", "ben")
    assert "shellfish" not in told("log", "group:team", "--full")
    told("records", "group:team", "--as", "ben", code=3)
    told("records", "acme/group:team", "--as", "carl", code=3)
    told("add", "acme/group:team", "My door code is 4711.", "--as", "ana")
    told("group", "add", "team", "acme/ben", code=3)
    told("group", "create", "other", "--admin", "acme/ben", code=3)
    assert told("group", "list", "--tenant", "acme") == "group:team\tana, ben\n"
    assert "2 groups up to date with what members share" in uac("doctor").output
    told("erase", "acme/ana", "1", "--why", "asked", "--yes")
    assert "shellfish" not in told("log", "acme/group:team", "--full")
    told("erase", "acme/ana", "--all", "--leave-nothing", "--yes")
    assert "4711" not in told("log", "acme/group:team", "--full")
    told("verify")
