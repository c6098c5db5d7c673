"""Hostile constraints: each is refused at the door, or it harms nobody: others still fire, and the words stay theirs."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from support.constraints import ALLERGIES, CASES, Counted, case, computing, constraint, given, standing, watched
from support.short_logs import type_of
from uac.errors import Refused, Rejected
from uac.memory.memory import Memory
from uac.packs import load_pack
from uac.packs.template import write_template
from uac.sandbox import available, shared_sandbox
from uac.sandbox.port import Limits, Sandbox
from uac.schema.constraint_code import read_constraint
from uac.schema.constraints import Case, Constraint, Knowledge
from uac.schema.patches import Adopt, Approve, Define, Learn, Patch, Retire, Switch

MINE = "return [warning(m.name, m) for m in user.health.medications]"
"""What an honest constraint over medications would return; an attack stands before it."""


@pytest.fixture(scope="module", params=available())
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each engine, in a hurry."""
    return Counted(shared_sandbox(request.param), limits=Limits(seconds=0.7, memory_mb=256))


@pytest.fixture
def memory(sandbox: Sandbox) -> Iterator[Memory]:
    memory = watched(ALLERGIES, sandbox=sandbox)
    memory.put("health.Allergy", {"substance": "nuts", "severity": "mild"})
    memory.put("health.Medication", {"name": "nuts"})
    yield memory
    memory.close()


def adopted(memory: Memory, hostile: Constraint) -> bool:
    """Whether the door let in what a model wrote; nothing but a refusal may keep it out."""
    try:
        memory.checkpoint([Adopt(constraint=hostile)])
    except (Refused, Rejected):
        return False
    return True


def check_harmless(memory: Memory) -> None:
    """The user can still write, the others still fire, and the loaded objects are those of the project."""
    memory.put("health.Allergy", {"substance": "milk"})
    assert [alert for alert in standing(memory) if alert[0] == "allergies"] == [
        ("allergies", "nuts"),
        ("allergies", "milk"),
    ]
    assert "allergies" not in memory.project().failures
    assert computing(memory, "[(a.substance, a.severity, record_id(a)) for a in health.allergies]") == [
        ("nuts", "mild", "health.Allergy:nuts"),
        ("milk", None, "health.Allergy:milk"),
    ]
    assert [record.id for alert in memory.alerts() for record in map(memory.project().record, alert.records)]


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param("user.health.allergies.clear()", id="clears a list"),
        pytest.param("user.health.allergies = []", id="replaces a list"),
        pytest.param("del user.health.allergies[:]", id="deletes"),
        pytest.param("for a in user.health.allergies:\n    a.severity = 'none'", id="changes a field"),
        pytest.param("for a in user.health.allergies:\n    a.uac_id = 'health.Allergy:x'", id="changes an id"),
        pytest.param("[0 for user.health.allergies[0].uac_id in ['x']]", id="changes an id by a loop"),
        pytest.param("x = [a for a in user.health.allergies]\nx[0].severity = 'none'", id="changes through a copy"),
        pytest.param("list.clear(user.health.allergies)", id="clears by the class"),
        pytest.param("setattr(user.health.allergies[0], 'severity', 'none')", id="setattr"),
        pytest.param("object.__setattr__(user.health.allergies[0], 'severity', 'none')", id="object.__setattr__"),
        pytest.param("user.health.allergies[0].__dict__.update(severity='none')", id="__dict__"),
        pytest.param("match user.health.allergies:\n    case object(clear=wipe):\n        wipe()", id="match reaches a method"),
        pytest.param("match user.health.allergies:\n    case list(clear=wipe):\n        wipe()", id="match reaches a method of a list"),
        pytest.param("critical = warning", id="rebinds critical"),
        pytest.param("global critical\ncritical = warning", id="rebinds critical for all"),
        pytest.param("global constraint__allergies\nconstraint__allergies = None", id="rebinds another constraint"),
        pytest.param("def constraint__allergies(user, now):\n    return []", id="defines another constraint"),
        pytest.param("def critical(*a):\n    return warning('x')", id="names a helper like the prelude's"),
        pytest.param("from math import floor as critical", id="imports as critical"),
        pytest.param("uac_tables.clear()", id="clears the tables"),
        pytest.param("uac_looks = [1]", id="its own uac_looks"),
        pytest.param("uac_looks.append(date(9999, 1, 1))", id="uac_looks.append"),
        pytest.param("uac_look([], 1, now)", id="uac_look"),
        pytest.param("for a in user.health.allergies:\n    uac_named(a, 'x')", id="uac_named"),
        pytest.param("for a in user.health.allergies:\n    uac_named(a, 'x')  # type: ignore", id="uac_named, types ignored"),
        pytest.param("for a in user.health.allergies:\n    uac_named(a, 'x')  # ty: ignore", id="uac_named, ty ignored"),
        pytest.param("uac_looks.append(1)  # type: ignore", id="uac_looks, types ignored"),
        pytest.param("health.allergies.clear()  # type: ignore", id="a domain by its name, types ignored"),
        pytest.param("Alert.severity = 'critical'", id="changes the class of alerts"),
        pytest.param("import builtins\nbuiltins.list = None", id="builtins"),
        pytest.param("import decimal\ndecimal.getcontext().prec = 1", id="decimal's context"),
        pytest.param("exec('user.health.allergies.clear()')", id="exec"),
        pytest.param("eval('user.health.allergies.clear()')", id="eval"),
        pytest.param("print.__self__.__dict__['list'] = None", id="builtins by print"),
        pytest.param("import string\nstring.Formatter().get_field('0.clear', (user.health.allergies,), {})[0]()", id="Formatter"),
        pytest.param("import typing\ntyping.get_type_hints(typing.NamedTuple('N', [('x', 'health.allergies.clear()')]))", id="type hints"),
        pytest.param("import functools\nfunctools.reduce(list.__iadd__, [user.health.allergies, user.health.allergies])", id="reduce"),
        pytest.param("type(user.health.allergies[0]).severity = 'none'", id="changes a class"),
        pytest.param("dataclass(type(user.health.allergies[0]))", id="dataclass again"),
        pytest.param("x = knowledge\nx('health.drugs')", id="knowledge by another name"),
        pytest.param("knowledge('health.' + 'drugs')", id="knowledge computed"),
        pytest.param("uac_tables['health.drugs']  # type: ignore", id="a table it did not name"),
    ],
)  # fmt: skip
def test_a_constraint_that_would_change_what_others_see_is_refused_or_changes_nothing(
    memory: Memory, attack: str
) -> None:
    adopted(memory, constraint("hostile", f"{attack}\n{MINE}", origin="model"))
    check_harmless(memory)


