"""uac-bench peers: how much of the evidence for questions each memory finds, ours and real ones from the registry.

All others are given passages of 80 words of every turn, in their order, and the same embedder; passages that they rank
best fill the context. Ours is recall as a user has it. Where a peer needs a model, a scripted one answers.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Literal, get_args

import click

from uac import __version__
from uac.errors import UacError
from uac_bench.chats.chat import Chat, ChatQuestion
from uac_bench.chats.formats import chat_files, load_chats, load_written, written_files
from uac_bench.chats.generator import make_chats
from uac_bench.chats.measure import (
    ONE,
    ChatPiece,
    asked_after,
    chat_evidence_share,
    fill_chat_context,
    measure_chat,
    word_spans,
)
from uac_bench.harness import OURS, SuiteRun, out_option
from uac_bench.runs import BenchItem, BenchTable, System
from uac_bench.systems import Contestant, NotInstalled, StoredText
from uac_bench.systems.environments import ENVIRONMENTS, environment_contestants, environment_versions
from uac_bench.systems.peers import NOT_RUN, installed_versions, peer_contestants
from uac_bench.systems.rebuilt import rebuilt_contestants

__all__ = ["bench_peers", "contestant_items", "own_chats"]

ABOUT = (
    "Evidence for questions about chats in a context of a given size: ours, schemes of others rebuilt, and real peers."
    " An item is right if all of its evidence is there. No live model takes part."
)
PeerChats = Literal["written-develop", "written-reported", "develop", "reported"]
BUDGET = 4000
PASSAGES = 400  # that a contestant may rank for a question


@click.command("peers")
@click.option(
    "--chats",
    type=click.Choice(get_args(PeerChats)),
    default="written-reported",
    show_default=True,
    help="Chats that were written by hand, or made-up ones.",
)
@click.option(
    "--data",
    type=click.Path(exists=True, path_type=Path),
    help="Chats in the format of BEAM, RealMem or LongMemEval instead, or a file of your own.",
)
@click.option(
    "--tokens", type=click.IntRange(min=100), default=BUDGET, show_default=True, help="The size of the context."
)
@click.option(
    "--environments",
    type=click.Path(file_okay=False, path_type=Path),
    default=ENVIRONMENTS,
    show_default=True,
    help="Where make peers has made the environments of those that need one of their own.",
)
@click.option("--only", multiple=True, metavar="NAME", help="Only this contestant. May be repeated.")
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_peers(
    chats: PeerChats,
    data: Path | None,
    tokens: int,
    environments: Path,
    only: tuple[str, ...],
    out_folder: Path | None,
    as_json: bool,
) -> None:
    """Measure the evidence that each memory finds: ours, BM25, vectors, the paper's archive, and real peers.

    Peers are those that work without a service or a key, if they are installed (make peers): bm25s,
    tantivy, chromadb, lancedb, mem0, LangMem; and Graphiti, cognee, MemOS and MemoryOS, each in an
    environment of its own, with a scripted model. What is missing is named, and is no error.
    """
    files = written_files(chats) if data is None else chat_files(data)
    suite = SuiteRun("peers", ABOUT, out_folder, as_json=as_json, data=files)
    everyone = [*rebuilt_contestants(), *peer_contestants(), *environment_contestants(environments)]
    if unknown := set(only) - {each.name for each in everyone}:
        raise click.UsageError(f"No contestant {min(unknown)!r}. Use {', '.join(each.name for each in everyone)}.")
    chosen = [each for each in everyone if not only or each.name in only]
    talks = load_chats(data) if data is not None else own_chats(chats)
    missing = dict(NOT_RUN)
    try:
        with suite.out.progress("contestants and chats", len(chosen) * len(talks)) as bar:
            for each in chosen:
                for chat in talks:
                    try:
                        _measure_contestant(suite, each, chat, tokens)
                    except NotInstalled as error:
                        missing[each.name] = str(error)
                    bar.advance()
    except UacError as error:
        raise click.ClickException(str(error)) from error
    versions = installed_versions() | environment_versions(environments) | {"user-as-code": __version__}
    measured = {item.system for item in suite.items}
    systems = [each.system(versions) for each in chosen if each.name in measured]
    rows = [_evidence_row(system, suite.items) for system in systems]
    absent = tuple(missing.items())
    if as_json:
        suite.out.json({"evidence": {row[0]: row[2] for row in rows}, "missing": missing})
    suite.out.line((f"evidence in {tokens:,} tokens:", "bold"))
    suite.out.table(("system", "version", "share of the evidence", "measured"), rows, headed=True)
    suite.compare(title="questions with all of their evidence")
    for name, why in absent:
        suite.out.line(f"{name}: {why}")
    suite.finish(systems, tables=[BenchTable(title="Not measured", columns=("system", "why"), rows=absent)])


def own_chats(chosen: PeerChats) -> Sequence[Chat]:
    match chosen:
        case "develop" | "reported":
            return make_chats(chosen)
        case _:
            return load_written(chosen)


def _evidence_row(system: System, items: Sequence[BenchItem]) -> tuple[str, ...]:
    scores = [item.score or 0.0 for item in items if item.system == system.name]
    return (system.name, system.version, f"{sum(scores) / max(1, len(scores)):.1%}", system.about)


def _measure_contestant(suite: SuiteRun, contestant: Contestant, chat: Chat, tokens: int) -> None:
    """All questions about one chat, unless they are known."""
    asked = _asked(chat)
    names = [_item_name(chat, number) for number in range(len(asked))]
    if all(suite.known(contestant.name, name) for name in names):
        return
    for item in list(contestant_items(contestant, chat, tokens)):  # all or none, if a peer stops
        suite.record(item)


def contestant_items(contestant: Contestant, chat: Chat, tokens: int) -> Iterator[BenchItem]:
    """One item for each question, asked when its turns had been said."""
    if contestant.name == OURS:
        for number, outcome in enumerate(measure_chat(chat, [tokens], [ONE])):
            yield _item(contestant, chat, number, outcome.type, outcome.share, outcome.tokens)
        return
    pieces: list[ChatPiece] = []
    done = 0
    with closing(contestant.open()) as retriever:
        for number, question in enumerate(_asked(chat)):
            until = asked_after(question, chat)
            new = [
                ChatPiece(place, start, stop)
                for place in range(done, until)
                for start, stop in word_spans(chat.turns[place].text)
            ]
            if new:
                retriever.add([_stored(chat, piece) for piece in new])
                pieces += new
            done = max(done, until)
            ranked = [pieces[place] for place in retriever.search(question.text, min(PASSAGES, len(pieces)))]
            shown = fill_chat_context(chat, ranked, tokens)
            share = chat_evidence_share(chat, question, shown.characters)
            yield _item(contestant, chat, number, question.type, share, shown.tokens)


def _asked(chat: Chat) -> list[ChatQuestion]:
    with_evidence = [question for question in chat.questions if question.evidence]
    return sorted(with_evidence, key=lambda question: asked_after(question, chat))


def _stored(chat: Chat, piece: ChatPiece) -> StoredText:
    turn = chat.turns[piece.place]
    return StoredText(turn.text[piece.start : piece.stop], turn.said, turn.role, turn.session)


def _item(contestant: Contestant, chat: Chat, number: int, group: str, share: float, tokens: int) -> BenchItem:
    return BenchItem(
        id=_item_name(chat, number),
        system=contestant.name,
        verdict="right" if share == 1 else "wrong",
        group=group,
        score=round(share, 4),
        tokens=tokens,
    )


def _item_name(chat: Chat, number: int) -> str:
    return f"{chat.name}/{number}"
