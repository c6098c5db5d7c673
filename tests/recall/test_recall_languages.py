"""Recall in other languages than English: forms of words, scripts without spaces, and logs in several languages."""

import pytest

from support.recall import World
from uac.recall.search import Filter

LANGUAGES: dict[str, tuple[tuple[str, ...], dict[str, int]]] = {
    "English": (
        (
            "My sister is allergic to peanuts.",
            "We painted the kitchen yellow last weekend.",
            "The dentist moved my appointment to Thursday.",
            "I have been running every morning since March.",
            "Our neighbours bought two goats.",
        ),
        {
            "What allergies does my sister have?": 1,
            "Which colour did we paint the kitchens?": 2,
            "When do I see the dentist?": 3,
            "How often do I run in the mornings?": 4,
            "Which animals did the neighbour buy?": 5,
        },
    ),
    "German": (
        (
            "Meine Schwester verträgt keine Erdnüsse.",
            "Am Wochenende haben wir die Küche gelb gestrichen.",
            "Der Zahnarzt hat meinen Termin auf Donnerstag verschoben.",
            "Die Nachbarn haben zwei Ziegen gekauft.",
            "Im Sommer fahren wir mit dem Zug nach Österreich.",
        ),
        {
            "Wer darf keine Erdnuss essen?": 1,
            "Welche Farbe haben die Küchen?": 2,
            "Wann sind die Termine beim Zahnarzt?": 3,
            "Was hat der Nachbar mit der Ziege gemacht?": 4,
            "Wie kommen wir nach OESTERREICH oder Österreich?": 5,
        },
    ),
    "French": (
        (
            "Ma sœur est allergique aux arachides.",
            "Nous avons peint la cuisine en jaune.",
            "Le dentiste a déplacé mon rendez-vous à jeudi.",
            "Les voisins ont acheté deux chèvres.",
            "Cet été, on prend le train pour l'Écosse.",
        ),
        {
            "Quelles allergies a ma soeur ?": 1,
            "De quelle couleur sont les cuisines ?": 2,
            "Quand est mon rendez-vous chez le dentiste ?": 3,
            "Qu'est-ce que le voisin achète, une chèvre ?": 4,
            "Comment va-t-on en ecosse ?": 5,
        },
    ),
    "Spanish": (
        (
            "Mi hermana es alérgica a los cacahuetes.",
            "Pintamos la cocina de amarillo.",
            "El dentista cambió mi cita al jueves.",
            "Los vecinos compraron dos cabras.",
            "En verano vamos en tren a Córdoba.",
        ),
        {
            "¿A qué son alérgicas las hermanas?": 1,
            "¿De qué color son las cocinas?": 2,
            "¿Cuándo tengo citas con el dentista?": 3,
            "¿Qué cabra compró el vecino?": 4,
            "¿Cómo vamos a cordoba?": 5,
        },
    ),
    "Russian": (
        (
            "У моей сестры аллергия на арахис.",
            "Мы покрасили кухню в жёлтый цвет.",
            "Стоматолог перенёс приём на четверг.",
            "Соседи купили двух коз.",
            "Летом мы едем на поезде в Казань.",
        ),
        {
            "Какие аллергии у сестры?": 1,
            "Какого цвета кухня?": 2,
            "Когда я иду к стоматологу на прием?": 3,
            "Кого купил сосед?": 4,
            "На каком поезде мы были в Казани?": 5,
        },
    ),
    "Chinese": (
        (
            "我妹妹对花生过敏。",
            "上周末我们把厨房刷成了黄色。",
            "牙医把我的预约改到了星期四。",
            "邻居买了两只山羊。",
            "夏天我们坐火车去昆明。",
        ),
        {
            "妹妹对什么过敏？": 1,
            "厨房是什么颜色？": 2,
            "我什么时候看牙医？": 3,
            "邻居买了什么？": 4,
            "怎么去昆明？": 5,
        },
    ),
    "Arabic": (
        (
            "أختي لديها حساسية من الفول السوداني.",
            "دهنّا المطبخ باللون الأصفر.",
            "طبيب الأسنان نقل موعدي إلى يوم الخميس.",
            "اشترى الجيران عنزتين.",
            "في الصيف نسافر بالقطار إلى أسوان.",
        ),
        {
            "ما هي الحساسية عند أختي؟": 1,
            "ما لون المطبخ؟": 2,
            "متى موعد طبيب الاسنان؟": 3,
            "ماذا اشترى الجيران؟": 4,
            "كيف نسافر الى اسوان؟": 5,
        },
    ),
    "Japanese": (
        (
            "妹はピーナッツアレルギーです。",
            "週末に台所を黄色に塗りました。",
            "歯医者の予約が木曜日に変わりました。",
            "隣の人がヤギを二匹買いました。",
            "夏に電車で金沢へ行きます。",
        ),
        {
            "妹のアレルギーは何ですか。": 1,
            "台所は何色ですか。": 2,
            "歯医者はいつですか。": 3,
            "隣の人は何を買いましたか。": 4,
            "金沢へはどうやって行きますか。": 5,
        },
    ),
    "Hindi": (
        (
            "मेरी बहन को मूंगफली से एलर्जी है।",
            "हमने रसोई को पीला रंग दिया।",
            "दंत चिकित्सक ने मेरी मुलाकात गुरुवार को कर दी।",
            "पड़ोसियों ने दो बकरियाँ खरीदीं।",
            "गर्मियों में हम ट्रेन से जयपुर जाएँगे।",
        ),
        {
            "बहन को किससे एलर्जी है?": 1,
            "रसोई का रंग क्या है?": 2,
            "दंत चिकित्सक से मुलाकात कब है?": 3,
            "पड़ोसी ने कितनी बकरियां खरीदीं?": 4,
            "हम जयपुर कैसे जाएंगे?": 5,
        },
    ),
}