HELPER = "def _all(user):\n    return user.health.medications\n\n\n"


@pytest.mark.parametrize(
    ("before", "attack"),
    [
        pytest.param("", "return [warning(a.substance) for u in [user] for a in u.health.allergies]", id="a list of user"),
        pytest.param("", "return (lambda u: [warning(a.substance) for a in u.health.allergies])(user)", id="lambda"),
        pytest.param("", "return (lambda user: [warning(a.substance) for a in user.health.allergies])(user)", id="lambda user"),
        pytest.param("", "u = user\nreturn [warning(a.substance) for a in u.health.allergies]", id="alias"),
        pytest.param("", "return [warning(a.substance) for a in (u := user).health.allergies]", id="walrus"),
        pytest.param("", "h = user.health\nreturn [warning(a.substance) for a in h.allergies]", id="alias of a domain"),
        pytest.param("", "def inner(u=user):\n    return u.health.allergies\nreturn [warning(a.substance) for a in inner()]", id="default"),
        pytest.param("", "inner = lambda u=user: u.health.allergies\nreturn [warning(a.substance) for a in inner()]", id="lambda default"),
        pytest.param("", "match user:\n    case u:\n        return [warning(a.substance) for a in u.health.allergies]", id="match user"),
        pytest.param("", "match user:\n    case object(health=h):\n        return [warning(a.substance) for a in h.allergies]\nreturn []", id="match a domain"),
        pytest.param("", "text = f'{user}'\nreturn [warning(text)] if 'nuts' in text else []", id="f-string"),
        pytest.param("", "text = f'{user.health}'\nreturn [warning(text)] if 'nuts' in text else []", id="f-string of a domain"),
        pytest.param("", "text = '{0.health}'.format(user)\nreturn [warning(text)] if 'nuts' in text else []", id="format"),
        pytest.param("", "text = '{0.__globals__[health]}'.format(critical)\nreturn [warning(text)] if 'nuts' in text else []", id="format by globals"),
        pytest.param("", "return [warning(a.substance) for a in getattr(user.health, 'allergies')]", id="getattr"),
        pytest.param("", "return [warning(a.substance) for a in locals()['user'].health.allergies]", id="locals"),
        pytest.param("", "return [warning(a.substance) for a in vars()['user'].health.allergies]", id="vars"),
        pytest.param("", "return [warning(a.substance) for a in health.allergies]", id="a domain by its name"),
        pytest.param("", "return [warning(a.substance) for a in health.allergies]  # type: ignore", id="a domain by its name, types ignored"),
        pytest.param("", "return [warning(a.substance) for a in health.allergies]  # ty: ignore", id="a domain by its name, ty ignored"),
        pytest.param("", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    return []\nreturn [warning(a.substance) for a in health.allergies]", id="TYPE_CHECKING"),
        pytest.param("", "if False:\n    raise ValueError\nelse:\n    return [warning(a.substance) for a in health.allergies]", id="after False"),
        pytest.param("def _stop():\n    raise ValueError\n\n\n", "try:\n    _stop()\n    return []\nexcept ValueError:\n    return [warning(a.substance) for a in health.allergies]", id="after no return"),
        pytest.param("from typing import no_type_check\n\n\n@no_type_check\ndef _all():\n    return health.allergies\n\n\n", "return [warning(a.substance) for a in _all()]", id="no_type_check"),
        pytest.param(HELPER, "def _all(u):\n    return u.health.allergies\nreturn [warning(a.substance) for a in _all(user)]", id="a helper defined again inside"),
        pytest.param(HELPER, "_all = lambda u: u.health.allergies\nreturn [warning(a.substance) for a in _all(user)]", id="a helper bound again"),
        pytest.param(HELPER, "return [warning(a.substance) for _all in [lambda u: u.health.allergies] for a in _all(user)]", id="a helper in a loop"),
        pytest.param(HELPER, "def inner(_all):\n    return _all(user)\nreturn [warning(a.substance) for a in inner(lambda u: u.health.allergies)]", id="a helper as an argument"),
        pytest.param("def _all(u, /, user):\n    return u.health.allergies\n\n\n", "return [warning(a.substance) for a in _all(user, now)]", id="positional only"),
        pytest.param("def _all(a, user, *rest):\n    return rest[0].health.allergies\n\n\n", "return [warning(a.substance) for a in _all(*[1, 2], user)]", id="starred"),
        pytest.param("def _other(f):\n    return lambda u: u.health.allergies\n\n\n@_other\n" + HELPER, "return [warning(a.substance) for a in _all(user)]", id="decorated"),
        pytest.param("def _all(u):\n    return u.health.allergies\n\n\nFOUND = _all(user)  # type: ignore\n" + HELPER, "return [warning(a.substance) for a in FOUND]", id="defined twice"),
        pytest.param(HELPER, "return [warning(a.substance) for a in constraint__allergies(user, now)]  # type: ignore", id="another constraint"),
        pytest.param("", "frame = (x for x in [1]).gi_frame\nassert frame\nreturn [warning(a.substance) for a in frame.f_globals['health'].allergies]", id="the frame of a generator"),
        pytest.param("", "match critical:\n    case object(__globals__=g):\n        return [warning(a.substance) for a in g['health'].allergies]\nreturn []", id="match reaches globals"),
        pytest.param("", "return [warning(a.substance) for a in ｕｓｅｒ.health.allergies]", id="user in wide letters"),
        pytest.param("", "return [warning(a.substance) for a in user\\\n    .health\\\n    .allergies]", id="a chain over lines"),
        pytest.param("", "x = [0 for health in []]\nreturn [warning(a.substance) for a in health.allergies]", id="a domain that is bound elsewhere"),
        pytest.param("def _x(health):\n    return health\n\n\n", "return [warning(a.substance) for a in health.allergies]", id="a domain that is an argument elsewhere"),
        pytest.param("", "class C:\n    who = user\nreturn [warning(a.substance) for a in C.who.health.allergies]", id="a class body"),
        pytest.param("", "try:\n    raise ValueError(user)\nexcept ValueError as e:\n    return [warning(a.substance) for a in e.args[0].health.allergies]", id="an exception"),
    ],
)  # fmt: skip
def test_what_a_constraint_reads_is_told_completely_or_it_is_refused(memory: Memory, before: str, attack: str) -> None:
    hostile = constraint(
        "hostile", attack, case("f", *CASES[0].given, fires=True), CASES[1], before=before, origin="model"
    )
    if adopted(memory, hostile):
        assert "health.allergies" in memory.project().constraints["hostile"].reading.reads
    check_harmless(memory)


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param("while True:\n    try:\n        1 / 0\n    except BaseException:\n        pass", id="catches everything and loops"),
        pytest.param("raise SystemExit", id="exits"),
        pytest.param("raise BaseException('x')", id="raises what is not caught"),
        pytest.param("raise KeyboardInterrupt", id="interrupts"),
        pytest.param("def deep(n):\n    return deep(n + 1)\ndeep(0)", id="recurses"),
        pytest.param("x = 'a' * 10**10", id="takes memory"),
        pytest.param("print('x' * 1_000_000)", id="prints"),
        pytest.param("return 5", id="returns a number"),
        pytest.param("return None", id="returns nothing"),
        pytest.param("return ['critical', 'x']", id="returns texts"),
        pytest.param("return [[['critical']]]", id="returns lists"),
        pytest.param("return [warning(str(n)) for n in range(10_000)]", id="returns 10,000 alerts"),
        pytest.param("return [warning(str(n), subject=str(n)) for n in range(10_000)]", id="returns 10,000 subjects"),
        pytest.param("return [warning('x' * 50_000_000)]", id="returns a huge message"),
        pytest.param("return [warning('x', subject='x' * 50_000_000)]", id="returns a huge subject"),
        pytest.param("return [warning('')]", id="returns an empty message"),
        pytest.param("return [warning(5)]", id="returns a number as its message"),
        pytest.param("return [Alert('deadly', '', 'x', [], None)]", id="returns another severity"),
        pytest.param("return [Alert('critical', None, 'x', [], None)]", id="returns no subject"),
        pytest.param("return [Alert('critical', '', 'x', 7, None)]", id="returns no records"),
        pytest.param("return [warning('x', now)]", id="returns a time as a record"),
        pytest.param("return [warning('x', look_again=float('nan'))]", id="looks again at NaN"),
        pytest.param("return [warning('x', look_again=10**400)]", id="looks again at a huge number"),
        pytest.param("look_again('soon')\nreturn []", id="looks again soon"),
        pytest.param("return [warning(f'{now}', look_again=datetime(2027, 1, 1, tzinfo=timezone(timedelta(seconds=1))))]", id="looks again at an odd offset"),
        pytest.param("look_again(datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-23))))\nreturn [info(f'{now}')]", id="looks again at the end of time"),
        pytest.param("look_again(date(9999, 12, 31))\nreturn []", id="looks again on the last day"),
        pytest.param("return [warning('\\ud800')]", id="half a character"),
        pytest.param("return [warning('x', subject='\\ud800')]", id="half a character as its subject"),
        pytest.param("raise ValueError('\\ud800')", id="half a character in an error"),
        pytest.param("class Fake:\n    uac_id = 10**5000\nreturn [warning('x', Fake())]", id="a huge id"),
        pytest.param("class Fake:\n    uac_id = 'travel.Trip:none'\nreturn [warning('x', Fake())]", id="an id that is none"),
        pytest.param("class Fake:\n    uac_id = ['a', {'b': 1}]\nreturn [warning('x', Fake())]", id="an id that is a list"),
        pytest.param("class Fake:\n    severity = subject = message = 'critical'\n    records = [1]\nreturn [Fake()]", id="a false alert"),
        pytest.param("x = []\nx.append(x)\nreturn x", id="a list that holds itself"),
        pytest.param("return [type(user.health.allergies[0])('x', 'y')]", id="returns a record"),
        pytest.param("return [warning('x', type(user.health.allergies[0])('x', 'y'))]", id="names a record it made"),
    ],
)  # fmt: skip
def test_a_constraint_that_misbehaves_once_it_is_in_is_a_failure_and_stops_nobody(memory: Memory, attack: str) -> None:
    behaves = "if len(user.health.allergies) < 2:\n    return [warning(m.name, m) for m in user.health.medications]\n"
    if not adopted(memory, constraint("hostile", f"{behaves}{attack}", origin="model")):
        adopted(memory, constraint("hostile", f"{behaves}{attack}  # type: ignore", origin="model"))
    check_harmless(memory)


