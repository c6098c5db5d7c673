"""uac-bench ablation: what each part is worth, measured by switching it off in the same run.

*Typed state*: aggregates over records, computed, and computed exactly over the best records that recall finds.
*Constraints*: dangers that are reported though nobody asks; without rules there are none. *Channels of recall*:
evidence in the context without each of them. *Grounding checks*: facts that a model made up and that did not get into
memory; without checks each would. *Second look*: stated facts that are found by a model that misses half whenever it
reads.
"""

import json
import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from uac import Fact, Reply, Request, __version__
from uac.packs import chosen_packs
from uac_bench.alert_controls import play_controls, read_controls
from uac_bench.bench_growth import TOP, growth_answers, growth_item
from uac_bench.bench_peers import own_chats
from uac_bench.chats.measure import CHANNEL_ABLATIONS, ONE, measure_chat
from uac_bench.conversations.generator import generate_life
from uac_bench.conversations.replay import lived_through
from uac_bench.conversations.truthful_model import TruthfulModel, content_of, deeds_of
from uac_bench.conversations.weak_models import WeakModel
from uac_bench.growth_records import GROWTH_QUESTIONS, generate_records
from uac_bench.harness import OURS, SuiteRun, chance_text, out_option
from uac_bench.recall_items import chat_items
from uac_bench.runs import BenchItem, BenchTable, System, Verdict, shares, versus
from uac_bench.systems.rebuilt import our_recall

__all__ = ["bench_ablation"]

ABOUT = "What each part is worth: the same questions with it and without it."
INVENTING = ("invented facts", "invented quotes", "wrong numbers")
SESSIONS = 6
LIVES = 4  # of which the facts are counted


@click.command("ablation")
@click.option("--records", type=click.IntRange(min=100), default=1000, show_default=True, help="Records of the user.")
@click.option("--tokens", type=click.IntRange(min=100), default=4000, show_default=True, help="Size of a context.")
@click.option("--seed", type=int, default=1, show_default=True, help="Other seeds are other users.")
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_ablation(records: int, tokens: int, seed: int, out_folder: Path | None, as_json: bool) -> None:
    """Measure what typed state, constraints, each channel of recall and the checks on a model are worth.

    Each row is one part: the share of right items with it and without it, and the paired exact test.
    """
    suite = SuiteRun("ablation", ABOUT, out_folder, as_json=as_json, seed=seed)
    parts: dict[str, Callable[[], Iterable[BenchItem]]] = {
        "typed state": partial(_typed_state, suite, records, seed),
        "constraints": _constraints,
        "channels": partial(_channels, tokens),
        **{weakness: partial(_checks, seed, weakness) for weakness in INVENTING},
        **{f"second look {number}": partial(_second_look, number) for number in range(seed, seed + LIVES)},
    }
    suite.measure_items("parts", lambda measure: measure(), parts)
    rows = list(_worth_rows(suite.items))
    if as_json:
        suite.out.json({row[0]: dict(zip(HEADS[1:], row[1:], strict=True)) for row in rows})
    suite.out.line(("what each part is worth:", "bold"))
    suite.out.table(HEADS, rows, headed=True)
    suite.out.line(NOTE)
    names = dict.fromkeys(item.system for item in suite.items)
    table = BenchTable(title="What each part is worth", columns=HEADS, rows=tuple(rows), note=NOTE)
    measured = [row for row in rows if row[0] not in BY_DESIGN]
    gains = sorted(measured, key=lambda row: -float(row[4].rstrip("%")))
    headline = f"Worth most: {gains[0][0]} ({gains[0][4]}), {gains[1][0]} ({gains[1][4]}); least: {gains[-1][0]}"
    suite.finish(
        [System(name, __version__, is_ours=True) for name in names],
        tables=[table],
        headline=f"{headline} ({gains[-1][4]}).",
    )


HEADS = ("part", "items", "with it", "without it", "it gives", "p")
NOTE = (
    "Typed state: aggregates, against the best records that recall finds. Constraints: dangers reported without"
    " a question. Channels: questions with all of their evidence. Grounding checks: made-up facts that are kept out."
    " Second look: stated facts that are found by a model that misses half whenever it reads. Constraints and checks"
    " are 0 % without by design."
)
WITHOUT = "without "
BY_DESIGN = ("constraints", "grounding checks")  # without them the share is 0


