"""The command `uac-bench cost`, run for real but short; its user, and the script that stands in for a model."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

import pytest
from click.testing import CliRunner, Result

from uac.interfaces.cli.output import Output
from uac.log.stores.in_memory import MemoryStore
from uac.models.requests_and_replies import Request, Step
from uac_bench.bench_cost import (
    FLAT,
    CostReplay,
    SessionCost,
    bench_cost,
    cost_table_sessions,
    print_cost_report,
    replay_cost_sessions,
    session_cost_growth,
)
from uac_bench.simulated_life import endless_conversations, simulated_reply

SESSIONS = 20
PARTS = {"prompt", "types", "constraints", "turns", "records", "manifest", "facts", "known names", "rest"}


@pytest.fixture(scope="module")
def result() -> Result:
    return CliRunner().invoke(bench_cost, ["--sessions", str(SESSIONS), "--json"], catch_exceptions=False)


@pytest.fixture(scope="module")
def report(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_session_costs_the_same_however_long_the_history_is(result: Result, report: dict[str, Any]) -> None:
    assert report["is_flat"], report["growth"]
    assert result.exit_code == 0


def test_every_reply_of_the_script_is_accepted_and_nothing_is_left_waiting(report: dict[str, Any]) -> None:
    replies = report["replies"]
    assert replies["offered"] > 150
    assert {name: replies[name] for name in ("refused", "sent_back", "waiting", "reasons")} == {
        "refused": 0,
        "sent_back": 0,
        "waiting": 0,
        "reasons": {},
    }
    assert replies["aside"] <= 0.02 * report["sessions"][-1]["facts"]


def test_the_history_and_the_records_grow_while_the_steps_are_counted(report: dict[str, Any]) -> None:
    sessions = report["sessions"]
    assert [each["session"] for each in sessions] == [*range(1, SESSIONS + 1)]
    for name in ("turns", "entries", "facts", "records", "all_turns", "all_facts"):
        sizes = [each[name] for each in sessions]
        assert sizes == sorted(sizes)
        assert sizes[0] < sizes[9] < sizes[-1]
    for each in sessions:
        assert each["requests"] == {"extract": 1, "checkpoint": 1}
        assert each["tokens"] == sum(each["input_tokens"].values()) + sum(each["output_tokens"].values())
        assert sum(each["parts"].values()) == sum(each["input_tokens"].values())
        assert set(each["parts"]) <= PARTS


def test_the_stores_cost_the_same_tokens_and_both_are_timed(report: dict[str, Any]) -> None:
    assert "All stores cost the same tokens." in report["notes"]
    assert [(time["what"], time["store"]) for time in report["time"]] == [
        (what, store) for store in ("memory", "SQLite") for what in ("CPU", "CPU of sandboxes", "wall")
    ]


def test_growth_compares_sessions_of_one_plan_and_the_averages_of_ten() -> None:
    costs = [1000] * 9 + [100] + [1000] * 80 + [120] * 10
    assert session_cost_growth(replayed(costs)) == {
        "session 100 / session 10": pytest.approx(1.2),
        "last ten / sessions 6 to 15": pytest.approx(120 / 910),
    }
    assert [*session_cost_growth(replayed([*costs, 5]))] == ["session 100 / session 10", "last ten / sessions 6 to 15"]


def test_a_line_that_climbs_is_not_flat(capsys: pytest.CaptureFixture[str]) -> None:
    assert not print_cost_report([replayed([1000 + 10 * number for number in range(100)])], Output(as_json=False))
    assert f"Goal, at most {FLAT:g}: not met." in capsys.readouterr().out


def test_people_see_the_marks_the_parts_and_the_times(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_cost_report([replayed([1000] * 120)], Output(as_json=False))
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines() if "\t" in line]
    assert [row[1] for row in rows if row[0] == "cost"] == ["1", "10", "50", "100", "120"]
    assert [row for row in rows if row[0] != "cost"] == [
        ["part", "prompt", "600", "600", "1.00", "75%"],
        ["part", "turns", "200", "200", "1.00", "25%"],
        ["time", "CPU", "memory", "100 ms", "100 ms", "1.00"],
        ["time", "CPU of sandboxes", "memory", "0 ms", "0 ms", "–"],
        ["time", "wall", "memory", "200 ms", "200 ms", "1.00"],
    ]


def test_a_history_that_is_too_short_to_compare_is_refused() -> None:
    result = CliRunner().invoke(bench_cost, ["--sessions", "19"])
    assert result.exit_code == 2
    assert "19 is not in the range x>=20" in result.stderr


def test_the_marks_are_those_that_are_reached_and_the_last() -> None:
    assert [cost_table_sessions(20), cost_table_sessions(50), cost_table_sessions(100), cost_table_sessions(130)] == [
        [1, 10, 20],
        [1, 10, 50],
        [1, 10, 50, 100],
        [1, 10, 50, 100, 130],
    ]


def test_sessions_repeat_themselves_by_their_seed_and_their_plan_every_ten() -> None:
    talks = list(islice(endless_conversations(), 40))
    assert talks == list(islice(endless_conversations(), 40))
    assert talks != list(islice(endless_conversations(seed=2), 40))
    lengths = [len(talk) for talk in talks]
    assert lengths == [8, 10, 12, 14, 10, 12, 8, 14, 12, 10] * 4
    for early, late in zip(talks, talks[10:], strict=False):
        assert early[0].said + timedelta(days=20) < late[0].said
        assert early != late


def test_what_was_said_is_in_the_log_word_for_word() -> None:
    now = [datetime(2025, 1, 1, tzinfo=UTC)]
    log = MemoryStore(clock=lambda: now[0]).log("ana")
    found = replay_cost_sessions("memory", log, now, 1)
    (talk,) = islice(endless_conversations(), 1)
    assert [stored.entry.text for stored in log.read() if stored.kind == "observation"] == [  # type: ignore[union-attr]  # by its kind
        turn.text for turn in talk
    ]
    (session,) = found.sessions
    assert session.turns == len(talk) == 8


# -- the script --------------------------------------------------------------------------------------------------------


def test_the_script_takes_facts_with_their_very_words_and_days() -> None:
    turns = [
        turn(
            4,
            "user",
            "By the way: I bought the blue kettle at Ikea for 31.50 euros yesterday. I nearly forgot to tell you.",
        ),
        turn(5, "assistant", "I bought the blue kettle at Ikea for 31.50 euros today."),
        turn(6, "user", "Mara Keller is my cousin, and lives in Oslo now."),
        {**turn(3, "user", "I stopped taking biotin today."), "context": True},
    ]
    quoted = "Mara Keller is my cousin, and lives in Oslo now"
    assert asked("extract", {"turns": turns}) == {
        "facts": [
            {
                "text": "The user bought the blue kettle at Ikea for 31.50 euros on 2025-01-05.",
                "about": "user",
                "cites": [{"turn": 4, "quote": "I bought the blue kettle at Ikea for 31.50 euros yesterday"}],
                "topic": "household",
                "when": "yesterday",
                "start": "2025-01-05",
                "end": "2025-01-05",
            },
            *(
                {"text": text, "about": "Mara Keller", "cites": [{"turn": 6, "quote": quoted}], "topic": "people"}
                for text in ("Mara Keller is the user's cousin.", "Mara Keller lives in Oslo.")
            ),
        ]
    }


def test_the_script_amends_a_record_that_is_shown_and_puts_one_that_is_not() -> None:
    facts = [
        {"fact": 7, "text": "The user takes 50 mg of biotin from 2025-01-06 on."},
        {"fact": 8, "text": "The user takes 100 mg of melatonin from 2025-01-06 on."},
        {"fact": 9, "text": "The user stopped taking melatonin on 2025-01-06."},
    ]
    shown = {"health.Medication:melatonin": {"dose": "50 mg"}}
    assert patches(facts, records=shown, types=["health.Medication"]) == [
        {
            "op": "put",
            "type": "health.Medication",
            "fields": {"name": "biotin", "dose": "50 mg", "started": "2025-01-06"},
            "cites": [7],
        },
        {
            "op": "amend",
            "record": "health.Medication:melatonin",
            "fields": {"dose": "100 mg", "started": "2025-01-06"},
            "cites": [8],
        },
        {"op": "end", "record": "health.Medication:melatonin", "when": "2025-01-06", "why": "stopped", "cites": [9]},
    ]


def test_the_script_sets_aside_what_it_is_shown_nothing_for() -> None:
    facts = [
        {"fact": 7, "text": "The user stopped taking biotin on 2025-01-06."},
        {"fact": 8, "text": "Mara Keller lives in Oslo."},
        {"fact": 9, "text": "The moon is round."},
    ]
    assert patches(facts) == [
        {"op": "set_aside", "cites": [7], "why": "the record is not shown"},
        {"op": "set_aside", "cites": [8], "why": "no type for it is shown"},
        {"op": "set_aside", "cites": [9], "why": "not understood"},
    ]


def test_the_script_corrects_what_it_is_about_to_put() -> None:
    facts = [
        {"fact": 7, "text": "The user bought the blue kettle at Ikea for 31.50 euros on 2025-01-05."},
        {"fact": 8, "text": "The blue kettle cost 35 euros."},
    ]
    fields = {"item": "blue kettle", "bought": "2025-01-05", "shop": "Ikea", "price": "35 EUR"}
    assert patches(facts, types=["household.Purchase"]) == [
        {"op": "put", "type": "household.Purchase", "fields": fields, "cites": [7, 8]}
    ]


def test_the_script_defines_a_type_once() -> None:
    facts = [{"fact": 7, "text": "The user prefers chess for rainy evenings."}]
    fields = {"occasion": "rainy evenings", "choice": "chess"}
    put = {"op": "put", "type": "preferences.Preference", "fields": fields, "cites": [7]}
    defined, *rest = patches(facts)
    assert (defined["op"], defined["type"]["name"], rest) == ("define", "Preference", [put])
    assert patches(facts, types=["preferences.Preference"]) == [put]


def asked(step: Step, content: Mapping[str, Any]) -> dict[str, Any]:
    request = Request(step=step, prompt="Answer.", content=json.dumps(content), schema={})
    return simulated_reply(request)


def patches(
    facts: Sequence[Mapping[str, Any]], *, records: Mapping[str, Any] | None = None, types: Sequence[str] = ()
) -> list[dict[str, Any]]:
    listed = [f"{name} (many): name" for name in types]
    shown = {"types": listed, "offered": [], "records": records or {}, "facts": facts}
    found: list[dict[str, Any]] = asked("checkpoint", shown)["patches"]
    return found


def turn(position: int, who: str, text: str) -> dict[str, Any]:
    return {"turn": position, "said": "Monday 2025-01-06 18:30", "who": who, "text": text}


def replayed(costs: Sequence[int]) -> CostReplay:
    """A history whose sessions cost so many tokens."""
    sessions = [
        SessionCost(
            session=number,
            turns=10 * number,
            requests={"extract": 1, "checkpoint": 1},
            input_tokens={"extract": tokens, "checkpoint": 0},
            output_tokens={"extract": 0, "checkpoint": 0},
            parts={"prompt": 600, "turns": 200},
            all_turns=100 * number,
            all_facts=10 * number,
            entries=20 * number,
            facts=5 * number,
            records=number,
            cpu=0.1,
            sandbox_cpu=0.0,
            wall=0.2,
        )
        for number, tokens in enumerate(costs, 1)
    ]
    return CostReplay(
        store="memory",
        sessions=tuple(sessions),
        offered=10,
        refused=0,
        sent_back=0,
        replies=2,
        waiting=0,
        aside=0,
        reasons={},
    )