@pytest.mark.parametrize("subject", ["a\nb", "\x1b[2Jgone", "\x00", "a\u202eb", "\r", "x" * 400, " \t", "…" * 301])
def test_a_subject_is_one_short_line_that_a_terminal_can_show(memory: Memory, subject: str) -> None:
    hostile = constraint(
        "hostile", f"return [critical('x\\x1b[2J', m, subject={subject!r}) for m in user.health.medications]"
    )
    memory.adopt(hostile)
    (alert,) = (alert for alert in memory.alerts() if alert.constraint == "hostile")
    assert alert.subject
    assert len(alert.subject) <= 300
    assert alert.subject.isprintable()
    memory.acknowledge("hostile", alert.subject)
    check_harmless(memory)


@pytest.mark.parametrize(
    "name",
    ["user", "now", "open_conflict", "class", "critical", "print", "match", "_hidden", "__init__", "ａllergies", "a b", ""]
    + ["a\nb", "x" * 64, "é", "knowledge", "None", "uac_id"],
)  # fmt: skip
def test_a_constraint_cannot_have_a_name_that_means_something_else(memory: Memory, name: str) -> None:
    hostile = Constraint(
        name=name, code=f'def {name}(user, now):\n    """X."""\n    {MINE}\n', cases=CASES, origin="person"
    )
    with pytest.raises(Rejected):
        memory.adopt(hostile)
    check_harmless(memory)


