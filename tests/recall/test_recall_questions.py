"""How a question is asked: to or about the assistant, in several queries, inside a conversation, for an outline."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.examples import examples
from support.recall import World
from uac.errors import Refused
from uac.recall.question_kinds import asks_for_outline, has_topic, is_about_assistant, question_weights
from uac.recall.question_options import QuestionOptions, read_question_options
from uac.recall.search import Filter
from uac.recall.search_settings import SearchSettings
from uac.text.search_terms import query_word_terms

MARCH = datetime(2025, 3, 1, 9, tzinfo=UTC)
TURNS = Filter(kinds=("observation",))


# --- to the assistant, or about it ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "What did you suggest when I asked about the dust?",
        "What was your advice on sleep?",
        "When is the earliest that we can leave? You worked it out for me once.",
        "Can you repeat what you said about the hood?",
        "Was hast du mir zum Schlafen empfohlen?",
        "Was war dein Rat?",
        "Que m'as-tu conseillé ? Tu m'as dit quoi ?",
        "¿Qué me recomendaste para dormir?",
        "Что ты посоветовал?",
        "你的建议是什么？",
        "What did you suggest for the garden?",
        "Which book have you recommended?",
        "Was hast du mir für den Garten vorgeschlagen?",
        "Hast du mir nicht einen Arzt empfohlen?",
        "Der Film, den du mir empfohlen hast",
        "Was war dein Vorschlag?",
        "Qu'est-ce que tu m'as conseillé ?",
        "Que m'as-tu recommandé ?",
        "Quels étaient tes conseils ?",
        "¿Qué me recomendaste?",
        "¿Qué me has dicho de Roma?",
        "Che cosa mi hai consigliato?",
        "Cosa hai detto del medico?",
        "O que você sugeriu?",
        "Что ты мне посоветовал?",
        "你之前建议我做什么？",
        "あなたのおすすめは何でしたか",
        "بماذا نصحتني؟",
        "As you said yesterday, which one?",
        "Before the race you wrote me a schedule. When was I meant to get up?",
        "You once gave me ideas for a present. What were they?",
        "Can you sum up what you and I worked out for the interview?",
        "What were your comments on my answer?",
        "The plan you'd made for June, what was it?",
        "Which heater did we come up with, and what had you already told me about it?",
        "Die Liste, die du mir gemacht hast",
        "Du hast mir einmal einen Zeitplan geschrieben. Wann sollte ich aufstehen?",
        "Was stand in deinem Trainingsplan?",
        "Tu m'avais préparé une liste, laquelle ?",
        "¿Qué decía el plan que me hiciste?",
        "Com'era il piano che mi avevi preparato?",
        "Qual era o plano que você me fez?",
        "Что было в плане, который ты мне составил?",
        "你帮我列的清单里有什么？",
        "あなたが作ったリストは何でしたか",
        "ما هي خطتك؟",
    ],
)
def test_a_question_about_what_the_assistant_said_is_recognised(question: str) -> None:
    assert is_about_assistant(question)


@pytest.mark.parametrize(
    "question",
    [
        "Can you list what I bought for the kitchen?",
        "Could you remind me which grout I chose?",
        "Thank you! Would you look up my shoe size?",
        "Kannst du mir sagen, wann ich fliege?",
        "Peux-tu me rappeler mon adresse ?",
        "Do you know where I live?",
        "Can you list my purchases?",
        "Could you remind me what I said?",
        "Hast du eine Idee, wo ich den Pass gelassen habe, den mir Ana empfohlen hat?",
        "Hast du eine Idee, wo ich meinen Pass habe?",
        "Hast du Zeit, mir zu sagen, was ich gekauft habe?",
        "Hast du noch, was ich gesagt habe?",
        "Kannst du mir sagen, was der Arzt empfohlen hat?",
        "Weißt du, was meine Schwester gesagt hat?",
        "Tu as une idée de ce que le médecin a dit ?",
        "As-tu noté ce que j'ai dit ?",
        "Peux-tu me rappeler ce que Paul a conseillé ?",
        "¿Tienes idea de lo que dijo el médico?",
        "¿Has visto lo que compré?",
        "Hai un'idea di cosa ha detto il medico?",
        "Puoi dirmi cosa ho comprato?",
        "Você sabe o que o médico disse?",
        "Ты помнишь, что сказал врач?",
        "你知道我买了什么吗？",
        "Do you know what my doctor recommended?",
        "Have you got my list of what the vet said?",
        "Can you put together a plan for my week?",
        "Could you set up my cycling for March?",
        "Please tell her what I told you about it.",
        "What did we spend on the van?",
        "Kannst du mir einen Plan machen?",
        "Peux-tu faire une liste ?",
    ],
)
def test_a_question_that_only_addresses_the_assistant_is_not_about_it(question: str) -> None:
    assert not is_about_assistant(question)


def test_can_you_favours_the_words_of_the_user() -> None:
    world = World()
    world.say("Buy grout and a trowel for the kitchen.", role="assistant")
    world.say("I bought grout for the kitchen.", session="t")
    assert world.found("Can you list the grout for the kitchen?")[0] == 2
    assert world.find("Can you list the grout for the kitchen?").hits[1].channels.keys() == {"words", "session"}


def test_an_answer_of_the_assistant_is_shown_whole_if_the_question_is_about_it() -> None:
    world = World()
    tips = " ".join(f"Tip number {number} is to breathe slowly and to count the waves." for number in range(30))
    world.say("How do I keep dust out?")
    world.say(f"Hang a zip door against the dust. {tips}", role="assistant")
    found = world.follow().find("What did you suggest against dust?", TURNS, tokens=2000)
    shown = sum(len(hit.text) for hit in found.hits if hit.position == 2)
    assert shown == len(f"Hang a zip door against the dust. {tips}")
    plain = world.follow().find("What keeps dust out?", TURNS, tokens=2000)
    assert sum(len(hit.text) for hit in plain.hits if hit.position == 2) < shown


def test_an_outline_has_the_assistants_turns_only_if_the_question_is_about_them() -> None:
    world = World()
    world.say("The interview is in May, I am nervous about the interview.")
    world.say("For the interview, prepare three stories.", role="assistant")
    of_both = world.follow().find("Sum up what you and I worked out for the interview.", TURNS, tokens=500)
    assert [hit.position for hit in of_both.hits] == [1, 2]
    assert of_both.notes == ("outline: every matching turn, shortened, in order of time",)
    of_the_user = world.follow().find("Sum up what I said about the interview.", TURNS, tokens=500)
    assert [hit.position for hit in of_the_user.hits] == [1]
    assert of_the_user.notes == (
        "outline: every matching turn that is not the assistant's, shortened, in order of time",
    )


def test_a_turn_is_found_by_what_the_assistant_answered_to_it() -> None:
    world = World()
    tips = " ".join(f"Tip number {number} is to breathe slowly and to count the waves." for number in range(30))
    world.say("Got 24 square metres of armaflex.")
    world.say(f"Well done! {tips} That is enough insulation for the roof.", role="assistant")
    world.say("Thanks, off to bed.")
    found = {hit.position: hit.channels for hit in world.find("Which insulation?", TURNS).hits}
    assert found[1].keys() == {"around", "person", "session"}
    assert 1 not in {hit.position for hit in world.follow().find("Which insulation?", TURNS, without=["around"]).hits}


# --- why a passage is found -------------------------------------------------------------------------------------------


def test_a_passage_that_shares_no_word_has_the_words_around_it_and_none_of_its_own() -> None:
    world = World()
    world.say("What will you wear to the wedding?", role="assistant")
    world.say("The green dress.")
    by_position = {hit.position: hit.channels for hit in world.find("wedding", TURNS).hits}
    assert {"words", "around"} & by_position[1].keys() == {"words"}
    assert {"words", "around"} & by_position[2].keys() == {"around"}


# --- several queries --------------------------------------------------------------------------------------------------


def test_several_queries_find_what_each_of_them_finds_and_say_how_much_each_gave() -> None:
    world = World()
    world.say("Dario will repair the boiler.", session="a")
    world.say("The concert was loud.", session="b")
    world.say("Sixty euros an hour, says Dario.", session="c")
    options = QuestionOptions(queries=("boiler repair", "euros an hour"))
    found = world.follow().find("Who comes?", TURNS, k=5, options=options)
    assert {hit.position for hit in found.hits} == {1, 3}
    for hit in found.hits:
        assert hit.score == pytest.approx(sum(hit.channels.values()), abs=1e-3)
        assert hit.channels.keys() <= {"query 1", "query 2", "query 3"}


def test_a_passage_that_two_queries_rank_first_is_first() -> None:
    world = World()
    world.say("Tea in the morning.", session="a")
    world.say("Tea with lemon in the garden.", session="b")
    world.say("Lemon cake.", session="c")
    found = world.follow().find("tea", TURNS, k=3, options=QuestionOptions(queries=("lemon", "garden")))
    assert found.hits[0].position == 2


def test_the_same_query_twice_is_one_query() -> None:
    world = World()
    world.say("Tea in the morning.")
    assert world.follow().find("tea", TURNS, k=3, options=QuestionOptions(queries=("tea", " "))) == world.find(
        "tea", TURNS, k=3
    )


@settings(max_examples=examples(20), deadline=None)
@given(st.permutations(["lemon", "garden", "morning"]))
def test_the_order_of_further_queries_does_not_change_what_is_found(queries: list[str]) -> None:
    world = World()
    for number, text in enumerate(
        ["Tea in the morning.", "Tea in the garden.", "Lemon cake.", "Morning in the garden."]
    ):
        world.say(text, session=str(number))
    found = world.follow().find("tea", TURNS, k=9, options=QuestionOptions(queries=tuple(queries)))
    other = world.follow().find("tea", TURNS, k=9, options=QuestionOptions(queries=("garden", "lemon", "morning")))
    assert [(hit.position, hit.score) for hit in found.hits] == [(hit.position, hit.score) for hit in other.hits]


def test_too_many_queries_are_refused() -> None:
    with pytest.raises(Refused, match=r"queries has 4 texts\. Use at most 3 beside the question\."):
        read_question_options(["a", "b", "c", "d"])
    with pytest.raises(Refused, match=r"queries is 'a'\. Use a list of texts\."):
        read_question_options("a")


# --- inside a conversation --------------------------------------------------------------------------------------------


def running() -> World:
    world = World()
    world.say("First I level the floor, then I tile the splashback.", session="plan")
    world.say("I fly to Rome next week.", session="trip")
    world.say("The floor is level now.", session="now")
    return world


def test_the_running_session_says_what_a_question_is_about() -> None:
    recall = running().follow()
    assert [hit.position for hit in recall.find("What's next?", TURNS, k=5).hits] == [2]
    found = recall.find("What's next?", TURNS, k=5, options=QuestionOptions(within="now"))
    assert {hit.position for hit in found.hits} == {1, 2, 3}
    assert next(hit for hit in found.hits if hit.position == 1).channels.keys() == {"thread"}


def test_the_turns_after_a_position_are_the_running_conversation() -> None:
    recall = running().follow()
    assert recall.find("What's next?", TURNS, k=5, options=QuestionOptions(after=2)) == recall.find(
        "What's next?", TURNS, k=5, options=QuestionOptions(within="now")
    )


def test_times_in_the_running_conversation_are_not_asked_about() -> None:
    world = World()
    world.say("Last week I levelled the floor.", session="now", on=MARCH)
    world.say("I fly to Rome.", session="trip", on=MARCH + timedelta(days=300))
    found = world.follow().find(
        "What's next?", TURNS, k=5, options=QuestionOptions(within="now"), now=MARCH + timedelta(days=307)
    )
    assert [hit.position for hit in found.hits] == [1]
    assert found.notes == ()


def test_a_session_that_does_not_exist_changes_nothing() -> None:
    recall = running().follow()
    assert recall.find("floor", TURNS, k=5, options=QuestionOptions(within="no such")) == recall.find(
        "floor", TURNS, k=5
    )


def test_what_was_said_lately_comes_first_only_if_that_is_asked_for() -> None:
    world = World()
    world.say("The boiler makes a noise.", session="then", on=MARCH)
    world.say("The boiler makes a loud noise again.", session="now", on=MARCH + timedelta(days=300))
    recall = world.follow()
    plain, lately = (
        recall.find("boiler noise", TURNS, k=2, options=QuestionOptions(recent=recent)).hits for recent in (False, True)
    )
    assert [hit.position for hit in plain] == [1, 2]
    assert [hit.position for hit in lately] == [2, 1]
    assert [round(hit.channels.get("recent", 0.0), 2) for hit in (*lately, *plain)] == [0.4, 0.0, 0.0, 0.0]
    off = recall.find("boiler noise", TURNS, k=2, options=QuestionOptions(recent=True), without=["recent"])
    assert off.hits == plain


# --- an outline -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "In what order did I build the shed?",
        "Can you summarise how the trip went?",
        "How many times did I call the bank?",
        "What have we talked about?",
        "Can you list my purchases?",
        "In welcher Reihenfolge war das?",
        "Combien de fois ai-je couru ?",
        "¿Cuántas veces he llamado?",
        "Сколько раз я звонил?",
        "请总结一下",
        "Put the moves of the party in order, please.",
        "Take me through the names that we considered.",
        "Give me an overview of how trade has been.",
        "Write a short history of the trouble with my knee.",
    ],
)
def test_a_question_for_all_mentions_asks_for_an_outline(question: str) -> None:
    assert asks_for_outline(question)


@pytest.mark.parametrize("question", ["Where do I live?", "What did I order at the café?", "Which list is mine?"])
def test_other_questions_ask_for_none(question: str) -> None:
    assert not asks_for_outline(question)


def test_an_outline_has_the_turns_of_people_shortened_in_order_of_time() -> None:
    world = World()
    for day, what in enumerate(("dug the foundation", "raised the walls", "nailed the roof")):
        on = MARCH + timedelta(days=day)
        world.say(f"What a long week it has been again. I {what} of the shed.", session=str(day), on=on)
        world.say(
            f"Well done! A shed needs patience. You {what} of the shed.", role="assistant", session=str(day), on=on
        )
    found = world.follow().find("In what order did I build the shed?", TURNS, tokens=500)
    assert found.text.splitlines() == [
        "[2025-03-01]",
        "user: What a long week it has been again. I dug the foundation of the shed.",
        "[2025-03-02]",
        "user: What a long week it has been again. I raised the walls of the shed.",
        "[2025-03-03]",
        "user: What a long week it has been again. I nailed the roof of the shed.",
    ]
    plain = world.follow().find(
        "In what order did I build the shed?", TURNS, tokens=500, options=QuestionOptions(outline=False)
    )
    assert {hit.role for hit in plain.hits} == {"user", "assistant"}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what have we talked about", False),
        ("can you summarise everything so far", False),
        ("fass unsere gespräche zusammen", False),
        ("de quoi avons nous parlé", False),
        ("summarise the trip", True),
        ("fass die reise zusammen", True),
    ],
)
def test_some_questions_for_an_outline_name_no_topic(question: str, expected: bool) -> None:
    assert has_topic(query_word_terms(question, {"en": 1, "de": 1, "fr": 1})) is expected


def test_without_a_topic_an_outline_has_the_first_turns_of_every_conversation() -> None:
    world = World()
    for number, topic in enumerate(("greenhouse", "marathon", "piano")):
        for turn in ("begins", "goes on", "ends"):
            on = MARCH + timedelta(days=number)
            world.say(f"The {topic} {turn}.", session=topic, on=on)
            world.say(f"Fine, the {topic}!", role="assistant", session=topic, on=on)
    found = world.follow().find("What have we talked about?", TURNS, tokens=48)
    assert found.text.splitlines() == [
        "[2025-03-01]",
        "user: The greenhouse begins.",
        "[2025-03-02]",
        "user: The marathon begins.",
        "[2025-03-03]",
        "user: The piano begins.",
    ]
    assert (found.matched, found.left_out) == (9, 6)
    assert found.notes == (
        "outline: the question names no topic, so every turn that is not the assistant's, shortened, in order of time",
    )
    only = Filter(kinds=("observation",), sessions=("piano",))
    told = world.follow().find("What have we talked about?", only, tokens=500)
    assert [hit.text for hit in told.hits] == ["The piano begins.", "The piano goes on.", "The piano ends."]


def test_a_long_turn_in_an_outline_is_the_half_that_has_the_words_of_the_question() -> None:
    world = World()
    for number in range(6):
        world.say("The weather was fine and the coffee was good. Everything was fine and good.", session=str(number))
    text = "The weather was fine and the coffee was good. I bought a walnut desk for the shed in Graz."
    world.say(f"{text} Everything was fine.", session="x")
    found = world.follow().find("shed", TURNS, tokens=300, options=QuestionOptions(outline=True))
    (hit,) = [hit for hit in found.hits if hit.position == 7]
    assert "walnut desk" in hit.text
    assert 2 * len(hit.text) >= hit.whole > len(hit.text)
    assert f"{text} Everything was fine."[hit.start : hit.stop] == hit.text


def test_a_turn_is_not_shortened_inside_a_number_or_behind_a_title() -> None:
    text = "By the way, even Priya boasts of 27.5 km two days ago, not me, and I saw Dr. Lindqvist about the left knee."
    world = World()
    world.say(f"{text} Work is fine and all that.")
    (hit,) = world.follow().find("knee", TURNS, tokens=300, options=QuestionOptions(outline=True)).hits
    assert hit.text == text


def test_within_a_budget_weaker_matches_are_shortened_so_that_more_of_them_fit() -> None:
    world = World()
    filler = "It went on for quite a while and in the end everybody was fine with it."
    for number in range(12):
        world.say(f"{filler} We talked about paint no. {number} for the shed in Graz. {filler}", session=str(number))
    recall = world.follow()
    found = recall.find("What did I say about paint for the shed?", TURNS, tokens=500)
    whole = recall.find(
        "What did I say about paint for the shed?", TURNS, tokens=500, settings=SearchSettings(short_tail=False)
    )
    assert {len(hit.text) == hit.whole for hit in found.hits} == {True, False}
    assert all(len(hit.text) == hit.whole for hit in whole.hits)
    assert len(found.hits) > len(whole.hits)
    assert all("paint no." in hit.text and 2 * len(hit.text) >= hit.whole for hit in found.hits)
    assert all(len(hit.text) == hit.whole for hit in recall.find("paint for the shed", TURNS, k=12).hits)


# --- long messages ----------------------------------------------------------------------------------------------------


def test_a_name_in_an_aside_counts_in_full() -> None:
    question = "Hello again. I have been thinking about Graham all day. What has he done for the shop?"
    assert question_weights(question) == [
        ("Hello again. ", 0.3),
        ("I have been thinking about Graham all day. ", 0.3),
        ("What has he done for the shop?", 1.0),
        (" Graham", 1.0),
    ]


def test_greetings_and_asides_of_a_long_message_count_little() -> None:
    world = World()
    world.say("Work was terrible and my boss shouted the whole week.", session="a")
    world.say("The walnut desk was 400 euros.", session="b")
    question = "Hello again! Work was terrible this week, my boss shouted. What did the walnut desk cost in euros? Be brief, please."
    assert world.found(question)[0] == 2


def test_a_question_of_one_sentence_or_without_a_question_mark_counts_whole() -> None:
    for question in ("Where do I live?", "Tell me. All of it. Now.", "Who? Where? When?", ""):
        assert question_weights(question) == [(question, 1.0)]
