"""Gives the recorded replies of the demo, in their order, the hashes of the present requests.

Run it after a change to a prompt or to a text that is part of a request. Read the output: the
replies are not written again, so each must still fit its request.
"""

import json
import sys
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from uac import Memory, OneModel, Reply, Request, open_store

__all__ = ["InOrder", "main"]

EXAMPLES = Path(__file__).parent.parent / "examples"
REPLIES = EXAMPLES / "jessica.jsonl"

sys.path.insert(0, str(EXAMPLES))

import jessica  # noqa: E402 - in the folder that was just added


class InOrder:
    """A model that answers the nth request of a step with the nth reply recorded for that step."""

    name = "recorded"

    def __init__(self, lines: list[dict[str, Any]]) -> None:
        self.waiting = list(lines)
        self.renewed = 0

    def ask(self, request: Request) -> Reply:
        line = next(line for line in self.waiting if line["step"] == request.step)
        self.waiting.remove(line)
        self.renewed += line["hash"] != request.hash
        line["hash"] = request.hash
        return Reply(text=line["reply"], model=self.name, input_tokens=request.tokens, cost=Decimal(0))


def main() -> None:
    lines = [json.loads(line) for line in REPLIES.read_text(encoding="utf-8").splitlines()]
    model = InOrder(lines)
    memory = _live_a_year(OneModel(model))
    for question in jessica.QUESTIONS:
        answer = memory.ask(question, OneModel(model))
        print(f"{question}\n  {answer.text if answer.is_known else 'not known'}")
    print(f"{model.renewed} of {len(lines)} replies have a new hash, {len(model.waiting)} were not used")
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    REPLIES.write_text(text, encoding="utf-8")


def _live_a_year(models: OneModel) -> Memory:
    clock = jessica.Clock(datetime(2024, 3, 1, tzinfo=UTC))
    store = open_store("memory:", clock=clock)
    for lived in jessica.play(store, clock, models=models):
        for outcome in lived.outcomes:
            for finding in outcome.findings:
                print(f"{lived.session['session']}: {finding.why}")
    return lived.memory


if __name__ == "__main__":
    main()
