"""Which model answers which step, recorded replies, prices and budgets. No network: test_model_server.py has that."""

import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uac.errors import ModelError, NoModel, Refused
from uac.models import (
    Budget,
    Estimate,
    Models,
    OneModel,
    RecordedModel,
    Recorder,
    chosen_models,
    over_budget,
    parse_budget,
    price,
)
from uac.models.model import Model
from uac.models.prices import Price, parse_price
from uac.models.requests_and_replies import STEPS, Reply, Request
from uac.models.vendor import VendorModel
from uac.project.progress import Spent
from uac.testing import ModelContract
from uac.testing.model import QUESTION


class Echo:
    """A model that says how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    @property
    def name(self) -> str:
        return "echo"

    def ask(self, request: Request) -> Reply:
        self.asked += 1
        return Reply(text=f"{request.content} {self.asked} ✓\n", model="echo", input_tokens=7, output_tokens=3)


def asked(content: str) -> Request:
    return Request(step="ask", prompt="Answer.", content=content, schema={"type": "object"})


def replies(path: Path) -> Path:
    line = {"hash": QUESTION.hash, "step": "extract", "reply": '{"facts": []}', "model": "a:b", "input_tokens": 5}
    path.write_text(json.dumps(line) + "\n")
    return path


class TestRecorded(ModelContract):
    @pytest.fixture
    def model(self, tmp_path: Path) -> Model:
        return RecordedModel(replies(tmp_path / "some.jsonl"))

    @pytest.fixture
    def mute(self, tmp_path: Path) -> Model:
        (tmp_path / "none.jsonl").touch()
        return RecordedModel(tmp_path)


class TestRecorder(ModelContract):
    @pytest.fixture
    def model(self, tmp_path: Path) -> Model:
        return Recorder(Echo(), tmp_path / "new")

    @pytest.fixture
    def mute(self, tmp_path: Path) -> Model:
        (tmp_path / "none.jsonl").touch()
        return Recorder(RecordedModel(tmp_path), tmp_path / "new")


# --- recorded replies ---


def test_what_was_recorded_is_said_again_and_one_request_is_kept_once(tmp_path: Path) -> None:
    recorder = Recorder(Echo(), tmp_path / "kept")
    first, again, other = recorder.ask(asked("a")), recorder.ask(asked("a")), recorder.ask(asked("b"))
    assert (first.text, again.text, other.text) == ("a 1 ✓\n", "a 2 ✓\n", "b 3 ✓\n")
    file = tmp_path / "kept" / "replies.jsonl"
    assert [json.loads(line) for line in file.read_text().splitlines()] == [
        {
            "hash": asked("a").hash,
            "step": "ask",
            "reply": "a 1 ✓\n",
            "model": "echo",
            "input_tokens": 7,
            "output_tokens": 3,
        },
        {
            "hash": asked("b").hash,
            "step": "ask",
            "reply": "b 3 ✓\n",
            "model": "echo",
            "input_tokens": 7,
            "output_tokens": 3,
        },
    ]
    recorded = RecordedModel(tmp_path / "kept")
    free = Decimal(0)
    assert recorded.ask(asked("a")) == msgspec.structs.replace(first, cost=free)
    assert recorded.ask(asked("b")) == msgspec.structs.replace(other, cost=free)


def test_recording_goes_on_after_a_restart(tmp_path: Path) -> None:
    for content in ("a", "b", "a"):
        Recorder(Echo(), tmp_path).ask(asked(content))
    assert len((tmp_path / "replies.jsonl").read_text().splitlines()) == 2


def test_only_the_owner_may_read_what_is_recorded(tmp_path: Path) -> None:
    Recorder(Echo(), tmp_path / "kept").ask(asked("a"))
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "kept" / "replies.jsonl").stat().st_mode) == 0o600


@pytest.mark.parametrize("left", range(1, 40, 7))
def test_half_a_line_is_left_out_and_written_anew(tmp_path: Path, left: int) -> None:
    file = tmp_path / "replies.jsonl"
    Recorder(Echo(), file).ask(asked("a"))
    whole = file.read_bytes()
    Recorder(Echo(), file).ask(asked("b"))
    file.write_bytes(file.read_bytes()[: len(whole) + left])
    with pytest.raises(NoModel, match="No reply is recorded"):
        RecordedModel(file).ask(asked("b"))
    Recorder(Echo(), file).ask(asked("b"))
    assert RecordedModel(file).ask(asked("b")).text == "b 1 ✓\n"
    assert file.read_bytes().startswith(whole)


def test_a_last_line_that_only_lacks_its_end_is_read(tmp_path: Path) -> None:
    file = replies(tmp_path / "replies.jsonl")
    file.write_text(file.read_text().rstrip("\n"))
    assert RecordedModel(file).ask(QUESTION).text == '{"facts": []}'
    Recorder(Echo(), file).ask(asked("a"))
    assert RecordedModel(file).ask(QUESTION).text == '{"facts": []}'
    assert RecordedModel(file).ask(asked("a")).text == "a 1 ✓\n"


def test_a_request_that_was_not_recorded_says_which_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()
    with pytest.raises(NoModel) as failed:
        RecordedModel(tmp_path).ask(QUESTION)
    assert str(failed.value) == (
        f"No reply is recorded for request {QUESTION.hash} (step extract) in {tmp_path}. Record it with UAC_RECORD."
    )


def test_files_that_hold_no_replies_are_refused_with_the_line(tmp_path: Path) -> None:
    file = replies(tmp_path / "a.jsonl")
    file.write_text(file.read_text() + '{"hash": 5}\n')
    with pytest.raises(NoModel, match=r"a\.jsonl: line 2 is not a recorded reply"):
        RecordedModel(file)
    with pytest.raises(NoModel, match="does not exist"):
        RecordedModel(tmp_path / "missing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(NoModel, match=r"has no \*\.jsonl file"):
        RecordedModel(tmp_path / "empty")


def test_a_place_that_cannot_be_written_is_told_before_anybody_is_asked(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NoModel, match="UAC_RECORD"):
        Recorder(Echo(), tmp_path / "file" / "inside")


def test_a_folder_in_place_of_the_file_is_refused_as_unreadable(tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(NoModel, match=r"folder\.jsonl cannot be read: Is a directory"):
        RecordedModel(tmp_path)


def test_empty_lines_between_replies_are_ignored(tmp_path: Path) -> None:
    file = replies(tmp_path / "a.jsonl")
    file.write_text("\n  \n" + file.read_text() + "\n")
    assert RecordedModel(file).ask(QUESTION).text == '{"facts": []}'


def test_a_reply_that_cannot_be_recorded_is_a_model_error(tmp_path: Path) -> None:
    recorder = Recorder(Echo(), tmp_path / "kept")
    shutil.rmtree(tmp_path / "kept")
    with pytest.raises(ModelError, match=r"replies\.jsonl cannot be written: No such file or directory"):
        recorder.ask(asked("a"))


def test_a_reply_that_the_disk_took_in_part_is_a_model_error_and_is_dropped_later(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    recorder = Recorder(Echo(), file)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, limits[1]))
        with pytest.raises(ModelError, match="the disk is full"):
            recorder.ask(asked("a"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert len(file.read_bytes()) == 20
    assert Recorder(Echo(), file).ask(asked("a")).text == RecordedModel(file).ask(asked("a")).text == "a 1 ✓\n"


def test_a_recorded_model_and_a_recorder_show_their_file_and_no_reply(tmp_path: Path) -> None:
    file = replies(tmp_path / "a.jsonl")
    recorded = RecordedModel(file)
    assert repr(recorded) == f"RecordedModel({str(file)!r})"
    assert repr(Recorder(recorded, file)) == f"Recorder({recorded!r}, {str(file)!r})"


# --- settings ---


def test_one_model_answers_every_step_at_an_unknown_price() -> None:
    echo = Echo()
    models = OneModel(echo)
    assert [models.for_step(step) for step in STEPS] == [echo] * 4
    assert models.estimate(QUESTION) == Estimate(tokens=QUESTION.tokens + 4000, model="echo")


def test_a_time_limit_is_read_in_seconds() -> None:
    model = chosen_models({"UAC_MODEL": "served", "UAC_MODEL_URL": "http://localhost/v1", "UAC_MODEL_TIMEOUT": " 2.5 "})
    assert isinstance(served := model.for_step("ask"), VendorModel)
    assert served.timeout == 2.5


def test_without_settings_no_step_has_a_model() -> None:
    assert [chosen_models({}).for_step(step) for step in STEPS] == [None] * 4
    assert chosen_models({"UAC_MODEL": " "}) == chosen_models({}) == Models()


def test_a_step_can_have_its_own_model_and_none_switches_off() -> None:
    models = chosen_models({"UAC_MODEL": "a:b", "UAC_MODEL_JUDGE": "c:d", "UAC_MODEL_ASK": "none"})
    assert models.names == {"extract": "a:b", "checkpoint": "a:b", "judge": "c:d"}
    assert models.for_step("ask") is None
    assert chosen_models({"UAC_MODEL": "none"}).for_step("extract") is None


def test_recorded_replies_answer_all_steps_that_are_not_switched_off(tmp_path: Path) -> None:
    replies(tmp_path / "some.jsonl")
    models = chosen_models({"UAC_REPLIES": str(tmp_path), "UAC_MODEL": "openai:gpt-4o", "UAC_MODEL_JUDGE": "none"})
    model = models.for_step("extract")
    assert model is not None
    assert model.name == "recorded"
    assert model.ask(QUESTION).text == '{"facts": []}'
    assert models.for_step("extract") is model
    assert models.for_step("judge") is None
    assert chosen_models({"UAC_REPLIES": str(tmp_path)}).for_step("judge") is not None


def test_what_is_recorded_is_that_of_the_model_named(tmp_path: Path) -> None:
    settings = {"UAC_MODEL": "served", "UAC_MODEL_URL": "http://localhost:1/v1", "UAC_RECORD": str(tmp_path)}
    model = chosen_models(settings).for_step("ask")
    assert isinstance(model, Recorder)
    assert model.name == "served"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"UAC_MODEL": "gpt"}, "UAC_MODEL is 'gpt'. Use vendor:model, such as openai:gpt-5-mini"),
        ({"UAC_MODEL": "openai:"}, "UAC_MODEL is 'openai:'. Use vendor:model"),
        ({"UAC_MODEL": "recorded"}, "UAC_MODEL is 'recorded'. Set UAC_REPLIES"),
        ({"UAC_MODEL": "nobody:x"}, "UAC_MODEL is 'nobody:x': Unknown model: nobody:x"),
        ({"UAC_MODEL_EXTRACT": "nobody:x"}, "UAC_MODEL_EXTRACT is 'nobody:x': Unknown model"),
        ({"UAC_MODEL": "anthropic:x"}, "UAC_MODEL is 'anthropic:x': Set the ANTHROPIC_API_KEY environment variable"),
        ({"UAC_MODEL": "openai:x"}, "UAC_MODEL is 'openai:x': Set the OPENAI_API_KEY environment variable"),
        ({"UAC_MODEL": "groq:x"}, "Please install the groq package"),
        ({"UAC_MODEL_URL": "http://localhost/v1"}, "UAC_MODEL_URL is set, UAC_MODEL is not"),
        ({"UAC_MODEL": "x", "UAC_MODEL_URL": "localhost:1"}, "UAC_MODEL_URL is not an address"),
        ({"UAC_MODEL": "x", "UAC_MODEL_URL": "http://me:secret@host/v1"}, "without a password"),
        ({"UAC_MODEL": "x", "UAC_MODEL_URL": "http://host:x/v1"}, "UAC_MODEL_URL is not an address"),
        ({"UAC_MODEL_TIMEOUT": "soon"}, "UAC_MODEL_TIMEOUT is 'soon'. Use seconds"),
        ({"UAC_MODEL_TIMEOUT": "0"}, "UAC_MODEL_TIMEOUT is '0'. Use seconds"),
        ({"UAC_MODEL_TIMEOUT": "nan"}, "UAC_MODEL_TIMEOUT is 'nan'. Use seconds"),
        ({"UAC_PRICE": "cheap"}, "UAC_PRICE is 'cheap'. Use USD per million tokens"),
        ({"UAC_PRICE": "1/-2"}, "UAC_PRICE is '1/-2'. Use USD"),
        ({"UAC_PRICE": "1/NaN"}, "UAC_PRICE is '1/NaN'. Use USD"),
        ({"UAC_REPLIES": "/nowhere/at/all"}, "/nowhere/at/all does not exist. Set UAC_REPLIES"),
    ],
)
def test_wrong_settings_say_what_was_needed(
    settings: dict[str, str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NoModel) as failed:
        chosen_models(settings).for_step("extract")
    assert words in str(failed.value)
    assert "secret" not in str(failed.value)


def test_a_server_gets_its_own_key_and_never_a_vendors_and_it_is_not_shown() -> None:
    settings = {"UAC_MODEL": "served", "UAC_MODEL_URL": "http://localhost:1/v1", "OPENAI_API_KEY": "theirs"}
    assert chosen_models(settings).key == ""
    models = chosen_models({**settings, "UAC_MODEL_KEY": "ours"})
    assert models.key == "ours"
    assert "ours" not in repr(models) + repr(models.for_step("ask"))
    assert chosen_models({"UAC_MODEL": "a:b", "OPENAI_API_KEY": "theirs"}).key == ""


def test_without_the_extra_the_message_names_it() -> None:
    code = """
