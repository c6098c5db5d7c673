"""Lasting wishes of the user are recognised by their form, and are shown with questions that share no word with them."""

from datetime import UTC, datetime, timedelta

import pytest

from uac import Memory, open_store
from uac.recall.lasting_wishes import is_lasting_wish
from uac.schema.entries import Observation

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "said",
    [
        "Always give distances in kilometres.",
        "OK, and never book anything before 9.",
        "Please give me distances in kilometres always, not miles.",
        "Could you from now on answer in Dutch?",
        "When I ask about Edie, no bullet points.",
        "Use the 24 hour clock please, I once turned up at 6.",
        "Call me Sam.",
        "Don't suggest any museums.",
        "I'd prefer short answers.",
        "I like buying second hand wherever possible.",
        "Bitte rechne immer in Kilometern.",
        "Ab jetzt bitte keine Listen mehr.",
        "Wenn ich nach Edie frage, bitte keine Listen.",
        "Réponds-moi toujours en français.",
        "Désormais, pas de viande.",
        "Por favor, dame siempre las distancias en kilómetros.",
        "De ahora en adelante, sin listas.",
        "Per favore, dammi sempre le distanze in chilometri.",
        "Por favor, use sempre quilômetros.",
        "Пожалуйста, всегда пиши расстояния в километрах.",
        "以后都用公里。",
        "これからは、距離はキロで教えてください。",
        "من فضلك اكتب المسافات بالكيلومتر دائما",
    ],
)
def test_a_wish_that_is_to_hold_for_later_is_recognised(said: str) -> None:
    assert is_lasting_wish(said)


@pytest.mark.parametrize(
    "said",
    [
        "I always take the bus.",
        "She's never been to Hull, has she?",
        "We've always loved the sea.",
        "Please book a table for tonight.",
        "Call me back when you can.",
        "When I asked the doctor, no one knew.",
        "If I ask nicely, maybe they will come.",
        "Don't give me ideas.",
        "Ich war noch nie in Hull.",
        "Wir gehen immer samstags.",
        "Je suis toujours en retard.",
        "Siempre llego tarde.",
        "Non ci vado mai.",
        "Я никогда там не был.",
        "我每次都迟到。",
        "いつも遅れます。",
        "",
    ],
)
def test_what_somebody_does_or_asks_for_once_is_no_lasting_wish(said: str) -> None:
    assert not is_lasting_wish(said)


@pytest.fixture
def memory() -> Memory:
    """Forty turns about a journey, and one wish without any of their words."""
    memory = Memory(open_store("memory:").log("ana"), packs=())
    texts = [f"Day {day} of the journey from Leeds to Inverness, the road was wet." for day in range(40)]
    texts[20:20] = ["Please give me every length in kilometres always."]
    memory.log.append(
        [
            Observation(text=text, said=START + timedelta(hours=place), session="trip" if "road" in text else "chat")
            for place, text in enumerate(texts)
        ]
    )
    return memory


def test_a_wish_is_shown_with_a_question_that_shares_no_word_with_it(memory: Memory) -> None:
    found = memory.recall("How far was the journey from Leeds to Inverness?", tokens=300)
    (wish,) = [hit for hit in found.hits if hit.position == 21]
    assert wish.channels["wish"] > 0
    assert "words" not in wish.channels
    assert (
        '[21] "Please give me every length' in memory.context("How far was the journey to Inverness?", tokens=300).text
    )


def test_a_wish_takes_no_more_than_its_share_and_none_without_its_channel(memory: Memory) -> None:
    question = "How far was the journey from Leeds to Inverness?"
    assert 21 not in [hit.position for hit in memory.recall(question, tokens=70).hits]
    assert 21 not in [hit.position for hit in memory.recall(question, tokens=300, without=["wish"]).hits]


def test_what_the_assistant_promises_is_no_wish_of_the_user() -> None:
    memory = Memory(open_store("memory:").log("ana"), packs=())
    memory.log.append([Observation(text="Please always use grams.", said=START, role="assistant")])
    assert [hit.channels.get("wish") for hit in memory.recall("grams", tokens=100).hits] == [None]
