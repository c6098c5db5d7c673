"""Purchases, a journey and a doctor told in Chinese, played with recorded replies: dates, amounts, alerts, answers."""

from datetime import UTC, datetime

from support.recorded_conversations import Played, fixtures, standing, values
from support.scripted_model import kept, whys
from uac import Memory
from uac.conversation.ask import Computation
from uac.project.project import Project
from uac.schema.values import dump_value

SPENT = "total(t.amount for t in finance.transactions if t.on.year == 2025 and t.on.month == 9 and t.direction != 'in')"


played, memory, project = fixtures("chinese")


def test_facts_are_in_the_language_of_their_words_with_days_that_code_has_counted(memory: Memory) -> None:
    assert [(found.text, found.when, found.held.start, found.held.end) for found in kept(memory)] == [
        ("用户名叫林晓。", "", "", ""),
        ("林晓住在杭州。", "", "", ""),
        ("林晓对青霉素过敏，小时候打针起过荨麻疹。", "", "", ""),
        ("林晓2025年9月7日在盒马买菜花了236元。", "昨天", "2025-09-07", "2025-09-07"),
        ("林晓2025年9月5日给妈妈买了一台按摩仪，1200元。", "上周五", "2025-09-05", "2025-09-05"),
        ("林晓2025年10月要去成都出差，10月15日出发，10月18日回来。", "10月15号", "2025-10-15", "2025-10-18"),
        ("成都出差的高铁票由公司订。", "", "", ""),
        ("林晓更正：2025年9月5日买的按摩仪是1080元，不是1200元。", "上周五", "2025-09-05", "2025-09-05"),
        ("林晓的成都行程改为2025年10月20日出发，2025年10月23日回来。", "10月20号", "2025-10-20", "2025-10-23"),
        ("林晓嗓子疼了好几天。", "", "", ""),
        ("林晓2025年9月22日去看了王建国医生。", "今天", "2025-09-22", "2025-09-22"),
        ("王建国医生给林晓开了阿莫西林，每次0.5克，一天三次，吃七天。", "今天", "2025-09-22", ""),
        ("林晓2025年9月22日在浙一医院付了挂号费50元。", "今天", "2025-09-22", "2025-09-22"),
        ("林晓2025年9月22日在浙一医院付了药费86.4元。", "今天", "2025-09-22", "2025-09-22"),
    ]


def test_amounts_in_chinese_words_support_amounts_in_digits(memory: Memory) -> None:
    quotes = {found.text: found.cites[0].quote for found in kept(memory)}
    assert quotes["林晓2025年9月7日在盒马买菜花了236元。"] == "昨天在盒马买菜花了二百三十六元"
    assert quotes["林晓2025年9月5日给妈妈买了一台按摩仪，1200元。"] == "上周五给妈妈买了一台按摩仪，一千二百元"


def test_what_was_sent_back_was_mended_and_nothing_waits(played: Played, project: Project) -> None:
    assert whys(played.outcomes) == [
        [],
        [
            "put finance.Transaction: field payee is missing. Give a value of type str."
        ],  # nobody said where the present was bought
        *[[]] * 5,
    ]
    assert (list(project.waiting), dict(project.aside), dict(project.progress.stuck)) == ([], {}, {})


