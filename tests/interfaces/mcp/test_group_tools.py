"""An agent of one member: the tools also take the name of a group, and alerts of groups come with every result."""

from collections.abc import Iterator

import pytest

from support.groups import FRIDAY, People, people
from uac.interfaces.agent_tools.dispatcher import Dispatcher
from uac.interfaces.agent_tools.tool_catalog import TOOLS


@pytest.fixture
def us() -> Iterator[People]:
    with people() as made:
        team = made.team(ben="write", dora="read")
        made.put("ana", "health.Allergy", substance="shellfish", severity="severe", reaction="hives in Lisbon")
        made.put("ben", "food.Diet", what="vegan", who="me")
        team.share("ana", "health.Allergy.substance")
        yield made


def agent(us: People, user: str) -> Dispatcher:
    groups = {group.name: group.memory(user) for group in us.groups.of(user)}
    return Dispatcher(us.memory(user), us.clock, groups)


BOOKING = {
    "turns": [{"text": "Team lunch on Friday at The Crab Shack."}],
    "facts": [{"text": "The team has lunch at The Crab Shack.", "quote": "lunch on Friday at The Crab Shack"}],
    "records": [
        {
            "op": "put",
            "type": "food.Booking",
            "fields": {"place": "The Crab Shack", "day": str(FRIDAY), "occasion": "team lunch"},
            "cites": [1],
        }
    ],
}


def test_an_agent_remembers_in_a_group_and_gets_its_alerts_with_every_result(us: People) -> None:
    ben = agent(us, "ben")
    stored = ben.call_tool("remember", {**BOOKING, "group": "team"}, "a")
    assert not stored.is_error
    assert "Ana's allergy to shellfish" in stored.text
    own = ben.call_tool("read", {}, "b")
    assert "in the group team: warning meal_suits_everyone" in own.text
    assert [alert["group"] for alert in own.content["alerts"]] == ["team"]
    computed = ben.call_tool("compute", {"code": "[b.place for b in food.bookings]", "group": "team"}, "a")
    assert computed.content["value"] == ["The Crab Shack"]
    assert "Lisbon" not in ben.call_tool("recall", {"query": "Ana's reaction in Lisbon", "group": "team"}, "a").text
    assert ben.call_tool("alerts", {"action": "acknowledge", "constraint": "meal_suits_everyone", "group": "team"}, "a")
    assert ben.call_tool("read", {"group": ""}, "c").content["alerts"] == []


def test_tools_name_the_groups_only_if_there_are_any(us: People) -> None:
    ben, carl = agent(us, "ben"), agent(us, "carl")
    assert all(ben.input_schema(tool)["properties"]["group"]["enum"] == ["", "team"] for tool in TOOLS)
    assert all("group" not in carl.input_schema(tool).get("properties", {}) for tool in TOOLS)
    assert "team" in ben.instructions
    assert "group" not in carl.instructions
    assert carl.call_tool("read", {"group": "team"}, "a").is_error
    wrong = ben.call_tool("read", {"group": "ana"}, "a")
    assert wrong.is_error
    assert "not one of team" in wrong.text


def test_an_agent_of_a_reader_reads_and_of_a_former_member_does_not(us: People) -> None:
    dora = agent(us, "dora")
    assert "shellfish" in dora.call_tool("read", {"name": "health", "group": "team"}, "a").text
    refused = dora.call_tool("remember", {**BOOKING, "group": "team"}, "a")
    assert refused.is_error
    assert "may read" in refused.text
    us.groups.open("team").remove("dora", by="ana")
    gone = dora.call_tool("read", {"group": "team"}, "a")
    assert gone.is_error
    assert "shellfish" not in gone.text
    assert not dora.call_tool("read", {}, "a").is_error