def _worth_rows(items: tuple[BenchItem, ...]) -> Iterator[tuple[str, ...]]:
    found = {system: share for (system, _group), share in shares(items).items()}
    for name in [name for name in found if name.startswith(WITHOUT)]:
        part = name.removeprefix(WITHOUT)
        own = {item.id for item in items if item.system == name}
        compared = [item for item in items if item.id in own and item.system in (OURS, name)]
        both = {system: share for (system, _group), share in shares(compared).items()}
        gain = both[OURS].share - both[name].share
        chance = versus(compared, OURS, name)
        cells = (f"{both[OURS].share:.1%}", f"{both[name].share:.1%}", f"{gain:+.1%}", chance_text(chance))
        yield (part, str(both[name].of), *cells)


def _typed_state(suite: SuiteRun, count: int, seed: int) -> Iterator[BenchItem]:
    """Compute over typed records, against the best records that our own recall finds, computed exactly."""
    records = generate_records(count, seed)
    for name, answer in growth_answers(records, [our_recall()], TOP, 1000, suite, count, {}):
        if name == OURS or name.startswith("top"):
            for question in GROWTH_QUESTIONS:
                item = growth_item(name, question, count, records, answer)
                system = OURS if name == OURS else f"{WITHOUT}typed state"
                yield _as(item, system, f"aggregate {question.id}")


def _constraints() -> Iterator[BenchItem]:
    """Without constraints nothing is reported unless somebody asks."""
    for each in play_controls(read_controls(), chosen_packs("all")):
        if each.side == "danger":
            name = f"danger {each.constraint}"
            yield BenchItem(id=name, system=OURS, verdict="right" if each.is_right else "wrong", group="constraints")
            yield BenchItem(id=name, system=f"{WITHOUT}constraints", verdict="wrong", group="constraints")


def _channels(tokens: int) -> Iterator[BenchItem]:
    for chat in own_chats("written-reported"):
        outcomes = measure_chat(chat, [tokens], [ONE, *CHANNEL_ABLATIONS])
        for item in chat_items(outcomes, tokens):
            yield _as(item, OURS if item.system == ONE else item.system, f"evidence {item.id}")


def _checks(seed: int, weakness: str) -> Iterator[BenchItem]:
    """Facts that a model made up, and whether they are in memory: without checks each would be."""
    with lived_through(generate_life(seed, SESSIONS), partial(WeakModel, name=weakness)) as (memory, _watcher, model):
        lies = sorted(model.lies) if isinstance(model, WeakModel) else []
        stored = {each.entry.text for each in memory.log.read() if isinstance(each.entry, Fact)}
    for number, lie in enumerate(lies):
        name = f"invented: {weakness}/{number}"
        yield BenchItem(id=name, system=OURS, verdict="wrong" if lie in stored else "right", group="checks")
        yield BenchItem(id=name, system=f"{WITHOUT}grounding checks", verdict="wrong", group="checks")


def _second_look(number: int) -> Iterator[BenchItem]:
    """Facts that a user states, with a reader who misses half of them, and with one who never reads a turn again."""
    life = generate_life(number, SESSIONS)
    for system, is_asked in ((OURS, True), (f"{WITHOUT}second look", False)):
        with lived_through(life, partial(_HalfReader, looks_again=is_asked)) as (_memory, watcher, _model):
            found = {id(deed) for deed in watcher.deed_at.values()}
        for place, deed in enumerate(deeds_of(life).values()):
            verdict: Verdict = "right" if id(deed) in found else "wrong"
            yield BenchItem(id=f"fact {number}/{place}", system=system, verdict=verdict, group="second look")


class _HalfReader:
    """A model that misses half of the facts whenever it reads, the same ones in the same reading."""

    def __init__(self, model: TruthfulModel, *, looks_again: bool) -> None:
        self._model = model
        self._looks_again = looks_again
        self.name = model.name

    def ask(self, request: Request) -> Reply:
        reply = self._model.ask(request)
        if request.step != "extract":
            return reply
        second = {turn["turn"] for turn in content_of(request)["turns"] if turn.get("look") == "second"}
        facts = [fact for fact in json.loads(reply.text)["facts"] if self._is_seen(fact, second)]
        return msgspec.structs.replace(reply, text=json.dumps({"facts": facts}))

    def _is_seen(self, fact: Mapping[str, Any], second: Collection[int]) -> bool:
        is_second = any(cite["turn"] in second for cite in fact["cites"])
        chance = random.Random(f"{is_second} {fact['text']}").random()
        return chance < 1 / 2 and (self._looks_again or not is_second)


def _as(item: BenchItem, system: str, name: str) -> BenchItem:
    return BenchItem(
        id=name, system=system, verdict=item.verdict, group=item.group, score=item.score, given=item.given, why=item.why
    )