@pytest.mark.parametrize(
    "name", ["uac_look", "uac_tables", "rows", "moment", "constraint__allergies", "Allergies", "query_of_the_user"]
)
def test_a_constraint_with_a_name_of_the_machinery_stays_by_itself(memory: Memory, name: str) -> None:
    adopted(memory, constraint(name, MINE, origin="model"))
    check_harmless(memory)


def test_a_constraint_that_names_a_record_of_another_type_still_rests_on_what_it_read(memory: Memory) -> None:
    fake = "class Fake:\n    uac_id = 'health.Allergy:nuts'\nreturn [warning(m.name, Fake()) for m in user.health.medications]"
    if adopted(memory, constraint("hostile", fake, origin="model")):
        (alert,) = (alert for alert in memory.alerts() if alert.constraint == "hostile")
        assert memory.project().record("health.Medication:nuts").cites <= set(alert.cites)
    check_harmless(memory)


def test_a_model_cannot_take_the_place_of_what_a_person_or_a_pack_wrote(memory: Memory) -> None:
    silence = constraint("allergies", "return [warning(m.name, m) for m in user.health.medications]", origin="model")
    with pytest.raises(Rejected, match=r"allergies exists and was written by a person\. Choose another name"):
        memory.checkpoint([Adopt(constraint=silence)])
    with pytest.raises(Rejected, match=r"allergies was written by a person\. Only a person can change it"):
        memory.checkpoint([Retire(constraint="allergies", why="x"), Adopt(constraint=silence)])
    with pytest.raises(Rejected, match=r"allergies was written by a person\. Only a person can change it"):
        memory.checkpoint([Switch(constraint="allergies", on=False)])
    check_harmless(memory)


