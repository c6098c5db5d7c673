"""Words that only look like a time: manner, names, and dates whose year or order the text decides."""

from datetime import UTC, datetime

import pytest

from uac.text.dates.mentions import mentions
from uac.text.dates.questions import asked_events, asked_times

NOW = datetime(2023, 11, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "question",
    [
        "What can I cook while fitting my time constraints?",
        "Suggest a workout while keeping my budget in mind",
        "Plan meals while respecting my allergies",
        "Can you write it while keeping a friendly tone?",
        "What should I read while saving money?",
        "Give me ideas while considering my schedule",
        "Find a route while avoiding tolls",
        "Wie lerne ich, während ich meine Zeit gut einteile?",
        "Was kann ich kochen, während ich auf mein Budget achte?",
        "Que cuisiner tout en respectant mes contraintes de temps ?",
        "Propose un plan tout en gardant mon budget",
        "¿Qué puedo cocinar mientras respeto mi presupuesto?",
        "Sugiere rutas mientras evito peajes",
        "Cosa posso cucinare mentre rispetto i miei limiti di tempo?",
        "Sugira um plano enquanto respeito o meu orçamento",
        "Make the letter shorter while preserving the meaning",
        "Help me decide before committing to anything",
        "Keep it simple while covering the basics",
        "Draft it while staying under 200 words",
    ],
)
def test_a_clause_that_says_how_is_not_an_event(question: str) -> None:
    assert (asked_events(question), asked_times(question, NOW)) == ((), ())


@pytest.mark.parametrize(
    "question",
    [
        "What did I eat while living in Oslo?",
        "Was war während meiner Reise?",
        "What did we hear during the meeting?",
        "¿Qué pasó durante la boda?",
        "Who called before the wedding?",
    ],
)
def test_a_clause_that_says_when_is_still_an_event(question: str) -> None:
    assert len(asked_events(question)) == 1


@pytest.mark.parametrize(
    "question",
    [
        "What did I say about Rio de Janeiro?",
        "Was habe ich über Rio de Janeiro gesagt?",
        "O que eu disse sobre o Rio de Janeiro?",
        "Where is May's office?",
        "What does April think of the flat?",
        "When did I meet June?",
        "Tell me about Augusta",
        "What did Mark and Jan decide?",
        "What did I say about marching bands?",
        "May I see the list?",
        "Wer ist Jan?",
        "Was hat Mai gesagt?",
        "¿Qué dije del restaurante Abril?",
        "Did I like the Second World War museum?",
        "How was the Sunday Times subscription?",
        "What do I know about the Martius Hotel?",
        "Que disait Avril Lavigne ?",
    ],
)
def test_a_name_is_not_a_month(question: str) -> None:
    assert asked_times(question, NOW) == ()


@pytest.mark.parametrize(
    "question",
    [
        "What did I do in May?",
        "Trips in April and June",
        "What happened between March and April?",
        "Was war im Mai?",
        "April 2023",
        "What did I buy last August?",
    ],
)
def test_a_month_is_still_a_month(question: str) -> None:
    assert asked_times(question, NOW)


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("What is planned for December?", "2023-12"),
        ("What am I doing in December?", "2023-12"),
        ("Was ist für Dezember geplant?", "2023-12"),
        ("Was habe ich im Dezember vor?", "2023-12"),
        ("Qu'est-ce qui est prévu en décembre ?", "2023-12"),
        ("¿Qué tengo planeado para diciembre?", "2023-12"),
        ("Cosa ho in programma per dicembre?", "2023-12"),
        ("O que está planejado para dezembro?", "2023-12"),
        ("Which trips are coming up in January?", "2024-01"),
        ("What will I need in February?", "2024-02"),
        ("What have I booked for March?", "2024-03"),
        ("Was steht im Januar an?", "2024-01"),
        ("What are my plans for next December?", "2023-12"),
        ("What did I do in December?", "2022-12"),
        ("Was habe ich im Dezember gemacht?", "2022-12"),
        ("Qu'ai-je fait en décembre ?", "2022-12"),
        ("¿Qué hice en diciembre?", "2022-12"),
        ("What is scheduled for the 5th of December?", "2023-12-05"),
        ("Welche Termine habe ich im Dezember?", "2023-12"),
        ("What's happening in December?", "2023-12"),
    ],
)
def test_a_month_that_is_planned_for_is_the_one_to_come_and_any_other_the_last_one(question: str, start: str) -> None:
    asked = asked_times(question, NOW)
    assert asked
    assert (asked[0].start or asked[0].end).startswith(start)


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("Was habe ich am 3.4. gemacht?", "2023-04-03"),
        ("Was war am 03.04.2023?", "2023-04-03"),
        ("What did I do on 03/04/2023?", "2023-03-04"),
        ("What happened on 4/25/2023?", "2023-04-25"),
        ("What happened on 25/04/2023?", "2023-04-25"),
        ("Qu'ai-je fait le 03/04/2023 ?", "2023-04-03"),
        ("¿Qué hice el 03/04/2023?", "2023-04-03"),
        ("Cosa ho fatto il 3/4/2023?", "2023-04-03"),
        ("O que fiz em 03/04/2023?", "2023-04-03"),
        ("Was habe ich am 3. April gemacht?", "2023-04-03"),
        ("What did I do on 2023-04-03?", "2023-04-03"),
        ("Was war vom 3.4. bis 5.4.?", "2023-04-03"),
        ("Wat deed ik op 3-4-2023?", "2023-04-03"),
        ("Co robiłem 3.04.2023?", "2023-04-03"),
        ("Что я делал 03.04.2023?", "2023-04-03"),
        ("2023年4月3日我做了什么？", "2023-04-03"),
        ("2023年4月3日に何をした？", "2023-04-03"),
        ("Qu'ai-je fait le 3 avril ?", "2023-04-03"),
        ("¿Qué hice el 3 de abril?", "2023-04-03"),
        ("What did I do on April 3rd?", "2023-04-03"),
    ],
)
def test_a_date_is_read_in_the_language_of_the_question(question: str, start: str) -> None:
    assert asked_times(question, NOW)[0].start == start


