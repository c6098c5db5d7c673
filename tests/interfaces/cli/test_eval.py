"""Own questions on the command line, with and without memory."""

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from support.cli import uac
from support.cli_conversation import head, ok

pytestmark = pytest.mark.usefixtures("recorded")

QUESTIONS = [
    {"question": "How many allergies do I have?", "answer": 1},
    {"question": "What is my <b>shoe size</b>?", "answer": None},
    {"question": "Which doctor gave me amoxicillin?"},
]
UNKNOWN = {"answer": "", "known": False}
CHEN = {
    "answer": "Dr. Chen did.",
    "known": True,
    "quotes": [{"entry": 2, "quote": "Dr. Chen gave me amoxicillin"}],
}


def reply_to(request: str) -> dict[str, Any]:
    content = json.loads(request.partition("## Your input\n\n```json\n")[2].partition("\n```")[0])
    if "expected" in content:
        return {"right": content["answer"] == "You have 1 allergy.", "why": "compared"}
    if "memory" not in content or "shoe" in content["question"]:
        return UNKNOWN
    if "doctor" in content["question"]:
        return CHEN
    if not content["steps"]:
        return {"tool": "compute", "code": "len(health.allergies)"}
    return {"answer": "You have 1 allergy.", "known": True}


def answer_all(folder: Path) -> int:
    """Answer every request without a reply, as an agent would; returns how many there were."""
    count = 0
    for path in sorted(folder.glob("*.request.md")):
        reply = path.with_name(path.name.replace(".request.md", ".reply.txt"))
        if not reply.exists():
            reply.write_text(json.dumps(reply_to(path.read_text())))
            count += 1
    return count


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    ok("learn", "ana")
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS))
    return path


def run_to_the_end(questions: Path, *more: str) -> Any:
    arguments = ("eval", "ana", str(questions), "--exchange", "exchange", *more)
    for _round in range(4):
        result = uac(*arguments)
        if not answer_all(Path("exchange")):
            return result
        assert result.exit_code == 7
    raise AssertionError("the requests do not end")


def test_requests_become_files_and_the_command_says_how_many_wait(questions: Path) -> None:
    before = head()
    result = uac("eval", "ana", str(questions), "--exchange", "exchange")
    assert result.exit_code == 7
    assert result.stderr.endswith(
        "6 requests without a reply in exchange: write the replies, and run the command again\n"
    )
    assert "3 questions without a reply yet: not counted." in result.stdout
    assert len([*Path("exchange").iterdir()]) == 6
    assert head() == before


def test_answers_are_shown_with_their_verdicts_and_the_comparison(questions: Path) -> None:
    result = run_to_the_end(questions)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "1. How many allergies do I have?",
        "   with memory     right     You have 1 allergy.",
        "   without memory  wrong     not known",
        "2. What is my <b>shoe size</b>?",
        "   with memory     right     not known",
        "   without memory  right     not known",
        "3. Which doctor gave me amoxicillin?",
        "   with memory     unscored  Dr. Chen did.",
        "   without memory  unscored  not known",
        "With memory 2 of 2 right (100 %, 95 % interval 34 to 100 %); without memory 1 of 2 right (50 %, 95 % interval 9 to 91 %).",
        "1 question only memory got right, 0 only the model alone (McNemar's exact test: p = 1).",
        "1 question without an expected answer: asked, not scored.",
    ]


def test_json_has_a_line_for_each_question_and_one_for_the_comparison(questions: Path) -> None:
    *lines, last = [
        json.loads(line) for line in run_to_the_end(questions, "--judge", "model", "--json").stdout.splitlines()
    ]
    assert [line["expected"] for line in lines] == [["1"], None, []]
    assert lines[0]["with_memory"] == {
        "verdict": "right",
        "text": "You have 1 allergy.",
        "is_known": True,
        "why": "compared",
        "computed": [{"code": "len(health.allergies)", "value": "1"}],
        "records": [],
        "quotes": [],
    }
    assert lines[2]["with_memory"]["quotes"] == [{"position": 2, "words": "Dr. Chen gave me amoxicillin"}]
    assert (last["user"], last["models"], last["judge"], last["calls"], last["cost"]) == (
        "ana",
        ["exchange"],
        "model",
        8,
        "0",
    )
    assert (last["with_memory"]["right"], last["alone"]["right"]) == (2, 1)


class Page(HTMLParser):
    """What a page would request, and its texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag != "meta":
            self.open.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "action")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_report_is_one_page_without_requests_in_which_text_stays_text(questions: Path) -> None:
    result = run_to_the_end(questions, "--report", "report.html")
    assert result.stderr == "the report is report.html\n"
    text = Path("report.html").read_text()
    page = Page(text)
    assert (page.open, page.addresses) == ([], [])
    assert {"script", "link", "img", "b"}.isdisjoint(page.tags)
    assert ("url(" in text, "@import" in text) == (False, False)
    said = " ".join(page.texts)
    for part in (
        "With memory 2 of 2 right",
        "2. What is my <b>shoe size</b>?",
        "len(health.allergies) → 1",
        "entry 2, user: “Dr. Chen gave me amoxicillin”",
        "Answered by exchange",
    ):
        assert part in said


def test_a_configured_model_answers_without_an_exchange(questions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UAC_REPLIES")
    result = uac("eval", "ana", str(questions))
    assert (result.exit_code, "No model is configured for ask" in result.stderr) == (7, True)


def test_a_file_that_is_not_text_is_refused(questions: Path) -> None:
    questions.write_bytes(b'{"question": "\xff"}')
    result = uac("eval", "ana", str(questions), "--exchange", "exchange")
    assert (result.exit_code, result.stderr) == (
        3,
        "Refused: questions.jsonl is not UTF-8: invalid start byte at byte 14. Save it as UTF-8.\n",
    )
