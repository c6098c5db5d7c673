"""A request becomes a file, and a file becomes the reply."""

import json
import stat
from decimal import Decimal
from pathlib import Path

import pytest

from uac.errors import Awaited, ModelError, NoModel, Unanswered, Unreachable
from uac.models import ExchangeModel
from uac.models.model import Model
from uac.models.requests_and_replies import Request
from uac.testing.model import QUESTION, ModelContract

REQUEST = Request(
    step="ask", prompt="# ask\n\nAnswer.\n", content='{"question": "When?"}', schema={"type": "object"}, position=7
)
STEM = f"ask-{REQUEST.hash[:20]}"


class TestExchange(ModelContract):
    @pytest.fixture
    def model(self, tmp_path: Path) -> Model:
        return answered(tmp_path, QUESTION, "Four.")

    @pytest.fixture
    def mute(self, tmp_path: Path) -> Model:
        return answered(tmp_path, QUESTION, "  \n")


def answered(folder: Path, request: Request, reply: str) -> ExchangeModel:
    model = ExchangeModel(folder)
    with pytest.raises(Awaited):
        model.ask(request)
    (written,) = folder.glob("*.request.md")
    written.with_name(written.name.replace(".request.md", ".reply.txt")).write_text(reply)
    return model


def test_the_request_file_is_the_whole_message_and_names_the_reply_file(tmp_path: Path) -> None:
    model = ExchangeModel(tmp_path / "exchange")
    with pytest.raises(Awaited, match=rf"{STEM}\.request\.md has no reply yet. Write the reply to {STEM}\.reply\.txt"):
        model.ask(REQUEST)
    written = tmp_path / "exchange" / f"{STEM}.request.md"
    assert model.awaited == {REQUEST.hash: written}
    assert written.read_text() == (
        "# ask\n\nAnswer.\n\n## Your input\n\n```json\n"
        '{"question": "When?"}\n```\n\n## The form of your reply\n\n```json\n{"type": "object"}\n```\n\n'
        f"Write your reply, the JSON object alone, to the file {STEM}.reply.txt beside this one.\n"
    )
    assert [path.name for path in written.parent.iterdir()] == [written.name]
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert stat.S_IMODE(written.parent.stat().st_mode) == 0o700


def test_a_reply_that_came_in_is_read_by_every_later_run(tmp_path: Path) -> None:
    first = answered(tmp_path, REQUEST, '{"answer": "May"}')
    again = ExchangeModel(tmp_path, name="by hand")
    assert [json.loads(model.ask(REQUEST).text) for model in (first, again)] == [{"answer": "May"}] * 2
    assert (again.ask(REQUEST).model, again.ask(REQUEST).cost) == ("by hand", Decimal(0))
    assert first.awaited == {}


def test_the_place_in_the_log_does_not_change_the_file(tmp_path: Path) -> None:
    model = answered(tmp_path, REQUEST, "{}")
    later = Request(step="ask", prompt=REQUEST.prompt, content=REQUEST.content, schema={}, position=99)
    assert model.ask(later).text == "{}"


def test_a_waiting_model_looks_again_until_the_reply_is_there(tmp_path: Path) -> None:
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            (tmp_path / f"{STEM}.reply.txt").write_text("late")

    assert ExchangeModel(tmp_path, wait=10, sleep=sleep).ask(REQUEST).text == "late"
    assert pauses == [0.5, 0.5, 0.5]
    other = Request(step="judge", prompt="", content="", schema={})
    with pytest.raises(Awaited):
        ExchangeModel(tmp_path, wait=1, sleep=pauses.append).ask(other)
    assert pauses[3:] == [0.5, 0.5]


def test_an_empty_reply_is_no_answer_and_a_missing_one_may_still_come(tmp_path: Path) -> None:
    with pytest.raises(Unanswered, match="empty"):
        answered(tmp_path, REQUEST, "").ask(REQUEST)
    assert issubclass(Awaited, Unreachable)


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NoModel, match="file is not a usable folder"):
        ExchangeModel(tmp_path / "file")
    (tmp_path / f"{STEM}.reply.txt").mkdir()
    with pytest.raises(ModelError, match="Is a directory"):
        ExchangeModel(tmp_path).ask(REQUEST)