def test_a_model_cannot_pass_for_a_person_or_a_pack_or_approve_itself(memory: Memory) -> None:
    own = constraint("mine", MINE, origin="model")
    table = Knowledge.of({}, name="health.drugs", version="1", date="2026", source="x", note="x")
    attempts: list[list[Patch]] = [
        [Adopt(constraint=constraint("mine", MINE, origin="person"))],
        [Adopt(constraint=constraint("mine", MINE, origin="pack"))],
        [Adopt(constraint=constraint("mine", MINE, origin="model", pack="health 1"))],
        [Adopt(constraint=own), Approve(constraint="mine")],
        [Learn(knowledge=table)],
    ]
    for patches in attempts:
        with pytest.raises(Rejected):
            memory.checkpoint(patches)
        assert "mine" not in memory.project().constraints
    check_harmless(memory)


def test_what_persons_and_packs_did_about_constraints_is_taken_back_by_a_person_only(memory: Memory) -> None:
    memory.checkpoint([Adopt(constraint=constraint("mine", MINE, origin="model"))])
    approved = memory.checkpoint([Approve(constraint="mine")], reviewed=True)
    adopted_at = memory.project().constraints["allergies"].position
    for position in (adopted_at, approved):
        with pytest.raises(Refused, match=f"retraction: entry {position} .* Only a person can retract it"):
            memory.retract([position], why="said by a stranger")
    undone = memory.retract([approved], why="not that one", reviewed=True)
    with pytest.raises(Refused, match="Only a person can retract it"):
        memory.retract([undone], why="said by a stranger")
    assert not memory.project().constraints["mine"].is_reviewed
    check_harmless(memory)