import sys
sys.modules["pydantic_ai"] = None
from uac.errors import NoModel
from uac.models import open_model, price
assert price("server", 1, 1) is None
try:
    open_model("openai:gpt-5-mini")
except NoModel as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "The package pydantic_ai is not installed. Models need it: pip install '.[models]'\n"


@pytest.mark.parametrize(
    "code", ["import uac, uac.models", "from uac.interfaces.cli import main; main(['--help'], standalone_mode=False)"]
)
def test_what_needs_no_vendor_imports_none(code: str) -> None:
    watched = "{'pydantic_ai', 'pydantic', 'openai', 'anthropic', 'httpx2', 'genai_prices'}"
    code += f"\nimport sys\nprint(sorted({watched} & set(sys.modules)), file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stderr == "[]\n"


def test_opening_one_vendors_model_does_not_load_the_others_package() -> None:
    code = "from uac.models import open_model\nopen_model('anthropic:claude-haiku-5-5')\nimport sys\nprint('openai' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "ANTHROPIC_API_KEY": "x"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "False\n"


# --- prices ---


def test_a_price_is_known_for_vendors_models_and_not_for_others() -> None:
    assert price("openai:gpt-4o", 1_000_000, 100_000) == Decimal("3.5")
    assert price("openai-chat:gpt-4o", 1_000_000, 100_000) == Decimal("3.5")
    assert price("openai:gpt-4o", 1_000_000, 100_000, cached_tokens=1_000_000) == Decimal("2.25")
    assert [price(name, 1, 1) for name in ("gpt-4o", "openai:no-such", "nobody:gpt-4o", "recorded", "")] == [None] * 5


