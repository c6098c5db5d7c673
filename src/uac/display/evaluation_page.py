"""The page of an evaluation: one file, without scripts and requests, that can be read on a phone and in the dark."""

from collections.abc import Iterator

from uac.conversation.evaluation import Comparison, Evaluation, GivenAnswer, QuestionResult, Share, comparison
from uac.display.html import Markup, Part, element, fragment
from uac.schema.safe_text import counted

__all__ = ["comparison_sentences", "evaluation_page", "share_text"]

STYLE = """
:root { color-scheme: light dark; --ink: light-dark(#1c1d20, #e8e9ec); --muted: light-dark(#5c5f66, #a3a8b2);
  --line: light-dark(#e4e4df, #2d3037); --ground: light-dark(#f8f8f6, #131417); --card: light-dark(#fff, #1b1d21);
  --good: light-dark(#1d6b3a, #86d6a2); --bad: light-dark(#a8201a, #ff9b92); --bar: light-dark(#3d4fc0, #a5b0ff); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; background: var(--ground); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.1rem; margin: 0; } .lead { font-size: 1.15rem; }
.muted, dt { color: var(--muted); } .right { color: var(--good); } .wrong, .failed { color: var(--bad); }
article, .bars { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem;
  margin: 1rem 0; }
.answers { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: 1rem; margin-top: .75rem; }
.answers h3 { margin: 0; font-size: .95rem; } .answers p { margin: .25rem 0; }
code { font-family: ui-monospace, monospace; font-size: .85em; white-space: pre-wrap; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--ink); font: 14px system-ui, sans-serif; }
.track { fill: var(--line); } .fill { fill: var(--bar); } .range { stroke: var(--ink); stroke-width: 2; }
"""

WORDS = {"right": "right", "wrong": "wrong", "failed": "failed", "unscored": "not scored", "awaited": "no reply yet"}


def evaluation_page(evaluation: Evaluation, *, title: str) -> str:
    """The page as HTML: the result in one sentence, the two shares with their intervals, then every question."""
    found = comparison(evaluation.results)
    body = element(
        "body",
        element("h1", title),
        element("p", " ".join(comparison_sentences(found)), class_="lead"),
        element("div", _bars(found), class_="bars"),
        *(_article(number, result) for number, result in enumerate(evaluation.results, start=1)),
        element("p", _how(evaluation), class_="muted"),
    )
    head = element(
        "head",
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", title),
        Markup(f"<style>{STYLE}</style>"),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def comparison_sentences(found: Comparison) -> Iterator[str]:
    """The result in words: the shares, the paired comparison, and what is missing from them."""
    if found.with_memory.of:
        yield f"With memory {share_text(found.with_memory)}; without memory {share_text(found.alone)}."
        yield (
            f"{counted(found.only_with_memory, 'question')} only memory got right, {found.only_alone} only the model "
            f"alone (McNemar's exact test: p = {found.p:.2g})."
        )
    else:
        yield "No question has been scored."
    if found.failed:
        yield f"{counted(found.failed, 'answer')} failed; a failure counts as wrong."
    if found.unscored:
        yield f"{counted(found.unscored, 'question')} without an expected answer: asked, not scored."
    if found.awaited:
        yield f"{counted(found.awaited, 'question')} without a reply yet: not counted."


def share_text(share: Share) -> str:
    return (
        f"{share.right} of {share.of} right ({100 * share.share:.0f} %, 95 % interval {100 * share.low:.0f} to "
        f"{100 * share.high:.0f} %)"
    )


def _bars(found: Comparison) -> Markup:
    """Two bars from 0 to 100 %, each with its interval as a line."""
    rows: list[Part] = []
    for number, (name, share) in enumerate((("with memory", found.with_memory), ("without memory", found.alone))):
        top, under = 36 * number, 36 * number + 28  # the interval lies under its bar
        rows += [
            element("text", name, x=0, y=top + 17),
            element("rect", x=130, y=top, width=450, height=24, rx=4, class_="track"),
            element("rect", x=130, y=top, width=450 * share.share, height=24, rx=4, class_="fill"),
            element("line", x1=130 + 450 * share.low, x2=130 + 450 * share.high, y1=under, y2=under, class_="range"),
            element("text", f"{100 * share.share:.0f} %" if share.of else "–", x=590, y=top + 17),
        ]
    label = f"With memory {100 * found.with_memory.share:.0f} % right, without memory {100 * found.alone.share:.0f} %"
    return element("svg", *rows, viewBox="0 0 640 68", role="img", aria_label=label)


def _article(number: int, result: QuestionResult) -> Markup:
    question = result.question
    expected = " or ".join(question.answers) or ("not known" if question.is_unknown else "–")
    return element(
        "article",
        element("h2", f"{number}. {question.question}"),
        element("p", "expected: ", expected, class_="muted"),
        element(
            "div", _given("with memory", result.with_memory), _given("without memory", result.alone), class_="answers"
        ),
    )


def _given(name: str, given: GivenAnswer) -> Markup:
    said = given.text or ("" if given.verdict in ("failed", "awaited") else "not known")
    parts: list[Part] = [element("h3", f"{name}: ", element("span", WORDS[given.verdict], class_=given.verdict))]
    if said:
        parts.append(element("p", said))
    if given.why:
        parts.append(element("p", given.why, class_="muted"))
    parts += [element("p", element("code", f"{item.code} → {item.value}")) for item in given.computed]
    parts += [element("p", "record ", element("code", record), class_="muted") for record in given.records]
    parts += [
        element("p", f"entry {quote.position}, {quote.speaker}: “{quote.words}”", class_="muted")
        for quote in given.quotes
    ]
    return element("section", fragment(*parts))


def _how(evaluation: Evaluation) -> str:
    models = ", ".join(evaluation.models) or "no model"
    cost = "price unknown" if evaluation.cost is None else f"{evaluation.cost.normalize():f} USD"
    judged = "words and numbers" if evaluation.judge == "match" else "a model"
    return (
        f"Answered by {models} on {evaluation.now:%Y-%m-%d}, from a log of {evaluation.position} entries; compared by "
        f"{judged}; {counted(evaluation.calls, 'call')}, {evaluation.tokens:,} tokens, {cost}."
    )
