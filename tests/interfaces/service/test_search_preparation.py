"""A service loads what its first search needs before it listens."""

import os
import subprocess
import sys

import pytest

SEARCH = """
import sys
from uac import Memory, open_store
from uac.interfaces.service.search_preparation import prepare_search
memory = Memory(open_store("memory:").log("ana"), packs=())
memory.add("I bought a blue kettle in Leeds last Monday.")
prepare_search()
loaded = set(sys.modules)
memory.recall("Where is the kettle from?")
memory.context("When did I buy the kettle?")
print(*sorted(set(sys.modules) - loaded))
"""

OFFLINE = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise AssertionError(event)

sys.addaudithook(refuse)
from uac.interfaces.service.search_preparation import prepare_search
prepare_search()
"""


def test_after_the_preparation_the_first_search_of_a_process_imports_nothing() -> None:
    assert subprocess.check_output([sys.executable, "-c", SEARCH], text=True) == "\n"


@pytest.mark.parametrize(
    "settings",
    [
        {"UAC_EMBEDDER": "its-model", "UAC_EMBEDDER_URL": "http://127.0.0.1:1/v1"},
        {"UAC_EMBEDDER": "openai:text-embedding-3-small", "OPENAI_API_KEY": "sk-theirs"},
        {"UAC_RERANKER": "its-model", "UAC_RERANKER_URL": "http://127.0.0.1:1/v1"},
    ],
    ids=["embedder", "vendor", "reranker"],
)
def test_the_preparation_asks_no_server(settings: dict[str, str]) -> None:
    others = {name: value for name, value in os.environ.items() if not name.startswith(("UAC_", "OPENAI_"))}
    done = subprocess.run([sys.executable, "-c", OFFLINE], env={**others, **settings}, check=False)
    assert done.returncode == 0
