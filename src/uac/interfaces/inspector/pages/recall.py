"""Recall: a search with its filters and budget, the score of each hit by channel, and what was left out."""

from datetime import date
from typing import cast, get_args

from starlette.responses import Response

from uac.display.html import Markup, element
from uac.errors import Refused
from uac.interfaces.inspector.page import Page, PageView
from uac.interfaces.inspector.record_names import record_link_maker
from uac.log.index import KINDS, RecallKind
from uac.memory.memory import Memory
from uac.project.project import Project
from uac.recall.hits import Found, Hit
from uac.recall.matches import CHANNELS, Channel
from uac.schema.entries import Authority
from uac.schema.safe_text import counted, visible

__all__ = ["PAGES", "channel_bar", "channel_bar_shares", "recall_examples"]

BEST = 20  # hits without a budget
EXAMPLES = 4  # questions that are offered
MANY = 50  # records of a type; more of them usually come from a file, and nobody talked about each
MOST_TOKENS = 100_000
WIDE, HIGH = 160, 10
NARROWING = (
    "kind",
    "about",
    "since",
    "until",
    "authority",
    "former",
    "valid",
    "told",
    "known",
    "as_of",
    "tokens",
    "recent",
)

MEANS = {
    "words": "the question's words that it has",
    "around": "words of the turns around it",
    "meaning": "how close its meaning is",
    "session": "how well its conversation matches",
    "person": "whose word it is",
    "time": "how well its days fit",
    "facts": "how well a fact taken from it matches",
    "recent": "how lately it was said",
}
"""What each channel compares."""


def recall_page(view: PageView) -> Response:
    """`?q=words&kind=fact&about=…&since=…&until=…&authority=user&former=1&recent=1&tokens=500&told=2026-03-01&known=120`."""
    query = view.query("q").strip()
    result: Found | None = None
    problem = ""
    with view.memory() as memory:
        project = memory.project()
        if query:
            try:
                result = _search_from_query(view, memory, query)
            except Refused as error:
                problem = str(error)
    top = max((hit.score for hit in result), default=0.0) if result else 0.0
    return view.render_template(
        "recall.html",
        status=422 if problem else 200,
        query=query,
        examples=recall_examples(project),
        named=record_link_maker(project),
        found=result,
        problem=problem,
        bars=[(channel_bar(hit, top), channel_bar_shares(hit)) for hit in result] if result else [],
        left_out=_recall_page_omissions(result, view.query_number("tokens")) if result else [],
        notes=[f"{note[:1].upper()}{note[1:]}." for note in result.notes] if result else [],
        kinds=KINDS,
        authorities=get_args(Authority),
        legend=[(place, name, MEANS[name]) for place, name in enumerate(CHANNELS, 1) if name in MEANS],
        used={name for hit in result for name in hit.channels} if result else set(),
        is_narrowed=any(map(view.query, NARROWING)),
    )


def recall_examples(project: Project) -> list[str]:
    """Questions about what the user said, each about a record of another domain."""
    examples: list[str] = []
    domains: set[str] = set()
    counts = {name: project.count(name) for name in sorted(project.types)}
    for name in sorted(filter(counts.get, counts), key=lambda name: (counts[name] > MANY, name)):
        type_ = project.types[name]
        record = project.records(name)[-1]
        text = next((value for value in record.values.values() if isinstance(value, str) and _is_short(value)), "")
        if text and type_.domain not in domains and type_.cardinality != "one":
            domains.add(type_.domain)
            examples.append(f"Who is {text}?" if type_.domain == "people" else f"What did I say about {text}?")
    return examples[:EXAMPLES]


def _is_short(text: str) -> bool:
    """Whether a text fits into a question: a few words without line breaks."""
    return 2 < len(text) <= 40 and visible(text) == text and len(text.split()) <= 4


def channel_bar(hit: Hit, top: float) -> Markup:
    """The share of each channel in a score, as parts of one bar; the bar of the best hit is full."""
    label = ", ".join(f"{name} {share:.2f}" for name, share in channel_bar_shares(hit))
    left = 0.0
    parts: list[Markup] = []
    whole = max(top, sum(share for _name, share in channel_bar_shares(hit)))
    for name, share in channel_bar_shares(hit):
        wide, place = WIDE * share / whole, CHANNELS.index(name) + 1
        title = element("title", f"{name}: {share:.2f}")
        parts.append(element("rect", title, x=left, y=0.0, width=wide, height=float(HIGH), class_=f"uac-{place}"))
        left += wide
    return element(
        "svg",
        element("title", label or "found beside another"),
        *parts,
        viewBox=f"0 0 {WIDE} {HIGH}",
        role="img",
        class_="channels",
        preserveAspectRatio="none",
    )


def channel_bar_shares(hit: Hit) -> list[tuple[Channel, float]]:
    """The score from each channel, always in the same order."""
    return [(name, share) for name in CHANNELS if (share := hit.channels.get(name, 0.0)) > 0]


def _search_from_query(view: PageView, memory: Memory, query: str) -> Found:
    kind, authority = view.query("kind"), view.query("authority")
    tokens = view.query_number("tokens")
    if tokens > MOST_TOKENS:
        raise Refused(f"tokens is {tokens:,}. Use at most {MOST_TOKENS:,}.")
    return memory.recall(
        query,
        tokens=tokens or None,
        k=None if tokens else BEST,
        about=view.query("about").strip(),
        between=(_recall_page_date(view, "since"), _recall_page_date(view, "until")),
        kinds=(cast("RecallKind", kind),) if kind else KINDS,
        authorities=(cast("Authority", authority),) if authority else (),
        former=view.query("former") == "1",
        recent=view.query("recent") == "1",
        clocks=view.clocks(),
    )


def _recall_page_omissions(result: Found, tokens: int) -> list[str]:
    """What is not shown, and why."""
    repeated = sum(len(hit.also) for hit in result)
    reason = f"do not fit into {tokens:,} tokens" if tokens else f"match less well than the best {BEST}"
    lines = [
        f"{counted(result.left_out, 'passage')} more matched, but {reason}." if result.left_out else "",
        f"{counted(repeated, 'passage')} more said the same on the same day: shown once." if repeated else "",
    ]
    return [line for line in lines if line] or ["Nothing was left out: all that matched is shown."]


def _recall_page_date(view: PageView, name: str) -> date | None:
    text = view.query(name)
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise Refused(f"{name} is {text!r}. Use a day such as 2026-03-01.") from None


PAGES = (Page("/users/{user}/recall", recall_page, title="Recall", letter="f", group="Asked"),)