def test_a_price_can_be_set() -> None:
    assert parse_price(" 0.25 / 2.00") == Price(Decimal("0.25"), Decimal("2.00"))
    assert price("anything", 1_000_000, 500_000, listed=parse_price("0.25/2")) == Decimal("1.25")


# --- budgets ---

NONE = Spent()


def test_budgets_are_read_from_settings() -> None:
    settings = {"UAC_BUDGET_CALL": "20000", "UAC_BUDGET_DAY": "0.50 USD", "UAC_BUDGET_USER": "1000000 tokens"}
    assert parse_budget(settings) == Budget(call=20_000, day=Decimal("0.50"), user=1_000_000)
    assert parse_budget({}) == Budget()


@pytest.mark.parametrize("text", ["0.50", "-1", "1e9", "much", "5 EUR", "NaN USD", "١٠", "1.5 tokens"])
def test_a_budget_needs_its_unit(text: str) -> None:
    with pytest.raises(Refused) as failed:
        parse_budget({"UAC_BUDGET_DAY": text})
    assert str(failed.value) == (
        f"UAC_BUDGET_DAY is {text!r}. Use tokens or money, such as '20000 tokens' or '0.50 USD'."
    )


def test_a_budget_in_money_says_what_was_spent_and_what_the_call_would_cost() -> None:
    today = Spent(calls=3, input_tokens=900, output_tokens=100, cost=Decimal("0.48"))
    reason = over_budget(Budget(day=Decimal("0.50")), Estimate(tokens=500, cost=Decimal("0.03")), today, today)
    assert reason == (
        "The day's budget of 0.50 USD would be exceeded: 0.48 USD spent, this call about 0.03 USD. Raise UAC_BUDGET_DAY."
    )