@pytest.mark.parametrize(
    ("said", "start"),
    [
        ("The trip is planned for December.", "2023-12"),
        ("Die Reise ist für Dezember geplant.", "2023-12"),
        ("Le voyage est prévu pour décembre.", "2023-12"),
        ("El viaje está previsto para diciembre.", "2023-12"),
        ("Il viaggio è previsto per dicembre.", "2023-12"),
        ("A viagem está marcada para dezembro.", "2023-12"),
        ("We went there in December.", "2022-12"),
        ("Wir waren im Dezember dort.", "2022-12"),
        ("I booked it for December.", "2023-12"),
        ("I live in Rio de Janeiro.", ""),
        ("Ich wohne in Rio de Janeiro.", ""),
        ("Moro no Rio de Janeiro.", ""),
        ("Termin am 3.12.", "2023-12-03"),
        ("Rendez-vous le 03/12.", "2023-12-03"),
        ("Cita el 03/12 a las 9.", "2023-12-03"),
        ("The deadline was moved to January.", "2024-01"),
        ("Der Termin wurde auf Januar verschoben.", "2024-01"),
        ("My flight is on 12/03.", "2023-12-03"),
        ("See you on 12/25.", "2023-12-25"),
        ("Zahnarzt am 20.11. um 9 Uhr", "2023-11-20"),
    ],
)
def test_a_date_is_read_in_the_language_and_the_tense_of_the_turn(said: str, start: str) -> None:
    found = mentions(said, NOW)
    assert [mention.meanings[0].start for mention in found][:1] == ([start] if start else [])


@pytest.mark.parametrize(
    "query",
    [
        "Organiza el viaje mientras mantienes el presupuesto",
        "Planifica la semana mientras ajustas el gasto",
        "Planifie la semaine tout en respectant mon budget",
        "Pianifica la settimana rispettando i miei orari",
        "Planeje a semana respeitando meus horários",
        "¿Qué dije de Río de Janeiro?",
        "Cosa ho detto di Rio de Janeiro?",
        "Qu'est-ce que j'ai dit sur Rio de Janeiro ?",
        "¿Qué pasó en la Plaza de Mayo?",
        "When did I walk the Rua 25 de Abril?",
        "Was sagt April?",
        "Was meinte Jan?",
        "What about the March on Washington?",
        "Who won March Madness?",
        "Qu'est-ce que j'ai dit sur la planète Mars ?",
    ],
)
def test_manners_names_and_places_ask_for_no_time(query: str) -> None:
    now = datetime(2026, 11, 18, 12, tzinfo=UTC)
    assert (asked_times(query, now), asked_events(query)) == ((), ())


@pytest.mark.parametrize(
    "query",
    [
        "What have I planned for December?",
        "Was habe ich für Dezember geplant?",
        "Qu'est-ce que j'ai prévu pour décembre ?",
        "¿Qué tengo planeado para diciembre?",
        "Cosa ho in programma per dicembre?",
        "O que tenho planejado para dezembro?",
    ],
)
def test_what_is_planned_for_a_month_is_planned_for_the_next_one(query: str) -> None:
    first = asked_times(query, datetime(2026, 11, 18, 12, tzinfo=UTC))[0]
    assert (first.start, first.end, first.weight) == ("2026-12-01", "2026-12-31", 1.0)


@pytest.mark.parametrize("query", ["What did I say in the March of 2024?", "What happened in March on the farm?"])
def test_a_month_after_its_preposition_is_a_month(query: str) -> None:
    assert asked_times(query, datetime(2026, 11, 18, 12, tzinfo=UTC))[0].start[5:7] == "03"
