"""What is computed from users' words is cached where erasing words empties the cache."""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "uac"

WORDS_OF_THE_PACKAGE = """
constraints/shipped_proofs.py:_shipped_digests
constraints/shipped_proofs.py:_prelude_digest
conversation/checks/unread_words.py:_months
conversation/prompts/__init__.py:prompt_text
conversation/relevant_types.py:_pack_word_stems
interfaces/cli/serve.py:_log_lines
interfaces/http/app.py:_plain_routes
interfaces/inspector/highlight.py:_python_lexer
interfaces/inspector/highlight.py:_json_lexer
interfaces/inspector/highlight.py:_token_css_class
models/embedders/minilm.py:_opened
models/embedders/static.py:_installed_embedder
models/http_connections.py:shared_ssl_context
packs/files.py:_read_pack_words
packs/files.py:_read_pack_constraint
packs/files.py:_read_pack_table
packs/installed.py:installed_packs
packs/shipped_tables.py:_stored_tables
project/runtime/__init__.py:source
recall/small_talk.py:_social_terms
sandbox/engines.py:_shared_engine
schema/shipped_analysis.py:_stored_results
text/clock.py:_pattern
text/dates/grammar.py:_date_words_of
text/dates/grammar.py:_date_words
text/dates/grammar.py:_digit_date_forms
text/dates/grammar.py:_start_words
text/dates/grammar.py:_following_words
text/dates/phrases.py:date_grammar
text/dates/phrases.py:_compiled_tables
text/dates/phrases.py:_vocabulary_lines
text/dates/phrases.py:_literal_tokens
text/dates/phrases.py:_common_words
text/dates/phrases.py:_slot_words
text/dates/tense.py:_speakers
text/dates/tense.py:_clause_ends
text/dates/tense.py:_cue_patterns
text/search_terms.py:_function_word_votes
text/search_terms.py:_word_cuts
"""
"""Caches of what ships with the package or is installed beside it."""
OF_ONE_REQUEST = """
conversation/unplaced_facts.py:figures
memory/learner.py:open_recall
"""
"""Caches of functions inside functions, which live as long as one request."""


def _cached_functions() -> Iterator[str]:
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any(
                ast.unparse(each).partition("(")[0].rpartition(".")[2] in ("cache", "lru_cache")
                for each in node.decorator_list
            ):
                yield f"{path.relative_to(SOURCE).as_posix()}:{node.name}"


def test_every_cache_that_is_never_emptied_is_known_to_hold_no_words_of_users() -> None:
    assert sorted(_cached_functions()) == sorted([*WORDS_OF_THE_PACKAGE.split(), *OF_ONE_REQUEST.split()])
