"""uac-bench dates: the corpus is read whole, and the verdicts keep what was reached."""

import json
from collections import Counter
from pathlib import Path

import msgspec
from click.testing import CliRunner

from uac_bench.bench_dates import PARTS, dated_sentences
from uac_bench.commands import bench_commands


def test_the_corpus_has_eight_languages_and_seven_parts() -> None:
    sentences = list(dated_sentences())
    assert len({sentence.id for sentence in sentences}) == len(sentences) >= 600
    assert Counter(sentence.lang for sentence in sentences)["en"] >= 300
    assert {sentence.lang for sentence in sentences} == set("en de es fr it pt nl pl".split())
    assert {sentence.half for sentence in sentences} == set(PARTS)


def test_the_half_to_develop_on_keeps_what_was_reached() -> None:
    done = CliRunner().invoke(bench_commands, ["dates", "--half", "develop", "--json"])
    assert done.exit_code == 0, done.output
    shares = json.loads(done.output)["develop"]
    assert shares["right refused"]["share"] <= 0.01
    assert shares["wrong accepted"]["share"] <= 0.005
    assert shares["right unsure"]["share"] <= 0.14
    assert shares["wrong unsure"]["share"] <= 0.22


def test_every_part_keeps_the_goals() -> None:
    done = CliRunner().invoke(bench_commands, ["dates", "--json"])
    assert done.exit_code == 0, done.output
    shares = json.loads(done.output)
    for part in PARTS:
        assert shares[part]["right refused"]["share"] <= 0.02
        assert shares[part]["wrong accepted"]["share"] <= 0.005


def test_another_corpus_can_be_measured(tmp_path: Path) -> None:
    sentence = next(dated_sentences())
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_bytes(msgspec.json.encode(sentence))
    done = CliRunner().invoke(bench_commands, ["dates", "--corpus", str(corpus), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)[sentence.half]["right accepted"]["count"] == len(sentence.right)


def test_the_table_has_a_row_for_each_language() -> None:
    done = CliRunner().invoke(bench_commands, ["dates", "--half", "report"])
    assert done.exit_code == 0, done.output
    assert sum(line.split()[:1] == ["report"] for line in done.output.splitlines()) == 9
