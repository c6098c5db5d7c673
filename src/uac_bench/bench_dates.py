"""uac-bench dates: whether true dates, times, durations and numbers pass, and false ones do not.

The corpus holds sentences in eight languages with the day they were said, the values that are right and some that are
wrong. One half was there to develop on, the other only to report; that one was run often. The fresh parts were written
later by somebody who did not know the reader: each was run once before anybody read its sentences, and then developed
on, by kind. The part `several` was written to develop on: most of its sentences have two or more dates, times or
numbers, and each is asked for. `fresh4`, by yet another author, was run once when all else was done; nothing has been
developed on it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import msgspec

from uac.conversation import QuotedText, value_verdict
from uac_bench.harness import OURS, SuiteRun, out_option
from uac_bench.runs import BenchItem

__all__ = ["PARTS", "DatedSentence", "bench_dates", "dated_sentences"]

ABOUT = (
    "Which dates, times and numbers the checks accept, mark as unsure, and refuse. An item is right if a right value is"
    " accepted or a wrong one refused; one that is marked as unsure counts as wrong."
)
CORPUS = Path(__file__).parent / "dates" / "corpus.jsonl"
FOLLOWS, CONTRADICTS = "follows", "contradicts"
ANSWERS = (FOLLOWS, "unsure", CONTRADICTS)
SIDES = {FOLLOWS: "right", CONTRADICTS: "wrong"}
COLUMNS = tuple(f"{side} {name}" for side in ("right", "wrong") for name in ("accepted", "unsure", "refused"))
PARTS = ("develop", "report", "fresh", "fresh2", "fresh3", "several", "fresh4")
GOALS = {"right refused": 0.02, "wrong accepted": 0.005}


class DatedSentence(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence of the corpus, with right and wrong values for a field."""

    id: str
    lang: str
    said: str
    text: str
    field: str
    kind: str
    right: list[str]
    wrong: list[str]
    half: str
    before: str = ""
    """What was said just before it."""
    note: str = ""


@click.command("dates")
@click.option("--half", type=click.Choice(PARTS), multiple=True, help="Only this part.")
@click.option(
    "--corpus",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=CORPUS,
    help="Read the sentences of this file instead, JSON Lines in the form of our corpus.",
)
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_dates(half: tuple[str, ...], corpus: Path, out_folder: Path | None, as_json: bool) -> None:
    """Measure which dates, times, durations and numbers are accepted, marked as unsure and refused.

    Sentences in eight languages, each with the day it was said, right values and wrong ones. One half
    was there to develop on, the other to report; the fresh parts were written later, by another author.
    The sentences of `several` have two or more dates, times or numbers each.
    """
    suite = SuiteRun("dates", ABOUT, out_folder, as_json=as_json, data=[corpus])
    out = suite.out
    halves: dict[str, list[DatedSentence]] = {}
    for sentence in dated_sentences(corpus):
        if not half or sentence.half in half:
            halves.setdefault(sentence.half, []).append(sentence)
    suite.measure_items("parts of the corpus", _judged_values, halves)
    counts = _count_verdicts(suite.items)
    if as_json:
        out.json({name: _shares(counted) for name, counted in counts.items()})
    out.line(("by part:", "bold"))
    out.table(("part", *COLUMNS), [_row(name, counts[name]) for name in counts if " " not in name])
    out.line(("by part and language:", "bold"))
    out.table(("part, language", *COLUMNS), [_row(name, counts[name]) for name in counts if " " in name])
    suite.compare(title="values that are decided rightly; those marked as unsure count as wrong")
    out.line("Goals: " + ", ".join(f"{name} at most {share:.1%}" for name, share in GOALS.items()) + ".")
    suite.finish(headline=_headline([counts[name] for name in counts if " " not in name]))


def dated_sentences(corpus: Path = CORPUS) -> Iterator[DatedSentence]:
    """The sentences of the corpus, in order."""
    lines = corpus.read_bytes().splitlines()
    yield from (msgspec.json.decode(line, type=DatedSentence) for line in lines)


def _judged_values(sentences: Iterable[DatedSentence]) -> Iterator[BenchItem]:
    """One item for each right and each wrong value: right ones must be accepted, and wrong ones refused."""
    for sentence in sentences:
        said = datetime.fromisoformat(sentence.said).replace(tzinfo=UTC)
        quotes = [QuotedText(words, said) for words in (sentence.before, sentence.text) if words]
        for gold, values in ((FOLLOWS, sentence.right), (CONTRADICTS, sentence.wrong)):
            for number, value in enumerate(values):
                verdict = value_verdict(sentence.field, _raw(sentence.kind, value), quotes)
                yield BenchItem(
                    id=f"{sentence.id}/{SIDES[gold]}/{number}",
                    system=OURS,
                    verdict="right" if verdict.answer == gold else "wrong",
                    group=f"{sentence.half} {sentence.lang}",
                    given=verdict.answer,
                    gold=gold,
                )


def _count_verdicts(items: Iterable[BenchItem]) -> dict[str, Counter[str]]:
    """The verdicts on all values, by part, and by part and language."""
    counts: dict[str, Counter[str]] = {}
    for item in items:
        for name in (item.group.partition(" ")[0], item.group):
            counts.setdefault(name, Counter())[f"{SIDES[item.gold]} {item.given}"] += 1
    return dict(sorted(counts.items()))


def _raw(kind: str, value: str) -> Any:
    """The value in the form that a field of its kind has."""
    match kind:
        case "number" | "amount":
            return float(value)
        case "year":
            return int(value)
        case "currency":
            return {"amount": None, "currency": value}
        case _:
            return value


def _shares(counted: Counter[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for side in ("right", "wrong"):
        total = sum(counted[f"{side} {answer}"] for answer in ANSWERS)
        for answer, name in zip(ANSWERS, ("accepted", "unsure", "refused"), strict=True):
            count = counted[f"{side} {answer}"]
            found[f"{side} {name}"] = {"count": count, "share": round(count / total, 4) if total else 0.0}
    return found


def _headline(counts: Sequence[Counter[str]]) -> str:
    """The two kinds of error over all parts, and what is left undecided."""
    parts = []
    for side, answer, what in (("right", ANSWERS[2], "refused"), ("wrong", ANSWERS[0], "accepted")):
        bad = sum(each[f"{side} {answer}"] for each in counts)
        of = sum(each[f"{side} {any_answer}"] for each in counts for any_answer in ANSWERS)
        parts.append(f"{bad:,} of {of:,} {side} values {what}")
    unsure = sum(each[f"{side} unsure"] for each in counts for side in SIDES.values())
    return f"{', '.join(parts)}; {unsure:,} marked as unsure."


def _row(name: str, counted: Counter[str]) -> tuple[str, ...]:
    shares = _shares(counted)
    return (name, *(f"{shares[column]['count']} ({shares[column]['share']:.1%})" for column in COLUMNS))