@pytest.mark.parametrize("retired", [False, True])
def test_a_model_cannot_keep_a_constraint_of_a_pack_away_by_taking_its_name_first(
    tmp_path: Path, sandbox: Sandbox, retired: bool
) -> None:
    folder = tmp_path / "legal"
    write_template(folder)
    pack = load_pack(folder)
    memory = watched(ALLERGIES, sandbox=sandbox)
    memory._writer._packs = (pack,)
    with suppress(Rejected):
        memory.checkpoint([Adopt(constraint=constraint("legal_contract_review", MINE, origin="model"))])
        if retired:
            memory.checkpoint([Retire(constraint="legal_contract_review", why="done")])
    memory.put("legal.Contract", {"name": "Hosting", "review_by": "2026-01-20"})
    assert memory.project().constraints["legal_contract_review"].constraint == pack.constraints[0]
    assert standing(memory) == [("legal_contract_review", "hosting")]


@pytest.mark.parametrize(
    "cases",
    [
        pytest.param((case("f", *CASES[0].given, fires=True, now="soon"), CASES[1]), id="no time"),
        pytest.param((case("f", *CASES[0].given, fires=True, now="2026-01-01T99:00"), CASES[1]), id="no such hour"),
        pytest.param((case("f", *CASES[0].given, fires=True, now=""), CASES[1]), id="an empty time"),
        pytest.param((CASES[0], *(case(f"s{n}", fires=False) for n in range(100))), id="more than a hundred cases"),
        pytest.param((CASES[0],), id="none that stays silent"),
        pytest.param((CASES[1],), id="none that fires"),
        pytest.param((), id="none at all"),
        pytest.param((CASES[0], case("s", given("health.Drug", name="x"), fires=False)), id="another type"),
        pytest.param((CASES[0], case("s", given("health.Allergy", substance=5), fires=False)), id="another value"),
        pytest.param((CASES[0], case("s", given("health.Allergy", name="x"), fires=False)), id="another field"),
        pytest.param((CASES[0], case("s", given("health.Allergy"), fires=False)), id="a field is missing"),
    ],
)
def test_cases_that_are_none_are_refused_with_words(memory: Memory, cases: tuple[Case, ...]) -> None:
    hostile = Constraint(name="hostile", code=constraint("hostile", MINE).code, cases=cases, origin="model")
    with pytest.raises(Rejected):
        memory.checkpoint([Adopt(constraint=hostile)])
    check_harmless(memory)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param('# -*- coding: utf-7 -*-\ndef hostile(user, now):\n    """X."""\n    +AC8-\n', id="utf-7"),
        pytest.param('def hostile(user, now):\n    """X."""\n\x0c    return []\n', id="a form feed"),
        pytest.param('def hostile(user, now):\r    """X."""\r    return []\r', id="carriage returns"),
        pytest.param('\ufeffdef hostile(user, now):\n    """X."""\n    return []\n', id="a byte order mark"),
        pytest.param('def hostile(user, now):\n    """X."""\n    return []\n\x00', id="a null"),
        pytest.param('def hostile(user, now):\n    """X."""\n    return []\n\x1a', id="an end of file"),
        pytest.param('def hostile(user, now):\n    """X."""\n    return []\n\\\n', id="a line that goes on"),
        pytest.param('def hostile(user, now):\n    """X."""\n    return []\nif 1:', id="an open block"),
        pytest.param('def hostile(user, now):\n    """X."""\n    yield critical("x")\n', id="a generator"),
        pytest.param('async def hostile(user, now):\n    """X."""\n    return []\n', id="async"),
        pytest.param('class hostile:\n    """X."""\n', id="a class"),
        pytest.param('hostile = lambda user, now: []\n', id="a lambda"),
        pytest.param('@print\ndef hostile(user, now):\n    """X."""\n    return []\n', id="decorated"),
        pytest.param('def hostile(user, now, *more):\n    """X."""\n    return []\n', id="more arguments"),
        pytest.param('def hostile(user, now=1):\n    """X."""\n    return []\n', id="a default"),
        pytest.param('def hostile(user):\n    """X."""\n    return []\n', id="fewer arguments"),
        pytest.param('def hostile(user, now):\n    return []\n', id="no docstring"),
        pytest.param('def hostile(user, now):\n    """X."""\n    return []\nprint(1)\n', id="a call at the top"),
        pytest.param('def hostile(user, now):\n    """X."""\n    return []\nhostile.x = 1\n', id="a change at the top"),
        pytest.param('def hostile(user, now):\n    """X."""\n    x = ' + "+".join("1" * 4000) + '\n    return []\n', id="a deep tree"),
        pytest.param('def hostile(user, now):\n    """X."""\n    x = ' + "-" * 3000 + '1\n    return []\n', id="a deep sign"),
        pytest.param('def hostile(user, now):\n    """X."""\n    x = ' + "[" * 30 + "]" * 30 + '\n    return []\n', id="deep brackets"),
        pytest.param('def hostile(user, now):\n    """X."""\n    x = ' + "+".join("1" * 700) + '\n    return []\n', id="a tree that one parser takes"),
        pytest.param("x" * 30_000, id="long"),
        pytest.param("", id="nothing"),
        pytest.param("import os\n", id="os"),
    ],
)  # fmt: skip
def test_code_in_an_unusual_form_is_refused_with_words_or_does_nothing(memory: Memory, code: str) -> None:
    hostile = Constraint(name="hostile", code=code, cases=CASES, origin="model")
    assert adopted(memory, hostile) is False
    check_harmless(memory)