def test_a_budget_in_tokens_needs_no_price() -> None:
    spent = Spent(calls=1, input_tokens=900, output_tokens=100, unpriced=1)
    assert over_budget(Budget(user=1500), Estimate(tokens=500), NONE, spent) is None
    assert over_budget(Budget(user=1499), Estimate(tokens=500), NONE, spent) == (
        "The user's budget of 1499 tokens would be exceeded: 1000 tokens spent, this call about 500 tokens. "
        "Raise UAC_BUDGET_USER."
    )
    assert over_budget(Budget(call=499), Estimate(tokens=500), spent, spent) == (
        "The call's budget of 499 tokens would be exceeded: this call about 500 tokens. Raise UAC_BUDGET_CALL."
    )


def test_a_budget_in_money_without_a_price_is_a_reason_to_stop() -> None:
    assert over_budget(Budget(call=Decimal("0.50")), Estimate(tokens=5, model="served"), NONE, NONE) == (
        "The call's budget is 0.50 USD, but the price of served is unknown. "
        "Set UAC_PRICE, or UAC_BUDGET_CALL in tokens."
    )


def test_calls_of_unknown_price_are_named() -> None:
    spent = Spent(calls=3, cost=Decimal("0.00001"), unpriced=2)
    assert over_budget(Budget(user=Decimal("0.0002")), Estimate(tokens=1, cost=Decimal("0.0002")), NONE, spent) == (
        "The user's budget of 0.0002 USD would be exceeded: 0.0001 USD and 2 calls of unknown price spent, "
        "this call about 0.0002 USD. Raise UAC_BUDGET_USER."
    )