CASES = [(name, query, answer) for name, (_turns, asked) in LANGUAGES.items() for query, answer in asked.items()]


def told(*turns: str) -> World:
    """Each turn in a conversation of its own, so that none lends words to another."""
    world = World()
    for number, text in enumerate(turns):
        world.say(text, session=f"s{number}")
    return world


@pytest.mark.parametrize(("language", "query", "answer"), CASES)
def test_a_question_finds_the_turn_that_answers_it_among_others_of_its_language(
    language: str, query: str, answer: int
) -> None:
    assert told(*LANGUAGES[language][0]).found(query)[0] == answer


EVERYTHING = [turn for turns, _asked in LANGUAGES.values() for turn in turns]
FIRST = {name: sum(len(turns) for turns, _ in list(LANGUAGES.values())[:n]) for n, name in enumerate(LANGUAGES)}


def test_in_a_log_of_all_languages_each_question_still_finds_its_turn() -> None:
    world = told(*EVERYTHING)
    wrong = [(name, query) for name, query, answer in CASES if world.found(query)[0] != FIRST[name] + answer]
    assert wrong == []


def test_a_name_is_found_in_a_text_of_another_language() -> None:
    world = told("我和 Margarethe 去了昆明。", "Ich war bei Margarethes Bruder.", "مارغريت في المنزل", "Где Маргарита?")
    assert set(world.found("Margarethe")) == {1, 2}
    assert world.found("昆明 trip") == [1]


def test_a_question_in_one_language_with_a_word_of_another_finds_both() -> None:
    world = told("Der Termin beim Zahnarzt ist am Montag", "The appointment with the bank is on Friday", "Nothing else")
    assert set(world.found("When is the appointment (der Termin)?")) == {1, 2}


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("We went hiking with the children's classes", "hike class"),
        ("She paints and has painted two paintings", "painting"),
        ("Ich wohne in der Königstraße in Köln", "KONIGSTRASSE koln"),
        ("J'ai dîné à l'Élysée", "diner elysee"),
        ("我在上海的医院工作", "上海医院"),
        ("昨日、東京でラーメンを食べました", "ラーメン"),
        ("저는 서울에서 일합니다", "서울"),
        ("ผมทำงานที่กรุงเทพ", "กรุงเทพ"),
        ("أَعْمَلُ فِي الْمُسْتَشْفَى", "المستشفى"),
        ("मैं दिल्ली में रहता हूँ", "दिल्ली"),
        ("Я живу в Москве", "МОСКВА"),
        ("Zamieszkałem w Łodzi", "lodzi"),
        ("İstanbul'da yaşıyorum", "istanbul"),
        ("אני גר בירושלים", "בירושלים"),
        ("The rent is 1,250 euros from 2024-03-07 on", "1250"),
        ("Flight TP571 leaves at 7", "tp571"),
        ("ﬁne ｗｉｄｅ letters", "fine wide"),
    ],
)
def test_words_are_found_in_any_letter_case_form_and_script(text: str, query: str) -> None:
    assert told("nothing of that kind", text).found(query) == [2]


def test_people_are_named_in_any_script() -> None:
    world = World()
    world.say("我喜欢茶", speaker="王芳", session="a")
    world.say("我喜欢茶叶蛋", speaker="李明", session="b")
    assert world.found("李明喜欢什么茶？")[0] == 2
    assert world.found("喜欢", Filter(about="王芳")) == [1]