@pytest.mark.parametrize("engine", available())
def test_what_a_constraint_says_does_not_depend_on_the_order_of_a_set(engine: str) -> None:
    body = "return [warning(', '.join({a.substance for a in user.health.allergies}), subject='all')] if user.health.allergies else []"
    said: set[str] = set()
    for _ in range(4):
        memory = watched(constraint("sets", body), sandbox=shared_sandbox(engine))
        for substance in ("nuts", "milk", "soy", "wheat", "egg"):
            memory.put("health.Allergy", {"substance": substance})
        said.update(alert.message for alert in memory.alerts())
        memory.close()
    assert len(said) == 1


def test_a_constraint_cannot_ask_the_clock_by_another_way(memory: Memory) -> None:
    for attack in (
        "x = date.today()",
        "x = datetime.now()",
        "import time as clock\nx = clock.time()",
        "from time import time as clock\nx = clock()",
        "match date:\n    case object(today=ask):\n        x = ask()",
        "match datetime:\n    case object(now=ask):\n        x = ask()",
    ):
        code = constraint("hostile", f"{attack}\n{MINE}").code
        with pytest.raises(Refused):
            read_constraint("hostile", code)


def test_the_failure_of_a_constraint_is_told_once_and_not_on_every_tick(memory: Memory) -> None:
    adopted(
        memory,
        constraint("hostile", f"if len(user.health.allergies) > 1:\n    raise ValueError\n{MINE}", origin="model"),
    )
    check_harmless(memory)
    memory.put("travel.Trip", {"city": "Rome", "start": "2026-05-01"})
    failed = [(change.change, change.why) for _stored, change in memory.history() if change.change == "failed"]
    assert failed == [("failed", "ValueError: ")]


def test_a_type_that_a_model_defines_cannot_hide_a_name_that_constraints_need(memory: Memory) -> None:
    for full_name in ("user.Thing", "critical.Thing", "knowledge.Thing", "uac_look.Thing", "uac_tables.Thing"):
        with suppress(Rejected):
            memory.checkpoint([Define(type=type_of(full_name, key=["name"], name="str"))])
    check_harmless(memory)
