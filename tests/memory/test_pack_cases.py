"""Cases share one memory: each raises what it would raise in a memory of its own."""

from contextlib import closing
from datetime import UTC, datetime

from uac.memory import memory_with_packs, raised_severities
from uac.packs import chosen_packs
from uac_bench.bench_knowledge import knowledge_cases

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)

SHARED = ("travel-478", "conditions-478", "pregnancy-478", "interactions-021", "pets-478", "allergies-001")
"""With a profile, of which a user has one, and with records that several of them have."""


def test_a_case_after_others_raises_what_it_raises_alone_and_leaves_nothing() -> None:
    records = {case.id: case.records for case in knowledge_cases() if case.id in SHARED}
    packs = chosen_packs("all")
    alone = {}
    for name in SHARED:
        with closing(memory_with_packs(packs, NOON)) as memory:
            alone[name] = raised_severities(memory, records[name])
    assert sum(map(bool, alone.values())) == 5
    with closing(memory_with_packs(packs, NOON)) as memory:
        for name in (*SHARED, *SHARED[::-1]):
            assert raised_severities(memory, records[name]) == alone[name]
            project = memory.project()
            assert ([*project.alerts], [record for table in project.tables.values() for record in table]) == ([], [])