@given(
    most=st.integers(0, 10**6), tokens=st.integers(0, 10**6), before=st.integers(0, 10**6), more=st.integers(0, 10**6)
)
def test_a_larger_budget_never_stops_what_a_smaller_one_lets_pass(
    most: int, tokens: int, before: int, more: int
) -> None:
    spent, estimate = Spent(calls=1, input_tokens=before), Estimate(tokens=tokens)
    stopped = over_budget(Budget(day=most), estimate, spent, NONE) is not None
    assert stopped == (before + tokens > most)
    assert stopped or over_budget(Budget(day=most + more), estimate, spent, NONE) is None


def test_an_estimate_counts_question_and_longest_reply() -> None:
    models = chosen_models({"UAC_MODEL": "served", "UAC_MODEL_URL": "http://localhost:1/v1", "UAC_PRICE": "1/10"})
    most = QUESTION.tokens + QUESTION.reply_tokens
    cost = Decimal(QUESTION.tokens + 10 * QUESTION.reply_tokens) / 1_000_000
    assert models.estimate(QUESTION) == Estimate(tokens=most, cost=cost, model="served")


def test_recorded_replies_pass_a_budget_in_money(tmp_path: Path) -> None:
    models = chosen_models({"UAC_REPLIES": str(replies(tmp_path / "some.jsonl"))})
    assert over_budget(Budget(call=Decimal("0.01")), models.estimate(QUESTION), NONE, NONE) is None
