"""The client: typed operations, for code that waits and code that awaits."""

import asyncio
import json
from collections.abc import AsyncGenerator, Generator
from datetime import UTC, date, datetime, timedelta
from typing import assert_type

import pytest

from support.client import BOOK, NOW, QUICK
from support.http_service import Served
from uac.errors import Refused
from uac.interfaces.client import AsyncClient, Client, Turn, responses
from uac.schema.patches import Define, Put


def test_a_client_that_waits_has_every_step_of_a_memory(client: Client) -> None:
    ben = client.user("ben")
    assert ben.add("I get hives from penicillin", key="m1") == responses.Kept(positions=(1,))
    assert ben.add_all([Turn(text="Dr. Chen gave me amoxicillin", said=NOW)]).positions == (2,)
    put = ben.put("health.Allergy", {"substance": "Penicillin", "reaction": "hives"})
    assert (put.record, put.is_repeated) == ("health.Allergy:penicillin", False)
    alerts = ben.put("health.Medication", {"name": "Amoxicillin"}).alerts
    assert [(alert.change, alert.constraint, alert.severity) for alert in alerts] == [
        ("raised", "drug_allergy", "critical")
    ]
    [alert] = ben.alerts().standing
    assert (alert.constraint, alert.state) == ("drug_allergy", "standing")
    ben.snooze("drug_allergy", until=NOW + timedelta(days=1), why="asking the doctor")
    ben.acknowledge("drug_allergy", why="it is known")
    assert [(each.state, each.why) for each in ben.alerts().standing] == [("acknowledged", "it is known")]
    assert ben.compute("[a.reaction for a in health.allergies]").value == ["hives"]
    assert "I get hives from penicillin" in [hit.text for hit in ben.recall("hives", kinds=["observation"]).hits]
    assert "penicillin" in ben.context("hives from penicillin", tokens=2000).text.lower()
    ben.correct("health.Allergy:penicillin", "reaction", "rash", why="it was never hives")
    explained = ben.explain("health.Allergy:penicillin", "reaction")
    assert (explained.value, [claim.authority for claim in explained.claims if claim.stands]) == (
        "rash",
        ["correction"],
    )
    assert ben.record("health.Allergy:penicillin").values["reaction"] == "rash"
    assert [record.record for record in ben.records("health.Medication").records] == ["health.Medication:amoxicillin"]
    assert ben.end("health.Medication:amoxicillin", "2026-03-01").changes != ()
    assert [len(ben.records(f"health.{name}").records) for name in ("medications", "former_medications")] == [0, 1]
    assert ben.drop("health.Medication:amoxicillin", why="a mistake").changes != ()
    assert "health" in ben.manifest().text
    assert ben.tick().changes == ()
    log = ben.log(kinds=["observation"], limit=1)
    assert [(entry.position, entry.kind) for entry in log.entries] == [(1, "observation")]
    assert log.next is not None
    assert [(each.user, each.entries) for each in client.users().users if each.user == "ben"] == [
        ("ben", ben.log(after=1, limit=1000).entries[-1].position)
    ]


def test_an_agent_remembers_words_facts_and_records_in_one_call(client: Client, served: Served) -> None:
    dora = client.user("dora")
    fact = {"text": "The user is allergic to latex.", "quote": "I am allergic to latex"}
    put = {"type": "health.Allergy", "fields": {"substance": "latex"}}
    taken = dora.remember([Turn(text="I am allergic to latex.", said=NOW)], [fact], [put])
    assert (taken.positions, taken.records, taken.to_mend) == ((1,), ("health.Allergy:latex",), ())
    assert taken.facts == (responses.RememberedFact(position=2, text=fact["text"], number=1, unsure=""),)
    wrong = dora.remember("I have 2 cats.", [{"text": "The user has 7 cats.", "quote": "I have 2 cats"}])
    assert [part.part for part in wrong.to_mend] == ["fact 1"]
    with pytest.raises(Refused, match="A turn has a key"):
        dora.remember([Turn(text="x", key="k")])

    async def mend() -> responses.Remembered:
        async with AsyncClient(served.address, key=served.key()) as other:
            cats = {"text": "The user has 2 cats.", "quote": "I have 2 cats"}
            return await other.user("dora").remember(facts=[cats], observations=wrong.positions)

    assert asyncio.run(mend()).to_mend == ()


def test_an_agent_answers_what_is_pending(client: Client) -> None:
    cleo = client.user("cleo")
    cleo.add("I fly to Lisbon next Friday.", said=NOW)
    [question] = cleo.pending().requests
    quoted = {"turn": 1, "quote": "I fly to Lisbon next Friday"}
    fact = {"text": "The user flies to Lisbon on 2026-03-07.", "about": "user", "topic": "travel", "cites": [quoted]}
    refused = cleo.answer(question.id, {"facts": [fact]})
    assert (refused.facts, refused.is_open) == ((), True)
    assert "2026-03-07 does not follow" in refused.to_mend[0].why
    [again] = cleo.pending().requests
    fact["text"] = "The user flies to Lisbon on 2026-03-06."
    answered = cleo.answer(again.id, json.dumps({"facts": [fact]}))
    assert [each.text for each in answered.facts] == ["The user flies to Lisbon on 2026-03-06."]


