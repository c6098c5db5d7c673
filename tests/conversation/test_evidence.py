"""Whether words rest on other words: what a model may say, and what it has invented."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uac.conversation.checks import evidence
from uac.conversation.checks.evidence import sentence_evidence_problems, value_evidence_problems
from uac.conversation.checks.readings import QuotedText
from uac.schema.periods import Period
from uac.text import numerals, quotes
from uac.text.quotes import verbatim

SAID = datetime(2024, 5, 7, 18, 30, tzinfo=UTC)  # a Tuesday

# (what was quoted, what a model makes of it); 'words | around | known names'
TRUE = [
    # numbers
    ("I weigh 72 kilos", "The user weighs 72 kg."),
    ("we paid twenty-five dollars", "The user paid 25 dollars."),
    ("it cost 25 dollars", "It cost twenty-five dollars."),
    ("my rent is 1,300 a month", "The user's rent is 1300 a month."),
    ("my rent is 1.300 a month", "The user's rent is 1,300 a month."),
    ("my rent is 1 300 a month", "The user's rent is 1'300 a month."),
    ("I make 15k", "The user earns 15,000."),
    ("the flat was 2.5M", "The flat cost 2.5 million."),
    ("about 3 million people", "About 3,000,000 people."),
    ("half of it", "50% of it."),
    ("two hundred and five pages", "The book has 205 pages."),
    ("a couple of cats", "The user has 2 cats."),
    ("I have a dog", "The user has 1 dog."),
    ("I have no children", "The user has 0 children."),
    ("it was a dozen eggs", "The user bought 12 eggs."),
    ("I run twice a week", "The user runs 2 times a week."),
    ("I take 500mg of it", "The user takes 500 mg of it."),
    ("flight JAL-9823", "The flight is JAL 9823."),
    ("passport AB1234567", "The passport number is AB1234567."),
    ("call 415 555 0142", "The phone number is 415-555-0142."),
    ("call (415) 555-0142", "The phone number is 4155550142."),
    ("the seventh floor", "The user lives on the 7th floor."),
    ("two and a half hours", "It takes 2.5 hours."),
    ("a year and a half", "It took 1.5 years."),
    ("born in nineteen ninety-five", "The user was born in 1995."),
    ("one of my friends came", "A friend of the user came first."),
    ("the first and second try", "The user tried a second time."),
    ("ich bin fünfundzwanzig", "Der Nutzer ist 25 Jahre alt."),
    ("das kostet dreihundertfünfzig Euro", "Das kostet 350 Euro."),
    ("tengo treinta y cinco años", "El usuario tiene 35 años."),
    ("veintitrés mil euros", "Son 23.000 euros."),
    ("j'ai quatre-vingt-dix-sept livres", "L'utilisateur a 97 livres."),
    ("ho venticinque anni", "L'utente ha 25 anni."),
    ("tenho dezessete gatos", "O usuário tem 17 gatos."),
    ("我有两只猫和二十五本书", "用户有2只猫和25本书。"),
    ("三万五千元", "用户付了35000元。"),
    ("１２個のりんご", "りんごは12個。"),
    ("عندي ٤٢ كتابا", "42 كتاب"),
    # times
    ("at 9:30", "The meeting is at 9:30."),
    ("at 9", "The meeting is at 09:00."),
    ("at 5 pm", "The meeting is at 17:00."),
    ("half past nine", "The meeting is at 9:30."),
    ("quarter to five", "The meeting is at 4:45."),
    ("um halb zehn", "Das Treffen ist um 9:30 Uhr."),
    ("at noon", "Lunch is at 12:00."),
    # dates; said on Tuesday 2024-05-07
    ("I moved last Friday", "The user moved on 2024-05-03."),
    ("I moved last Friday", "The user moved on May 3, 2024."),
    ("I moved last Friday", "The user moved in May 2024."),
    ("I moved last Friday", "The user moved last Friday."),
    ("it happened yesterday", "It happened on 6 May 2024."),
    ("I start today", "The user starts on 2024-05-07."),
    ("I just quit", "The user quit on 2024-05-07."),
    ("five years ago", "The user has lived there since 2019."),
    ("I have lived here for five years", "The user has lived there since 2019."),
    ("in March 2023", "It was in March 2023."),
    ("on March 4, 2023", "It was in March 2023."),
    ("I have ten days from today", "The user has until 2024-05-17."),
    ("I have ten days from today", "The user has until 2024-05-16."),
    ("2019 was hard", "The user had a hard time in 2019."),
    ("ich bin gestern umgezogen", "Der Nutzer ist am 2024-05-06 umgezogen."),
    ("me mudé ayer", "El usuario se mudó el 6 de mayo de 2024."),
    ("昨天搬家了", "用户于2024年5月6日搬家。"),
    # names
    ("I met Anna", "The user met Anna."),
    ("anna's dog", "The dog is Anna's."),
    ("I flew to Japan", "The user likes Japanese food."),
    ("I live in San Francisco", "The user lives in SF."),
    ("I live in SF", "The user lives in San Francisco."),
    ("I know José", "The user knows Jose."),
    ("I paid 20 euros", "The user paid 20 EUR."),
    ("he came | my brother Tom visits", "Tom came."),
    ("he came || Tom", "Tom came to the user, and Tom stayed."),
    ("I like tea better", "Prefers tea."),
    ("my doctor is Dr. Smith", "The doctor is Dr. Smith."),
    ("ich unterrichte", "Der Nutzer hat einen guten Beruf als Lehrer."),
    ("I went to Spain", "The user eats Spanish food."),
    ("我去了北京", "The user went to Beijing."),
    ("nothing much", "The user said nothing. She is well. However, User does it."),
]

# (what was quoted, what a model makes of it, the thing that the reason must name)
INVENTED = [
    # numbers
    ("I weigh a lot", "The user weighs 72 kg.", "the number 72 "),
    ("I weigh 72 kilos", "The user weighs 73 kg.", "the number 73 "),
    ("we paid twenty-five dollars", "The user paid 20 dollars.", "the number 20 "),
    ("we paid twenty-five dollars", "The user paid 5 dollars.", "the number 5 "),
    ("we paid twenty-five dollars", "The user paid twenty-six dollars.", "the number twenty-six "),
    ("my rent is 1,300", "The rent is 13,000.", "the number 13,000 "),
    ("my rent is 1,300", "The rent is 300.", "the number 300 "),
    ("I make 15k", "The user earns 150,000.", "the number 150,000 "),
    ("I make 15", "The user earns 15k.", "the number 15k "),
    ("3 million people", "3 billion people.", "the number 3 billion "),
    ("two hundred pages", "The book has 2 pages.", "the number 2 "),
    ("two hundred and three hundred", "It is 203.", "the number 203 "),
    ("I have cats", "The user has two cats.", "the number two "),
    ("I have cats", "The user has three cats.", "the number three "),
    ("I run", "The user runs twice a week.", "the number twice "),
    ("some eggs", "A dozen eggs.", "the number dozen "),
    ("I take 500mg", "The user takes 50 mg.", "the number 50 "),
    ("flight JAL-9823", "The flight is JAL-9832.", "the number 9832 "),
    ("passport AB1234567", "The passport is AB1234568.", "the number 1234568 "),
    ("call 415 555 0142", "The number is 415-555-0143.", "the number 0143 "),
    ("the seventh floor", "It is on the 8th floor.", "the number 8 "),
    ("the seventh floor", "It is on the eighth floor.", "the number eighth "),
    ("it grew 5%", "It grew 50%.", "the number 50 "),
    ("two hours", "It takes two and a half hours.", "the number two and a half "),
    ("nineteen ninety-five", "It is 1996.", "1996 "),
    ("ich bin fünfundzwanzig", "Der Nutzer ist 52 Jahre alt.", "the number 52 "),
    ("ich bin alt", "Der Nutzer ist siebenundfünfzig.", "the number siebenundfünfzig "),
    ("tengo treinta y cinco años", "El usuario tiene cuarenta y cinco años.", "the number cuarenta y cinco "),
    ("tengo gatos", "El usuario tiene tres gatos.", "the number tres "),
    ("j'ai quatre-vingt-dix-sept livres", "L'utilisateur a 87 livres.", "the number 87 "),
    ("j'ai des livres", "Il a soixante-dix-sept livres.", "the number soixante-dix-sept "),
    ("ho venticinque anni", "L'utente ha ventisei anni.", "the number ventisei "),
    ("tenho gatos", "O usuário tem dezessete gatos.", "the number dezessete "),
    ("我有两只猫", "用户有三只猫。", "the number 三 "),
    ("我有猫", "用户有25只猫。", "the number 25 "),
    ("三万五千元", "用户付了三千五百元。", "the number 三千五百 "),
    ("りんご", "りんごは１２個。", "the number １２ "),
    ("عندي ٤٢ كتابا", "٤٣ كتاب", "the number ٤٣ "),
    ("it has no number", "It has 1234567890123456789012345678901234567890123.", "the number 123"),
    # times
    ("at 9:30", "The meeting is at 9:45.", "the time 9:45 "),
    ("at 9 am", "The meeting is at 9 pm.", "the time 9 pm "),
    ("at 5 pm", "The meeting is at 16:00.", "the time 16:00 "),
    ("in the morning", "The meeting is at 08:00.", "the time 08:00 "),
    ("half past nine", "The meeting is at 10:30.", "the time 10:30 "),
    # dates; said on Tuesday 2024-05-07
    ("I moved last Friday", "The user moved on 2024-05-04.", "the date 2024-05-04 does not follow: 'last Friday'"),
    ("I moved last Friday", "The user moved on May 4, 2024.", "the date May 4, 2024 does not follow"),
    ("I moved last Friday", "The user moved in June 2024.", "June 2024 does not follow"),
    ("I moved", "The user moved on 2024-05-07.", "the date 2024-05-07 is not in the quoted words"),
    ("I moved", "The user moved on a Monday.", "Monday is not in the quoted words"),
    ("I moved", "The user moved in 2023.", "2023 is not in the quoted words"),
    ("it happened yesterday", "It happened on 2024-05-05.", "the date 2024-05-05 does not follow: 'yesterday'"),
    ("in March 2023", "It was on 2023-03-04.", "the date 2023-03-04 does not follow"),
    ("five years ago", "Since 2018 the user has lived there.", "2018"),
    ("I have ten days from today", "The user has until 2024-05-20.", "2024-05-20 does not follow"),
    ("ich bin gestern umgezogen", "Der Nutzer ist am 2024-05-03 umgezogen.", "the date 2024-05-03 "),
    ("me mudé ayer", "El usuario se mudó el 9 de mayo de 2024.", "9 de mayo de 2024 does not follow"),
    ("昨天搬家了", "用户于2024年5月3日搬家。", "2024年5月3日 does not follow"),
    # names
    ("I met a friend", "The user met Maria.", "the name Maria is neither in the quoted words nor known"),
    ("I met a friend", "Maria met the user.", "the name Maria "),
    ("I met a friend", "Maria's friend met the user.", "the name Maria "),
    ("I moved", "The user moved to Berlin.", "the name Berlin "),
    ("I work for a bank", "The user works for HSBC.", "the name HSBC "),
    ("my doctor", "The doctor is Dr. Smith.", "the name Smith "),
    ("I met Anna", "The user met Bert and Anna.", "the name Bert "),
    ("ich wohne in der Stadt", "Der Nutzer wohnt in München und mag das Leben.", "the name München "),
    ("vivo en una ciudad", "El usuario vive en Sevilla.", "the name Sevilla "),
    ("j'habite en ville", "L'utilisateur habite à Lyon.", "the name Lyon "),
    ("vivo in città", "L'utente vive a Torino.", "the name Torino "),
    ("moro na cidade", "O usuário mora em Lisboa.", "the name Lisboa "),
    ("he came | my brother Tom visits | Ana", "Jerry came with Ana and Tom.", "the name Jerry "),
]


def parts(words: str) -> tuple[list[QuotedText], str, list[str]]:
    quote, around, names = (*(part.strip() for part in words.split("|")), "", "")[:3]
    return [QuotedText(quote, SAID)], around, names.split()


@pytest.mark.parametrize(("words", "sentence"), TRUE)
def test_a_sentence_that_follows_is_supported(words: str, sentence: str) -> None:
    quoted, around, names = parts(words)
    assert sentence_evidence_problems(sentence, quoted, around=around, names=names) == []


@pytest.mark.parametrize(("words", "sentence", "reason"), INVENTED)
def test_what_is_invented_is_named(words: str, sentence: str, reason: str) -> None:
    quoted, around, names = parts(words)
    found = sentence_evidence_problems(sentence, quoted, around=around, names=names)
    assert len(found) == 1
    assert reason in found[0]


def test_a_reason_tells_what_the_words_mean() -> None:
    assert sentence_evidence_problems("The user moved on 2024-05-04.", [QuotedText("I moved yesterday", SAID)]) == [
        "the date 2024-05-04 does not follow: 'yesterday', said on Tuesday 2024-05-07, is 2024-05-06"
    ]


def test_nothing_follows_from_no_grounds_but_plain_words() -> None:
    assert sentence_evidence_problems("The user has 3 cats.", []) == ["the number 3 is not in the quoted words"]
    assert sentence_evidence_problems("The user likes cats.", []) == []


def test_numbers_do_not_come_from_the_words_around_and_names_do() -> None:
    quoted = [QuotedText("she is here", SAID)]
    around = "Maria has 3 cats"
    assert sentence_evidence_problems("Maria is here.", quoted, around=around) == []
    assert sentence_evidence_problems("The user has 3 cats.", quoted, around=around) == [
        "the number 3 is not in the quoted words"
    ]


TELLS = (
    "I pay 15000 dollars on the 3rd of May 2024, call 415 555 0142, code AB1234567, every morning at 9, for ten days"
)

VALUES: list[tuple[str, Any, bool]] = [
    ("anything", None, True),
    ("anything", True, True),
    (TELLS, 15000, True),
    (TELLS, 15000.0, True),
    (TELLS, 15001, False),
    (TELLS, "15000 USD", True),
    (TELLS, "15000.00 USD", True),
    (TELLS, "1500 USD", False),
    (TELLS, {"amount": "15000", "currency": "USD"}, True),
    (TELLS, {"amount": "14000", "currency": "USD"}, False),
    (TELLS, ["15000", 9], True),
    (TELLS, ["15000", 8], False),
    (TELLS, "+415-555-0142", True),
    (TELLS, "415-555-0199", False),
    (TELLS, "AB1234567", True),
    (TELLS, "AB7654321", False),
    (TELLS, "09:00", True),
    (TELLS, "09:15", False),
    (TELLS, "2024-05-03", True),
    (TELLS, "2024-05-13", True),
    (TELLS, "2024-05-12", True),
    (TELLS, "2024-05-11", False),
    (TELLS, "2024-05", True),
    (TELLS, 2024, True),
    (TELLS, 2023, False),
    (TELLS, "2024-05-03T09:00:00+02:00", True),
    (TELLS, "2024-05-03T00:00:00Z", True),
    (TELLS, "2024-05-03T11:00:00Z", False),
    (TELLS, "2024-05-04T09:00:00Z", False),
    (TELLS, "09:00:01", False),
    (TELLS, "2024-05-03T09:00:01+02:00", False),
    (TELLS, "2024-05-03T09:00:00.5+02:00", False),
    (TELLS, ["2024-05-03T09:00:01Z"], False),
    (TELLS, "2024-05-03T09:00:00+02:07", False),
    (TELLS, "2024-05-03T09:00:00+19:00", False),
    (TELLS, "2024-05-03T09:00:00-03:30", True),
    ("the clock stopped on 3 May 2024 at 9:00:07", "2024-05-03T09:00:07Z", True),
    ("the clock stopped on 3 May 2024 at 9:00:07", "2024-05-03T09:00:08Z", False),
    (TELLS, "P10D", True),
    (TELLS, "P11D", False),
    ("it takes ninety minutes", "PT1H30M", True),
    ("it takes one and a half hours", "PT1H30M", True),
    ("two weeks", "P14D", True),
    ("two weeks", "P15D", False),
    ("I start today", "2024-05-07", True),
    ("I start", "2024-05-07", False),
    ("ich zahle 9 Euro 50 im Monat", "9.50 EUR", True),
    ("je paie 9 euros 50 par mois", "9.50 EUR", True),
    ("je paie 9 euros 50 par mois", "9.60 EUR", False),
    ("take 500mg", "500mg", True),
    ("take 500mg", "50mg", False),
    ("I like tea", "green tea", True),
    ("I like tea", {"kind": "tea", "cups": 2}, False),
    ("I like tea", float("inf"), False),
]


@pytest.mark.parametrize(("words", "raw", "is_supported"), VALUES)
def test_a_value_needs_its_numbers_and_dates_in_the_grounds(words: str, raw: Any, is_supported: bool) -> None:
    assert (value_evidence_problems({"field": raw}, [QuotedText(words, SAID)]) == []) is is_supported


def test_a_fact_states_no_seconds_that_the_words_do_not_have() -> None:
    quoted = [QuotedText("we meet at 13:30", SAID)]
    assert sentence_evidence_problems("The user meets them at 13:30:01.", quoted) == [
        "the seconds of 13:30:01 are not in the quoted words"
    ]
    assert sentence_evidence_problems("The user meets them at 13:30:00.", quoted) == []
    ran = [QuotedText("I ran it in 4 hours, 2 minutes and 31 seconds", SAID)]
    assert not [why for why in sentence_evidence_problems("The user ran it in 4:02:31.", ran) if "seconds" in why]


def test_a_value_may_come_from_the_period_and_from_what_is_known() -> None:
    quoted = [QuotedText("it lasts ten days", SAID)]
    held = [Period("2024-06-01", "")]
    assert value_evidence_problems({"start": "2024-06-01"}, quoted) == [
        "start: 2024-06-01 does not follow from the quoted words, where code reads no date"
    ]
    assert value_evidence_problems({"start": "2024-06-01"}, quoted, held=held) == []
    assert value_evidence_problems({"end": "2024-06-11"}, quoted, held=held) == []
    assert value_evidence_problems({"end": "2024-06-10"}, quoted, held=held) == []
    assert value_evidence_problems({"start": "2024-06-01"}, quoted, known="from 2024-06-01, room 12") == []
    assert value_evidence_problems({"room": 12}, quoted, known="from 2024-06-01, room 12") == []
    assert value_evidence_problems({"room": 13}, quoted, known="room 12") == [
        "room: 13 does not follow from the quoted words, where code reads ten"
    ]


TEXT = st.text(st.characters(codec="utf-8"), max_size=60)
WORDY = st.lists(
    st.sampled_from(
        [*"The user met Anna in Rome on May 7 2023 and paid 1,300 for 25 of them at 9:30 last Friday".split()]
        + [
            "zwölf",
            "veintitrés",
            "quatre-vingts",
            "二十五",
            "12%",
            "15k",
            "AB123",
            "(",
            "—",
            "“",
            ".",
            ",",
            "\n",
            "-",
            "’",
        ]
    ),
    max_size=14,
).map(" ".join)


@settings(deadline=None)
@given(st.one_of(TEXT, WORDY))
def test_a_sentence_that_is_its_own_ground_is_supported(text: str) -> None:
    assert sentence_evidence_problems(text, [QuotedText(text, SAID)]) == []
    assert value_evidence_problems({"text": text}, [QuotedText(text, SAID)]) == []


@settings(deadline=None)
@given(TEXT, TEXT, st.one_of(TEXT, WORDY), st.one_of(TEXT, WORDY))
def test_arbitrary_text_is_judged_without_an_error(quote: str, text: str, sentence: str, words: str) -> None:
    verbatim(quote, text)
    sentence_evidence_problems(sentence, [QuotedText(words, SAID)], around=text, names=[quote])
    value_evidence_problems({"field": sentence}, [QuotedText(words, SAID)], known=text)


HOSTILE: list[Callable[[int], str]] = [
    lambda size: "1" * size,
    lambda size: "1 " * size,
    lambda size: "1," * size,
    lambda size: "1 234" * size,
    lambda size: "two hundred and " * size,
    lambda size: "tausend" * size,
    lambda size: "last " * size,
    lambda size: "2024-05-03 " * size,
    lambda size: "Abc " * size,
    lambda size: "ABC " * size,
    lambda size: "9:30" * size,
    lambda size: "十" * size,
    lambda size: "a' " * size,
    lambda size: "e\u0301" * size,
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_work_grows_with_the_text_and_not_with_its_square(
    hostile: Callable[[int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    def counting(inner: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            return inner(*args, **kwargs)

        return counted

    inner = {
        numerals: ("unaccented", "_number_word_value", "_read_digit_run"),
        quotes: ("_is_inside_word",),
        evidence: ("_has_period_evidence",),
    }
    for module, names in inner.items():
        for name in names:
            monkeypatch.setattr(module, name, counting(getattr(module, name)))

    def work(size: int) -> int:
        nonlocal calls
        calls = 0
        text = hostile(size)
        sentence_evidence_problems(text, [QuotedText(text, SAID)])
        verbatim(text[: len(text) // 2] + "?", text)
        return calls

    assert work(200) <= 2.5 * work(100) + 50


@pytest.mark.parametrize(
    ("sentence", "quote", "is_supported"),
    [
        ("The shoes were 89 euros.", "the shoes were 89€", True),
        ("The shoes were 89 dollars.", "the shoes were 89€", False),
        ("The shoes were 89 USD.", "the shoes were 89 euros", False),
        ("The shoes were 89 dollars.", "the shoes were 89", True),
        ("The shoes were 89 CAD.", "the shoes were $89", True),
        ("The bag weighs 20 pounds.", "the bag weighs 20 pounds, 89 euros", True),
    ],
)
def test_a_currency_may_not_contradict_the_quote(sentence: str, quote: str, is_supported: bool) -> None:
    assert (
        not any("currency" in wrong for wrong in sentence_evidence_problems(sentence, [QuotedText(quote, SAID)]))
    ) is is_supported


@pytest.mark.parametrize(
    ("raw", "is_supported"), [("89 EUR", True), ("89 USD", False), ({"amount": 89, "currency": "USD"}, False)]
)
def test_the_currency_of_an_amount_may_not_contradict_the_quote(raw: Any, is_supported: bool) -> None:
    assert (
        value_evidence_problems({"price": raw}, [QuotedText("the shoes were 89 euros", SAID)]) == []
    ) is is_supported


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("Die Fahrt dauert 40 Minuten.", "die fahrt dauert 40 min mit dem zug"),
        ("Katrins Ehemann heißt Jörg.", "mein Mann heißt Jörg und ich bin Katrin"),
        ("Katrin plant einen Umzug.", "Ich, Katrin, will im Herbst umziehen und habe noch keine Wohnung"),
    ],
)
def test_german_nouns_are_no_names(sentence: str, quote: str) -> None:
    assert sentence_evidence_problems(sentence, [QuotedText(quote, SAID)]) == []
