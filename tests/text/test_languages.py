"""A question in many languages meets the forms that its words have in a text of that language."""

import pytest

from uac.text.languages import BY_SCRIPT, FUNCTION_WORDS, IRREGULAR, LETTERS, SCRIPTS, SEEN_IN_ENGLISH
from uac.text.search_terms import _fold_words, language_of, query_terms, terms_of

MEETINGS = [
    ("en", "Which hiking trips did I make?", "We hiked in the Alps; it was a long trip.", 2),
    ("de", "Welche Allergien habe ich?", "Ich habe eine Allergie gegen Nüsse.", 1),
    ("de", "Wie war die Reise nach Österreich?", "Meine Reisen gehen oft nach Oesterreich.", 2),
    ("de", "Wo sind die Häuser?", "Das ist mein Haus.", 1),
    ("fr", "Quelles sont mes allergies ?", "J'ai une allergie aux noix.", 1),
    ("fr", "Quel est mon plat préféré ?", "C'est ma chanson préférée.", 1),
    ("es", "¿Qué alergias tengo?", "Tengo alergia a los cacahuetes.", 1),
    ("es", "¿Cuál es mi canción?", "Estas son mis canciones.", 1),
    ("it", "Quali allergie ho?", "Ho un'allergia alle noci.", 1),
    ("pt", "Quais são as minhas alergias?", "Eu tenho alergia a nozes.", 1),
    ("nl", "Welke boeken heb ik?", "Ik heb een boek van haar.", 1),
    ("sv", "Vad kostar bilen?", "Jag har två bilar och det är bra.", 1),
    ("pl", "Czy mam alergię na orzechy?", "To jest alergia na orzech.", 2),
    ("fi", "Missä minun taloni on?", "Minulla on talo ja se on vanha.", 1),
    ("tr", "Kitaplar nerede ve ne için?", "Evde çok kitap var.", 1),
    ("tr", "Ev nerede?", "Ben bugün evde ve çok yorgunum.", 1),
    ("ru", "Какая у меня аллергия?", "У меня нет аллергии на орехи.", 1),
    ("ru", "Когда была поездка?", "Мы вспоминали поездку в Казань.", 1),
    ("el", "Πού είναι ο σκύλος μου;", "Η τροφή του σκύλου είναι εδώ.", 1),
    ("ar", "ما هي الحساسية التي عندي؟", "عندي حساسية من الفول السوداني", 1),
    ("ar", "أين الكتاب؟", "اشتريت كتاب والدي", 1),
    ("ar", "أين المكتبة؟", "ذهبت الى مكتبه كبيرة", 1),
    ("he", "איפה הספרים שלי?", "קניתי ספר", 1),
    ("hi", "मेरी किताबें कहाँ हैं?", "यह मेरी किताब है", 1),
    ("hi", "मुझे किस चीज़ से एलर्जी है?", "मूंगफली से एलर्जी है", 1),
    ("zh", "我对什么过敏？", "医生说我对花生过敏，要小心。", 1),
    ("zh", "我的猫叫什么名字？", "昨天我养了一只小猫叫咪咪。", 1),
    ("ja", "私の猫の名前は何ですか？", "うちには猫がいます。", 1),
    ("ja", "どこへ旅行しましたか？", "去年は京都旅行をしました。", 1),
    ("ko", "땅콩 알레르기는 언제부터?", "나는 알레르기가 있어요.", 3),
    ("ko", "집이 어디야?", "어제 집에서 쉬었어요.", 1),
    ("th", "ฉันแพ้อะไร", "หมอบอกว่าแพ้ถั่วลิสง", 2),
]


@pytest.mark.parametrize(("language", "question", "text", "met"), MEETINGS)
def test_a_question_meets_inflected_forms_in_a_text_of_its_language(
    language: str, question: str, text: str, met: int
) -> None:
    terms = set(terms_of(text))
    assert (language_of(question), language_of(text)) == (language, language)
    assert sum(bool(terms.intersection(group)) for group in query_terms(question, {language})) == met


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("cafe", "On se voit au café avec les amis."),
        ("café", "We met in the cafe."),
        ("cafes", "I love the café."),
        ("Reise", "Ich habe viele Reisen gemacht."),
        ("alergia", "Tengo muchas alergias."),
        ("Lisbon", "我们去Lisbon旅行"),
        ("hiking", "我喜欢hike和游泳"),
        ("trip", "Hiking trips 😊"),
        ("уроки", "My first урок was great."),
        ("kitap", "Benim için kitaplar çok önemli."),
    ],
)
def test_a_single_word_meets_a_text_of_another_language(question: str, text: str) -> None:
    (group,) = query_terms(question, {language_of(text)})
    assert set(group).intersection(terms_of(text))


def test_an_english_word_in_a_question_of_another_language_is_looked_for_as_english_too() -> None:
    assert query_terms("Wann habe ich hiking gemacht?", {"zh"}) == [("hiking", "hike"), ("gemacht",)]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", ""),
        ("42", ""),
        ("Hiking trips", ""),
        ("Café Luna", ""),
        ("Los Angeles trips", ""),
        ("Take care!", ""),
        ("🎂", ""),
        ("Αθήνα Москва", ""),
        ("We are going to São Paulo and Zürich.", "en"),
        ("Jeg har ikke vært der", "no"),
        ("Det har jeg ikke været med til", "da"),
        ("Ez nagyon jó, hogy itt van", "hu"),
        ("Jsem rád, že jste tady", "cs"),
        ("Sunt alergic la nuci și la pește", "ro"),
        ("Tinc al·lèrgia als fruits secs i això és molt greu", "ca"),
        ("Saya tidak bisa makan kacang", "id"),
        ("Я маю алергію на горіхи", "uk"),
        ("Имам алергия към ядки", "bg"),
        ("Ја имам алергију на орахе", "sr"),
        ("من به بادام زمینی حساسیت دارم", "fa"),
        ("مجھے مونگ پھلی سے الرجی ہے", "ur"),
        ("東京旅行", "zh"),
        ("東京へ行く", "ja"),
        ("안녕하세요", "ko"),
        ("எனக்கு ஒவ்வாமை உள்ளது", "ta"),
        ("我用Python写了一个程序", "zh"),
    ],
)
def test_the_language_of_a_text_is_told_or_left_open(text: str, language: str) -> None:
    assert language_of(text) == language


def test_the_tables_name_only_languages_of_the_scripts() -> None:
    known = {language for languages in BY_SCRIPT.values() for language in languages}
    named = {language for languages in LETTERS.values() for language in languages.split()}
    assert named <= known
    assert FUNCTION_WORDS.keys() <= known
    assert {script for _start, script in SCRIPTS} - {""} == BY_SCRIPT.keys()
    assert list(SCRIPTS) == sorted(SCRIPTS)


def test_every_language_that_shares_its_script_has_function_words() -> None:
    shared = {language for languages in BY_SCRIPT.values() if len(languages) > 1 for language in languages}
    assert shared - FUNCTION_WORDS.keys() == {"zh", "ja"}  # kana tells them apart


def test_a_table_says_nothing_idle() -> None:
    foreign = frozenset[str]().union(*(words for language, words in FUNCTION_WORDS.items() if language != "en"))
    assert SEEN_IN_ENGLISH - foreign == frozenset()
    assert not [form for form, verb in IRREGULAR.items() if terms_of(form) != terms_of(verb)]


def test_function_words_have_the_letters_of_terms() -> None:
    assert {language: frozenset(_fold_words(" ".join(words))) for language, words in FUNCTION_WORDS.items()} == (
        FUNCTION_WORDS
    )