def test_an_administrator_makes_tries_and_removes_hooks(client: Client) -> None:
    made = client.make_hook("https://localhost:1/", events=["alert.raised"])
    assert client.hooks().hooks == (made.hook,)
    assert made.secret.startswith("whsec_")
    assert client.try_hook(made.hook.id) == responses.HookTest(
        is_received=False,
        status=0,
        why="hook: 127.0.0.1 is an address of an internal network. Use a public one; internal ones work where --local"
        " (uac hooks add) and --local-hooks (uac serve) allow it.",
    )
    client.remove_hook(made.hook.id)
    assert client.hooks().hooks == ()


def test_what_is_forgotten_is_told_before_and_after(client: Client) -> None:
    erin = client.user("erin")
    erin.add("My number is 555")
    erin.add("I like tea")
    told = erin.erase([1], why="asked", dry_run=True)
    assert (told.is_done, [each.text for each in told.entries]) == (False, ["My number is 555"])
    assert erin.erase([1], why="asked").is_done
    assert erin.log().entries[0].entry is None
    assert erin.retract([2], why="not so").last == 4


def test_a_client_in_an_event_loop_awaits_the_same_operations(served: Served) -> None:
    async def main() -> None:
        async with AsyncClient(served.address, key=served.key(), patience=QUICK) as client:
            eva = client.user("eva")
            kept = await asyncio.gather(*(eva.add(f"I read book {number}") for number in range(10)))
            assert sorted(each.positions[0] for each in kept) == list(range(1, 11))
            await eva.checkpoint([Define(type=BOOK), Put(type="reading.Book", fields={"title": "Emma"}, cites=(1,))])
            assert (await eva.compute("[b.title for b in reading.books]")).value == ["Emma"]
            assert "eva" in [each.user for each in (await client.users()).users]
            with pytest.raises(Refused, match="text is empty"):
                await eva.add(" ")

    asyncio.run(main())


async def types_are_known(client: Client, later: AsyncClient) -> None:
    """Read by the type checker alone."""
    ana, eva = client.user("ana"), later.user("eva")
    assert_type(ana.recall("tea", k=3), responses.Recalled)
    assert_type(await eva.recall("tea", k=3), responses.Recalled)
    assert_type(await later.users(), responses.UserPage)
    assert_type(ana.add("tea").positions, tuple[int, ...])
    assert_type(ana.put("reading.Book", {"title": "Emma"}).record, str)
    assert_type(ana.tag(), str)
    assert_type(ana.events(), Generator[responses.AlertEvent, None, None])
    assert_type(eva.events(), AsyncGenerator[responses.AlertEvent, None])
    assert_type(eva.entries(), AsyncGenerator[responses.Entry, None])
    assert_type(client.users(), responses.UserPage)
    ana.recall(3)  # type: ignore[arg-type] # a query is text
    ana.recall("tea", best=3)  # type: ignore[call-arg] # there is no such argument
    print(eva.recall("tea").hits)  # type: ignore[attr-defined] # it must be awaited first


def test_ids_of_any_kind_reach_the_same_user(client: Client) -> None:
    for name in ("ana maria", "a?b#c&d=e", "100%", "ü", "a+b", "+49 170", "日本", "x" * 255):
        client.user(name).add(f"I am {name}")
        assert client.user(name).log().entries[0].entry == {
            **(client.user(name).log().entries[0].entry or {}),
            "text": f"I am {name}",
        }
        assert name in [each.user for each in client.users(limit=1000).users]


def test_types_coverage_conflicts_and_differences_can_be_read(client: Client) -> None:
    flo = client.user("flo")
    flo.add("I read Emma")
    flo.checkpoint([Define(type=BOOK), Put(type="reading.Book", fields={"title": "Emma"}, cites=(1,))])
    title = responses.FieldOfType(name="title", type="str", doc="", policy="latest")
    assert flo.types().types == (
        responses.Type(
            type="reading.Book",
            collection="reading.books",
            doc="",
            cardinality="many",
            key=("title",),
            fields=(title,),
            records=1,
        ),
    )
    assert flo.types(as_of=1) == responses.Types(types=())
    assert flo.coverage() == responses.Coverage(domains={}, waiting=0, unread=0, stuck={})
    assert flo.conflicts() == responses.Conflicts(conflicts=())
    assert [change.what for change in flo.diff(1, 2).changes] == ["reading.Book", "reading.Book:emma"]
    assert flo.diff(2).changes == ()
    today = datetime.now(UTC).date()
    assert flo.records(told=today).records == flo.records().records == flo.records(known=2, valid=today).records
    assert flo.records(told=date(2020, 1, 1)).records == ()
    assert flo.compute("len(reading.books)", told=date(2020, 1, 1)).value == 0
    told = flo.diff(date(2020, 1, 1), today + timedelta(days=1), clock="told")
    assert [change.what for change in told.changes] == ["reading.Book:emma"]
