"""Plays a life twice: told in two steps, and remembered in one call. Counts calls and tokens for each fact.

Both agents are the same truthful model, and remember what the user says turn by turn. What is counted is what an agent
reads and writes: the words that it sends, requests, replies, results, the records that it looks up, and once in a
session the types of the domains that it needs and the description of the tool.
"""

import json
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import msgspec

from uac import Memory, Observation, OneModel, Outcome, Remembered, open_store
from uac.conversation import prompt_text
from uac.models import NO_BUDGET
from uac.text import count_tokens
from uac_bench.conversations.lives import Life, Turn
from uac_bench.conversations.replay import Watcher
from uac_bench.conversations.truthful_model import TruthfulModel, deeds_of

__all__ = ["CallCost", "play_both_ways", "sum_costs"]

LOOKED_UP = 1500  # tokens of records that an agent looks up before it remembers a session


class CallCost(msgspec.Struct, frozen=True, kw_only=True):
    """The calls and tokens of an agent, the facts that came of them, and the things that are right in the end."""

    calls: int
    tokens: int
    facts: int
    verdicts: tuple[str, ...]
    """Why the memory of each thing is wrong, '' if it is right."""

    @property
    def things(self) -> int:
        return len(self.verdicts)

    @property
    def right(self) -> int:
        return self.verdicts.count("")

    @property
    def calls_per_fact(self) -> float:
        return self.calls / max(1, self.facts)

    @property
    def tokens_per_fact(self) -> float:
        return self.tokens / max(1, self.facts)


def play_both_ways(life: Life) -> tuple[CallCost, CallCost]:
    """The cost in two steps, and in one call."""
    return _Agent(life, in_one_call=False).play(), _Agent(life, in_one_call=True).play()


def sum_costs(costs: Sequence[CallCost]) -> CallCost:
    """The cost of several lives."""
    return CallCost(
        calls=sum(cost.calls for cost in costs),
        tokens=sum(cost.tokens for cost in costs),
        facts=sum(cost.facts for cost in costs),
        verdicts=tuple(verdict for cost in costs for verdict in cost.verdicts),
    )


class _Agent:
    """An agent that tells a life to a memory, and pays for what it reads and writes."""

    def __init__(self, life: Life, *, in_one_call: bool) -> None:
        self._life = life
        self._in_one_call = in_one_call
        self._deeds = deeds_of(life)
        self._calls = self._tokens = 0
        self._domains: set[str] = set()  # whose types were read in this session

    def play(self) -> CallCost:
        now = [self._life.sessions[0][0].said]
        with (
            closing(open_store("memory:", clock=lambda: now[0])) as store,
            closing(Memory(store.log("user"), clock=lambda: now[0])) as memory,
        ):
            watcher = Watcher(self._life, memory)
            model = TruthfulModel(self._life, watcher.records_of)

            def notice(outcome: Outcome) -> None:
                self._pay(2, outcome.request.prompt, outcome.request.content, outcome.reply.text)
                watcher.notice(outcome)

            for number, session in enumerate(self._life.sessions, 1):
                self._domains.clear()
                self._pay(0, prompt_text("remember"))
                for turns in _exchanges(session):
                    now[0] = turns[-1].said
                    observations = [
                        Observation(text=turn.text, said=turn.said, role=turn.role, session=f"session {number}")
                        for turn in turns
                    ]
                    if self._in_one_call:
                        self._remember(memory, watcher, model, turns, observations)
                        continue
                    self._pay(1, {"turns": [[turn.role, turn.text] for turn in turns]})
                    memory.remember(observations)
                    memory.learn(OneModel(model), budget=NO_BUDGET, on_outcome=notice)
                memory.learn(OneModel(model), budget=NO_BUDGET, on_outcome=notice)  # what is left, if anything
            score = watcher.score()
        return CallCost(calls=self._calls, tokens=self._tokens, facts=score.taken, verdicts=score.verdicts)

    def _remember(
        self,
        memory: Memory,
        watcher: Watcher,
        model: TruthfulModel,
        session: Sequence[Turn],
        turns: Sequence[Observation],
    ) -> None:
        said = [{"turn": number, "text": turn.text} for number, turn in enumerate(session, 1)]
        facts = model.facts({"turns": said})["facts"]
        deeds = [self._deeds[fact["text"]] for fact in facts if fact["text"] in self._deeds]
        records: list[str] = []
        if any(deed.op not in ("put", "aside") for deed in deeds):
            words = "\n".join(turn.text for turn in session if turn.role == "user")
            found = memory.recall(words, kinds=["record"], tokens=LOOKED_UP)
            records = [hit.record for hit in found.hits]
            self._pay(1, words, found.text)
        types = self._types_of(memory, {deed.type.partition(".")[0] for deed in deeds})
        numbered = [{"fact": number, "text": fact["text"]} for number, fact in enumerate(facts, 1)]
        shown = {"facts": numbered, "records": records, "types": types}
        patches = model.patches(shown)["patches"]
        taken = memory.remember(turns, facts, patches)
        watcher.notice_facts([fact.position for fact in taken.facts])
        given = {"turns": [[turn.role, turn.text] for turn in turns], "facts": facts, "records": patches}
        self._pay(1, given, _result_of(taken))

    def _types_of(self, memory: Memory, domains: set[str]) -> list[str]:
        """The types of these domains, with their fields, as an agent reads them: one call for all that are new."""
        known = {type_.full_name: type_ for pack in memory.packs for type_ in pack.types} | dict(memory.project().types)
        lines = {
            name: f"{name} ({type_.cardinality}; key {', '.join(type_.key)}): "
            + ", ".join(f"{field.name}: {field.type}" for field in type_.fields)
            for name, type_ in sorted(known.items())
        }
        if new := domains - self._domains:
            self._domains |= new
            self._pay(1, *(line for name, line in lines.items() if known[name].domain in new))
        return [line for name, line in lines.items() if known[name].domain in self._domains]

    def _pay(self, calls: int, *texts: Any) -> None:
        self._calls += calls
        self._tokens += sum(
            count_tokens(text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)) for text in texts
        )


def _exchanges(session: Sequence[Turn]) -> list[list[Turn]]:
    """The turns of a session, each of the user with those of the assistant before it."""
    found: list[list[Turn]] = [[]]
    for turn in session:
        found[-1].append(turn)
        if turn.role == "user":
            found.append([])
    return [turns for turns in found if turns]


def _result_of(taken: Remembered) -> dict[str, Any]:
    return {"positions": taken.positions, "facts": taken.facts, "records": taken.records, "to_mend": taken.to_mend}
