"""The names that a request shows are those that its turns may mean, in the spelling of the records."""

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from support.scripted_model import TUESDAY, aside, fact, facts, heard, kept, teach, whys
from support.short_logs import Story, type_of
from uac import Memory
from uac.conversation.relevant_names import MAX_NAME_TOKENS, MAX_NAMES, KnownNames, relevant_names
from uac.conversation.windows import Window, WindowTurn
from uac.schema.entries import Fact, Observation
from uac.text.token_count import count_tokens

PERSON = type_of("people.Person", key=["name"], name="str", relation="str | None")
PROFILE = type_of("people.Profile", cardinality="one", name="str | None")
BILL = type_of("finance.Bill", cardinality="event", payee="str", day="date")


def shown(story: Story, *texts: str, waiting: tuple[Fact, ...] = ()) -> list[str]:
    """The names in a request for these turns."""
    said = datetime(2026, 1, 1, tzinfo=UTC)
    turns = [Observation(text=text, said=said, source="chat") for text in texts]
    window = Window(tuple(WindowTurn(n, turn, 0, len(turn.text), is_new=True) for n, turn in enumerate(turns, 1)))
    return relevant_names(window, KnownNames.of(story.project, waiting))


def family() -> Story:
    story = Story()
    story.types(PERSON, PROFILE, BILL)
    story.tell("people.Profile", name="Ana")
    story.tell("people.Person", name="Jonas Peters", relation="brother")
    story.tell("people.Person", name="Mia")
    story.tell("finance.Bill", payee="Kestrel Energy", day="2026-01-02")
    story.tell("finance.Bill", payee="the baker", day="2026-01-03")
    return story


def test_people_are_shown_with_who_they_are_and_those_that_are_mentioned_come_first() -> None:
    assert shown(family(), "Lunch with jonas went well.") == ["Jonas Peters (brother)", "Ana", "Mia"]


def test_a_payee_is_shown_only_if_the_conversation_has_one_of_its_words() -> None:
    assert shown(family(), "Kestrel raised the price.") == ["Kestrel Energy", "Ana", "Mia", "Jonas Peters (brother)"]


def test_a_vehicle_is_shown_by_the_name_that_the_user_gives_it() -> None:
    story = family()
    story.types(type_of("household.Vehicle", key=["name"], name="str", make="str | None"))
    story.tell("household.Vehicle", name="the Accord", make="Honda")
    assert shown(story, "the accord needs tyres")[0] == "the Accord"
    assert shown(story, "Took the Honda in.")[0] == "Honda"


def test_whom_a_waiting_fact_is_about_is_shown_too() -> None:
    waiting = Fact(text="Tom has a dog.", about="Tom", authority="user", cites=())
    assert shown(family(), "Hello.", waiting=(waiting,)) == ["Ana", "Mia", "Jonas Peters (brother)", "Tom"]


@settings(max_examples=10)
@given(st.integers(0, 60))
def test_however_many_people_there_are_the_list_is_bounded_and_has_the_one_that_is_mentioned(people: int) -> None:
    story = Story()
    story.types(PERSON)
    for number in range(people):
        story.tell("people.Person", name=f"Person Number {chr(65 + number % 26)}{number}")
    story.tell("people.Person", name="Zoë Quill")
    story.tell("people.Person", name="Last One")
    names = shown(story, "Zoë called.")
    assert names[0] == "Zoë Quill"
    assert len(names) <= MAX_NAMES
    assert count_tokens(" ".join(names)) <= MAX_NAME_TOKENS


def told_of_a_repair() -> tuple[Memory, int]:
    """A memory that knows what a repair was to cost, and the turn in which it hears what it did cost."""
    memory = heard("The boiler repair costs 180 euros.", session="a")
    teach(memory, facts(fact("The boiler repair costs 180 euros.", 1, "The boiler repair costs 180 euros")), aside(2))
    return memory, memory.add("It came to 215 euros in the end.", said=TUESDAY, session="b")


def test_a_number_of_before_may_stand_beside_the_new_one_and_is_marked() -> None:
    memory, turn = told_of_a_repair()
    text = "The boiler repair was to cost 180 euros and cost 215 euros."
    teach(memory, facts(fact(text, turn, "It came to 215 euros", corrects=True)), aside(turn + 1))
    assert [(each.text, each.unsure) for each in kept(memory)] == [
        ("The boiler repair costs 180 euros.", ""),
        (text, "the number 180 is not in the quoted words"),
    ]


def test_a_number_is_no_number_of_before_because_its_digits_were_said_in_two() -> None:
    memory = heard("Readly kostet 26,30 Euro.", session="a")
    teach(memory, facts(fact("Readly kostet 26,30 Euro.", 1, "Readly kostet 26,30 Euro")), aside(2))
    turn = memory.add("Readly will jetzt 25,10 Euro.", said=TUESDAY, session="b")
    wrong = fact("Readly kostet jetzt 26,10 Euro.", turn, "Readly will jetzt 25,10 Euro", corrects=True)
    _model, learned = teach(memory, facts(wrong), facts(), facts())
    assert whys(learned.outcomes)[0] == ["The number 26,10 is not in the quoted words."]
    assert [each.text for each in kept(memory)] == ["Readly kostet 26,30 Euro."]


def test_a_number_of_before_instead_of_the_new_one_is_refused() -> None:
    memory, turn = told_of_a_repair()
    wrong = fact("The boiler repair cost 180 euros.", turn, "It came to 215 euros")
    _model, learned = teach(memory, facts(wrong), facts(), facts())
    assert whys(learned.outcomes) == [["The number 180 is not in the quoted words."], [], []]
