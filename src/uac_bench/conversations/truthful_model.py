"""A model that reads perfectly and remembers nothing: it knows what each sentence means, and sees one request only.

It corrects, ends or amends a record only if the request shows that record. What the request does not show, it does not
know: then it puts what the fact says as something new, as a careful model would.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from uac import Reply, Request
from uac.text import count_tokens
from uac_bench.conversations.due_alerts import OWN_RULE, own_rule_file
from uac_bench.conversations.lives import Deed, Life, Sentence, sentences_of
from uac_bench.conversations.questions import LifeQuestion, next_step

__all__ = ["TruthfulModel", "content_of", "deed_finder", "deeds_of", "listed_types"]


class TruthfulModel:
    """Answers extract, checkpoint and ask requests from the truth of a life."""

    name = "truthful"

    def __init__(self, life: Life, records_of: Callable[[int], Sequence[str]]) -> None:
        self._sentences: dict[str, tuple[Sentence, ...]] = {
            turn.text: turn.sentences for session in life.sessions for turn in session
        }
        self._deed_of = deed_finder(life)
        self._own_types = life.types
        self._records_of = records_of
        """The records that hold a thing; used to recognise one that is shown, never to name one that is not."""
        self.questions: Mapping[str, LifeQuestion] = {}
        """The questions that will be asked, by their text: how to look for each answer, never the answer."""

    def ask(self, request: Request) -> Reply:
        content = content_of(request)
        match request.step:
            case "checkpoint":
                answer = self.patches(content, rules="written" if "# constraint" in request.prompt else "named")
            case "ask":
                answer = next_step(self.questions[content["question"]], content)
            case _:
                answer = self.facts(content)
        text = json.dumps(answer, ensure_ascii=False)
        return Reply(text=text, model=self.name, input_tokens=request.tokens, output_tokens=count_tokens(text))

    def facts(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """The facts of the turns that are not noted yet. One that was refused as it is has no better wording."""
        known = content.get("taken", ())
        refused = [item["fact"] for item in content.get("refused", ())]
        turns = {turn["text"]: turn["turn"] for turn in content["turns"]}
        stated = (fact for turn in content["turns"] if not turn.get("context") for fact in self._facts(turn, turns))
        return {"facts": [fact for fact in stated if fact["text"] not in known and fact not in refused]}

    def patches(
        self, content: Mapping[str, Any], *, rules: Literal["aside", "named", "written"] = "aside"
    ) -> dict[str, Any]:
        """A patch for each fact. One that was refused as it is has no better form, unless it is to be given again.

        A rule is written if the request says how, and named if it does not.
        """
        refused = [item["patch"] for item in content.get("refused", ()) if "give the same" not in item["why"]]
        types = set(listed_types(content))
        patches: list[dict[str, Any]] = []
        constraints: list[dict[str, Any]] = []
        for fact in content["facts"]:
            deed = self._deed_of(fact["text"], fact.get("quote", "").split(" … "))
            if deed is None:
                patches.append(_set_aside(fact, "not understood"))
                continue
            if deed.op == "rule" and rules != "aside":
                file = {"file": own_rule_file(deed.fields["at"])} if rules == "written" else {}
                constraints.append({"name": OWN_RULE, "cites": [fact["fact"]], **file})
                continue
            if deed.op == "put" and deed.type in self._own_types and deed.type not in types:
                patches.append({"op": "define", "type": self._own_types[deed.type]})
                types.add(deed.type)
            patch = self._patch(fact, deed, types, content)
            patches.append(_set_aside(fact, "its patch was refused", deed.type) if patch in refused else patch)
        return {"patches": patches, "constraints": constraints}

    def _facts(self, turn: Mapping[str, Any], turns: Mapping[str, int]) -> Iterator[dict[str, Any]]:
        for sentence in self._sentences.get(turn["text"], ()):
            cites = [{"turn": turn["turn"], "quote": sentence.quote}]
            if sentence.other_quote and sentence.other_quote[0] in turns:
                cites.append({"turn": turns[sentence.other_quote[0]], "quote": sentence.other_quote[1]})
            yield {**sentence.fact, "cites": cites}

    def _patch(
        self, fact: Mapping[str, Any], deed: Deed, types: set[str], content: Mapping[str, Any]
    ) -> dict[str, Any]:
        cites = [fact["fact"]]
        shown = set(content["records"])
        record = next((record for record in self._records_of(deed.thing) if record in shown), None)
        if deed.op in ("aside", "rule"):
            return _set_aside(fact, "not a record of the user", deed.type)
        if deed.op == "put" and deed.type not in types:
            return _set_aside(fact, "no type for it is shown", deed.type)
        if deed.op == "put" or (record is None and deed.op == "amend" and _is_whole(deed)):
            return {"op": "put", "type": deed.type, "fields": dict(deed.fields), "cites": cites}
        if record is None:
            return _set_aside(fact, "it belongs in no record that is shown", deed.type)
        match deed.op:
            case "amend":
                return {"op": "amend", "record": record, "fields": dict(deed.fields), "cites": cites}
            case "end":
                return {"op": "end", "record": record, "when": deed.on.isoformat(), "why": deed.act, "cites": cites}
            case "drop":
                return {"op": "drop", "record": record, "why": "never happened", "cites": cites}
            case _:
                return _set_aside(fact, "it only mentions what is known", deed.type)


def deeds_of(life: Life) -> dict[str, Deed]:
    """What each fact changes, by its text."""
    return {sentence.fact["text"]: sentence.deed for sentence in sentences_of(life)}


def deed_finder(life: Life) -> Callable[[str, Iterable[str]], Deed | None]:
    """Finds what a fact changes by its text, or, if it is worded in another way, by the words that it quotes."""
    by_text, by_quote = deeds_of(life), dict[str, list[Deed]]()
    for sentence in sentences_of(life):
        by_quote.setdefault(sentence.quote, []).append(sentence.deed)

    def find(text: str, quotes: Iterable[str]) -> Deed | None:
        quoted = [deed for quote in quotes for deed in by_quote.get(quote, ())]
        return by_text.get(text) or (quoted[0] if len(quoted) == 1 else None)

    return find


def content_of(request: Request) -> Mapping[str, Any]:
    content: dict[str, Any] = json.loads(request.content)
    return content


def listed_types(content: Mapping[str, Any]) -> dict[str, bool]:
    """The types that a request lists, and whether with their fields."""
    lines = (line for name in ("types", "offered") for line in content.get(name, ()))
    listed = {line.partition(" ")[0]: True for line in lines}
    for group in content.get("more_types", "").split("; "):
        domain, _colon, names = group.partition(": ")
        listed |= {f"{domain}.{name}": bool(fields) for name, fields in re.findall(r"(\w+)(\([^)]*\))?", names)}
    return listed


def _is_whole(deed: Deed) -> bool:
    """Whether a change could be put as a record of its own by somebody who does not see the record."""
    return deed.type == "people.Profile"


def _set_aside(fact: Mapping[str, Any], why: str, type_name: str = "") -> dict[str, Any]:
    return {"op": "set_aside", "cites": [fact["fact"]], "why": why, "domain": type_name.partition(".")[0]}