def test_the_records_hold_what_lin_xiao_said_last(project: Project) -> None:
    found = standing(project)
    del found["travel.Trip"]  # has tests of its own below
    assert found == {
        "finance.Transaction": [
            {
                "payee": "盒马",
                "amount": "236 CNY",
                "on": "2025-09-07",
                "what": "买菜",
                "category": "groceries",
            },
            {
                "payee": "未说明",
                "amount": "1080 CNY",
                "on": "2025-09-05",
                "what": "给妈妈的按摩仪",
                "category": "gifts",
            },
            {
                "payee": "浙一医院",
                "amount": "50 CNY",
                "on": "2025-09-22",
                "what": "挂号费",
                "category": "medical",
            },
            {
                "payee": "浙一医院",
                "amount": "86.4 CNY",
                "on": "2025-09-22",
                "what": "药费",
                "category": "medical",
            },
        ],
        "health.Allergy": [
            {
                "substance": "青霉素",
                "reaction": "荨麻疹",
                "drug_class": "penicillin",
                "notes": "小时候打针起过荨麻疹",
            }
        ],
        "health.Medication": [
            {
                "name": "阿莫西林 (amoxicillin)",
                "dose": "0.5克",
                "times_per_day": 3.0,
                "frequency": "一天三次，吃七天",
                "prescriber": "王建国医生",
                "started": "2025-09-22",
            }
        ],
        "health.Visit": [
            {
                "what": "嗓子疼看医生",
                "day": "2025-09-22",
                "doctor": "王建国医生",
                "outcome": "开了阿莫西林",
            }
        ],
        "people.Profile": [{"name": "林晓", "lives_in": "杭州"}],
    }


def test_the_corrected_price_stands_as_a_correction_beside_the_first_one(project: Project) -> None:
    (massager,) = [r for r in project.records("finance.Transaction") if r.values["what"] == "给妈妈的按摩仪"]
    assert [(dump_value(claim.value), claim.authority) for claim in massager.claims["amount"]] == [
        ("1200 CNY", "user"),
        ("1080 CNY", "correction"),
    ]


def test_what_the_user_answers_to_a_question_of_the_assistant_is_the_word_of_the_user(memory: Memory) -> None:
    (moved,) = [found for found in kept(memory) if "行程改为" in found.text]
    assert moved.authority == "user"


def test_the_journey_is_one_record_with_both_days_that_were_said(project: Project) -> None:
    (trip,) = project.records("travel.Trip")
    assert [dump_value(claim.value) for claim in trip.claims["departs"]] == ["2025-10-15", "2025-10-20"]
    assert {name: value for name, value in values(trip).items() if name not in ("departs", "returns")} == {
        "destination": "成都",
        "country": "China",
        "means": "train",
        "purpose": "出差",
        "state": "planned",
    }


def test_a_journey_that_moved_stands_under_its_new_day(project: Project) -> None:
    (trip,) = project.records("travel.Trip")
    assert (trip.id, values(trip)["departs"], values(trip)["returns"]) == (
        "travel.Trip:成都|2025-10-20",
        "2025-10-20",
        "2025-10-23",
    )


def test_amoxicillin_against_an_allergy_to_penicillin_is_critical_within_the_session(memory: Memory) -> None:
    (alert,) = memory.alerts()
    assert (alert.constraint, alert.subject, alert.severity) == (
        "drug_allergy",
        "阿莫西林 (amoxicillin) / 青霉素",
        "critical",
    )
    assert alert.since.astimezone(UTC) == datetime(2025, 9, 22, 10, 48, tzinfo=UTC)
    assert alert.records == ("health.Medication:阿莫西林 (amoxicillin)", "health.Allergy:青霉素")
    assert [change.change for _stored, change in memory.history()] == ["raised"]


def test_what_was_said_is_found_by_chinese_words(memory: Memory) -> None:
    found = memory.recall("青霉素", k=3)
    assert {(hit.kind, hit.position or hit.record) for hit in found} == {
        ("record", "health.Allergy:青霉素"),
        ("fact", 7),
        ("observation", 1),
    }
    assert "you have a known allergy to 青霉素" in memory.context("我能吃阿莫西林吗？").text


def test_the_answers_are_in_chinese_and_rest_on_code_and_on_words(played: Played) -> None:
    spent, departed = played.answers
    assert (spent.text, spent.computed, spent.is_complete) == (
        "你2025年9月一共花了1452.4元。",
        (Computation(SPENT, "{'CNY': Decimal('1452.4')}", is_complete=True, reads=("finance.transactions",)),),
        True,
    )
    assert departed.text == "改期之前是2025年10月15日出发，后来改成10月20日。"
    assert [(quote.position, quote.words) for quote in departed.quotes] == [
        (4, "10月15号出发"),
        (22, "改成10月20号出发"),
    ]
