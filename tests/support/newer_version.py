"""A later version of the package, in a process of its own: the forms of entries, snapshots and indexes are raised.

    python -m support.newer_version STORE add USER TEXT     writes as the later version does
    python -m support.newer_version STORE search USER TEXT  searches, which stores an index and a snapshot
    python -m support.newer_version STORE own USER TEXT     writes to the store's own log
    python -m support.newer_version STORE migrate USER TEXT raises the version of the tables

It prints how many passages a search had to index, and the texts of its hits.
"""

import importlib.util
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

__all__: list[str] = []


def raise_forms() -> None:
    """Load the module of entries with a FORM one higher, before anything else imports it."""
    spec = importlib.util.find_spec("uac.schema.entries")
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text(encoding="utf-8")
    form = int(re.findall(r"^FORM = (\d+)$", source, re.MULTILINE)[0])
    module = importlib.util.module_from_spec(spec)
    sys.modules["uac.schema.entries"] = module
    from uac.schema import entry_upgrades

    entry_upgrades.UPGRADES = {**entry_upgrades.UPGRADES, form: {}}  # nothing changed in it
    exec(compile(source.replace(f"\nFORM = {form}\n", f"\nFORM = {form + 1}\n"), spec.origin, "exec"), module.__dict__)  # noqa: S102 - our own source
    from uac.recall import indexer

    indexer.FORM += 1


def main() -> None:
    _program, address, what, user, text = sys.argv
    if what in ("add", "own"):
        raise_forms()
    from uac import Memory
    from uac.log.stores.postgres import MIGRATIONS, PostgresStore
    from uac.memory import snapshots
    from uac.recall import indexer
    from uac.schema.entries import Observation

    if what == "search":
        # Only caches differ: the entries are of the form that both versions read.
        indexer.FORM += 1
        from uac.project import snapshot

        snapshot.SNAPSHOT_FORM += 1
        snapshots.LEAST_ENTRIES = 1
    store = PostgresStore(address)
    said = Observation(text=text, said=datetime.now(UTC), role="user")
    if what == "own":
        store.own().append([said])
    elif what == "migrate":
        with store._pool.connection() as connection:
            connection.execute("UPDATE uac.meta SET version = %s", (len(MIGRATIONS) + 1,))
    else:
        memory = Memory(store.log(user), embedder=None)
        if what == "add":
            memory.add(text)
        memory.project()
        generation = memory.log.index().head().generation
        hits = memory.recall(text).hits if what == "search" else ()
        print(memory.log.index().head().generation - generation, *(hit.text for hit in hits), sep="\n")
        memory.close()
    store.close()


if __name__ == "__main__":
    main()
