"""Programs that try to change what others see: ways to get hold of an object, times ways to change it.

`python tests/attacks/mutation_programs.py` runs all of them on every engine and prints how many were tried and how many got through.
"""

import random
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from typing import NamedTuple

from support.constraints import ALLERGIES, Clock, case, constraint, given, watched
from support.short_logs import type_of
from uac.errors import RunError
from uac.memory.memory import Memory
from uac.sandbox import available, shared_sandbox
from uac.sandbox.port import Sandbox
from uac.schema.constraints import Knowledge
from uac.schema.patches import Define, Learn
from uac.schema.queries import read_query

TRIP = type_of("travel.Journey", key=["city"], city="str", tags="list[str]", notes="list[str] | None")
PROFILE = type_of("people.Profile", cardinality="one", name="str", names="list[str]")

ALIASES = (
    "x = {0}",
    "x = sum(*[[], {0}])",
    "args = json.loads('[[]]') + [{0}]\nx = sum(*args)",
    "x = [{0}][0]",
    "x = (lambda value={0}: value)()",
    "(x,) = [{0}]",
    "*_, x = [1, {0}]",
    "x = {{'a': {0}}}['a']",
    "x = next(iter([{0}]))",
    "x = max([{0}], key=lambda value: 1)",
    "x = sorted([{0}], key=lambda value: 1)[0]",
    "x = [value for value in [{0}]][0]",
    "x = None or {0}",
    "x = {0} if True else []",
    "x = list(map(lambda value: value, [{0}]))[0]",
    "x = list(zip([{0}]))[0][0]",
    "x = dict([('a', {0})]).get('a')",
    "x = defaultdict(lambda: {0})['a']",
    "x = first([{0}])",
    "x = group_by([{0}], lambda value: 1)[1][0]",
    "if (x := {0}) is None:\n    pass",
    "def give():\n    return {0}\nx = give()",
    "def give(*values):\n    return values[0]\nx = give({0})",
    "def give():\n    try:\n        return {0}\n    finally:\n        pass\nx = give()",
    "try:\n    raise ValueError({0})\nexcept ValueError as error:\n    x = error.args[0]",
    "match [{0}]:\n    case [x]:\n        pass",
    "match {{'a': {0}}}:\n    case {{'a': x}}:\n        pass",
    "for x in [{0}]:\n    pass",
    "class Holder:\n    held = {0}\nx = Holder.held",
    "class Holder:\n    held = {0}\n    travel = 1\n    health = 1\nx = Holder.held",
    "@dataclass\nclass Holder:\n    held: object\nx = Holder({0}).held",
    "import functools\nx = functools.reduce(lambda a, b: b, [1, {0}])",
    "import itertools\nx = next(itertools.chain([{0}]))",
    "import collections\nx = collections.deque([{0}])[0]",
    "from collections import namedtuple\nx = namedtuple('T', 'a')({0}).a",
    "import copy\nx = copy.copy(({0},))[0]",
    "import operator\nx = operator.itemgetter(0)([{0}])",
    "def outer():\n    held = {0}\n    def inner():\n        nonlocal held\n        return held\n    return inner()\nx = outer()",
    "x = getattr(user, 'travel') and {0}",
)
"""How `x` becomes an object that others see."""

LISTS = (
    "health.allergies",
    "user.health.allergies",
    "travel.journeys",
    "travel.journeys[0].tags",
    "travel.journeys[1].notes",
    "people.profile.names",
    "[journey.tags for journey in travel.journeys][0]",
    "getattr(travel.journeys[0], 'tags')",
)
LIST_CHANGES = (
    "x.clear()",
    "x.append(x[0])",
    "x.extend(x)",
    "x.insert(0, x[0])",
    "x.pop()",
    "x.remove(x[0])",
    "x.reverse()",
    "x.sort(key=lambda value: 1)\nx.reverse()",
    "x *= 0",
    "x += x",
    "x[0] = x[-1]",
    "x[:] = []",
    "x[0:1] = []",
    "x[0] *= 0",
    "held = [x]\nheld[0] *= 0",
    "held = [x]\nheld[0] += held[0]",
    "del x[0]",
    "del x[:]",
    "list.clear(x)",
    "[f(x) for f in [list.clear]]",
    "list(map(list.clear, [x]))",
    "f = x.clear\nf()",
    "(lambda value: value.clear())(x)",
    "for x[0] in [x[-1]]:\n    pass",
    "x[0], y = x[-1], 1",
    "import heapq\nheapq.heapify(x)\nx.clear()",
    "import bisect\nbisect.insort(x, x[0], key=lambda value: 1)",
    "import random\nrandom.shuffle(x)\nx.pop()",
    "import operator\noperator.iadd(x, x)",
    "import operator\noperator.setitem(x, slice(None), [])",
    "import operator\noperator.methodcaller('clear')(x)",
    "import functools\nfunctools.partial(list.clear, x)()",
    "x.__init__()",
    "x.__imul__(0)",
    "x.__delitem__(0)",
    "x.__setitem__(slice(None), [])",
    "getattr(x, 'clear')()",
    "getattr(x, 'cle' + 'ar')()",
    "exec('x.clear()')",
    "eval('x.clear()')",
    "match x:\n    case object(clear=f):\n        f()",
    "class Evil:\n    def __eq__(self, other):\n        other.clear()\n        return True\nEvil() == x",
    "class Evil:\n    def __contains__(self, other):\n        other.clear()\n        return True\nx in Evil()",
    "class Evil:\n    def __radd__(self, other):\n        other.clear()\n        return other\nx + Evil()",
    "class Evil:\n    def __getitem__(self, other):\n        other.clear()\n        return 1\nEvil()[x]",
    "class Evil:\n    def wipe(self, other):\n        other.clear()\nEvil().wipe(x)",
    "def wipe(value):\n    value.clear()\n    return 1\nsorted([x, x], key=wipe)",
    "def wipe(value):\n    value.clear()\n    return 1\ngroup_by([x], wipe)",
)

RECORDS = ("health.allergies[0]", "travel.journeys[-1]", "people.profile", "[a for a in health.allergies][0]")
RECORD_CHANGES = (
    "x.city = x.substance = x.name = 'changed'",
    "setattr(x, 'substance', 'changed')\nsetattr(x, 'city', 'changed')\nsetattr(x, 'name', 'changed')",
    "object.__setattr__(x, 'substance', 'changed')",
    "object.__setattr__(x, 'city', 'changed')",
    "object.__setattr__(x, 'name', 'changed')",
    "x.__dict__['substance'] = 'changed'\nx.__dict__['city'] = 'changed'",
    "x.__dict__.clear()",
    "vars(x).clear()",
    "x.__init__('changed', [], [])",
    "x.__init__('changed', 'changed')",
    "x.__setattr__('substance', 'changed')",
    "x.__class__ = int",
    "x.uac_id = 'health.Allergy:other'",
    "record_id(x).upper()\nx.uac_id += '!'",
    "for x.substance in ['changed']:\n    pass",
    "for x.city in ['changed']:\n    pass",
    "type(x).substance = 'changed'\ntype(x).__eq__ = lambda a, b: True",
    "type(x).__init__ = None",
    "type(x).__repr__ = lambda self: 'changed'",
    "type(x).__name__ = 'changed'",
    "type(x).__dataclass_fields__.clear()",
    "x.__class__.substance = 'changed'",
    "delattr(x, 'substance')",
    "del x.substance",
    "del x.city",
    "import dataclasses\ndataclasses.dataclass(order=True, eq=False)(type(x))",
    "dataclass(eq=False)(type(x))",
    "from dataclasses import dataclass as d\nd(repr=False, eq=False)(type(x))",
    "import functools\nfunctools.total_ordering(type(x))",
    "import typing\ntyping.final(type(x))\ntype(x).__eq__ = None",
    "import copy\ncopy.copy(x).__init__('changed', [], [])",
    "match x:\n    case object(__dict__=held):\n        held.clear()",
)

OTHERS = (
    "health.allergies = []",
    "user.health = None",
    "travel.journeys = ()",
    "people.profile = None",
    "health.Allergy = None",
    "health.Allergy.substance = property(lambda self: 'changed')",
    "travel.Journey.__init__ = lambda self, *rest: None",
    "global health\nhealth = None",
    "global total\ntotal = None",
    "global critical, warning\ncritical = warning = info",
    "global uac_look\nuac_look = lambda *rest: []",
    "global uac_check\nuac_check = lambda *rest: ['', [], []]",
    "global constraint__allergies\nconstraint__allergies = lambda *rest: []",
    "global user\nuser = None",
    "global sum\nsum = len",
    "def f():\n    global now\n    now = None\nf()",
    "globals()['health'] = None",
    "globals().clear()",
    "exec('health = None', globals())",
    "exec('global health\\nhealth = None')",
    "eval('health.allergies.clear()')",
    "import builtins\nbuiltins.sum = len",
    "__builtins__['sum'] = len",
    "import math\nmath.pi = 3",
    "math.pi = 3",
    "json.loads = None",
    "json.dumps = lambda value: 'changed'",
    "re.compile = None",
    "setattr(math, 'pi', 3)",
    "import decimal\ndecimal.getcontext().prec = 2",
    "import decimal\ndecimal.setcontext(decimal.Context(prec=2))",
    "from decimal import getcontext\ngetcontext().prec = 2",
    "import calendar\ncalendar.setfirstweekday(6)",
    "total.__code__ = (lambda amounts: 1).__code__",
    "total.__defaults__ = (1,)",
    "total.changed = 1",
    "overlap.__globals__['health'] = None",
    "uac_tables.clear()",
    "uac_looks.append(1)",
    "uac_named(health.allergies[0], 'other')",
    "rows.clear()",
    "rows__0.clear()",
    "rows__0[0][0] = 'changed'",
    "[row.clear() for row in rows__0]",
    "tables__0.clear()",
    "health__Allergy.substance = 'changed'",
    "health__domain.allergies = []",
    "user_of__allergies = None",
    "import enum\n@enum.global_enum\nclass health(enum.Enum):\n    allergies = 1",
    "import enum\nclass Colour(enum.Enum):\n    health = 1\nenum.global_enum(Colour)",
    "from enum import global_enum, Enum\nclass total(Enum):\n    total = 1\nglobal_enum(total)",
    "import collections.abc\ncollections.abc.Sized.register(health.Allergy)",
    "import numbers\nnumbers.Number.register(str)",
    "from functools import update_wrapper\nupdate_wrapper(total, len)",
    "from functools import wraps\nwraps(len)(total)",
    "import typing\ntyping.no_type_check(health.Allergy)",
    "(value for value in []).gi_frame.f_globals.clear()",
    "def g():\n    yield 1\ng().gi_frame.f_globals['health'] = None",
    "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    error.__traceback__.tb_frame.f_globals['health'] = None",
    "import random\nrandom.seed(5)",
    "import random\nrandom.setstate(random.Random(7).getstate())",
    "type('Evil', (), {'__eq__': lambda self, other: other.clear()})() == health.allergies",
    "list(map(type, ['Evil'], [()], [{'__eq__': lambda self, other: other.clear()}]))[0]() == health.allergies",
    "import dataclasses\ndataclasses.make_dataclass('E', [], namespace={'__eq__': lambda a, b: b.clear()})() == health.allergies",
    "class Meta(type):\n    def __call__(cls, other):\n        other.clear()\nclass Evil(metaclass=Meta):\n    pass\nEvil(health.allergies)",
    "class Evil(list):\n    pass\nEvil.clear(health.allergies)",
    "import sys\nsys.modules.clear()",
    "import string\nstring.digits = ''",
    "knowledge('none')",
)
"""Attempts on all that is no record: domains, names, helpers, classes, modules, the interpreter."""


TABLES = (
    "knowledge('travel.visas').clear()",
    "knowledge('travel.visas')['FR'].append('c')",
    "knowledge('travel.visas').setdefault('IT', [])",
    "x = knowledge('travel.visas')['FR']\nx += ['c']",
    "list(map(knowledge, ['travel.visas']))[0].clear()",
    "match knowledge('travel.visas'):\n    case {'FR': x}:\n        x.clear()",
    "get = knowledge\nget('travel.visas')['FR'].reverse()",
    "import copy\ncopy.deepcopy([[1]], knowledge('travel.visas'))",
    "from copy import deepcopy\ndeepcopy([[1]], memo=knowledge('travel.visas')['DE'])",
    "defaultdict(list, knowledge('travel.visas'))['IT']",
    "a = knowledge('travel.visas') | {'IT': []}\na.clear()",
)
"""Attempts on a table that an unreviewed rule looks things up in."""

ROADS = (
    # The body of a class can import a module without naming it again.
    "class A:\n    import operator\nA.operator.setitem(health.allergies, slice(None), [])",
    "class A:\n    import operator\nA.operator.methodcaller('clear')(health.allergies)",
    "class A:\n    import operator as o\nA().o.delitem(health.allergies, 0)",
    "class A:\n    import decimal\nA.decimal.setcontext(A.decimal.Context(prec=2))",
    "class A:\n    import functools\nA.functools.update_wrapper(total, len)",
    "class A:\n    import calendar\nA.calendar.setfirstweekday(6)",
    # An error knows the module that it is about; here one name stands for two modules.
    (
        "if True:\n    import math as m\nimport operator as m\ntry:\n    m.sqrt\nexcept AttributeError as error:\n"
        "    error.obj.setitem(health.allergies, slice(None), [])"
    ),
    (
        "if True:\n    import statistics as m\nimport decimal as m\ntry:\n    m.mean\nexcept AttributeError as error:\n"
        "    error.obj.setcontext(error.obj.Context(prec=2))"
    ),
    "try:\n    math.sumprod\nexcept AttributeError as error:\n    error.obj.pi",
    # What deepcopy() keeps in its memo are the originals.
    (
        "import copy\nmemo = {}\ncopy.deepcopy(travel.journeys[0], memo)\nfor kept in memo[id(memo)]:\n"
        "    if isinstance(kept, dict):\n        kept['city'] = 'changed'"
    ),
    (
        "import copy\nmemo = {}\ncopy.deepcopy(travel.journeys[0], memo)\nfor kept in memo[id(memo)]:\n"
        "    if isinstance(kept, list):\n        kept.clear()"
    ),
    (
        "from copy import deepcopy\nmemo = {}\ndeepcopy(health.allergies, memo)\n[kept.update(substance='changed') "
        "for each in memo.values() if isinstance(each, list) for kept in each if isinstance(kept, dict)]"
    ),
    (
        "import copy\nmemo = {}\ncopy.deepcopy(user, memo)\n[kept.clear() "
        "for each in memo.values() if isinstance(each, list) for kept in each if isinstance(kept, dict)]"
    ),
    (
        "from copy import deepcopy\nmemo = {}\nlist(map(deepcopy, travel.journeys, [memo, memo]))\n[kept.clear() "
        "for each in memo.values() if isinstance(each, list) for kept in each if isinstance(kept, dict)]"
    ),
    # The class of a class makes classes with methods of any name, and records compare their fields.
    (
        "made = type(type(1))\nevil = made('Evil', (), {'__eq__': lambda self, other: other.clear()})\n"
        "travel.Journey('Rome', evil(), None) == travel.journeys[0]"
    ),
    (
        "evil = type(health.Allergy)('Evil', (), {'__eq__': lambda self, other: other.clear()})\n"
        "travel.Journey('Rome', evil(), None) == travel.journeys[0]"
    ),
    # An abstract class takes others in.
    "import typing\ntyping.Mapping.register(health.Allergy)",
    "from typing import Iterable\nIterable.register(health.Allergy)",
    "from typing import Sequence\nSequence.register(travel.Journey)",
    "from fractions import Fraction\nFraction.register(health.Allergy)",
    # A decorator is called, and dataclass() called with a loaded class changes that class.
    "@dataclass(health.Allergy, frozen=True)\nclass A:\n    x: int",
    "@dataclass(*[travel.Journey], frozen=True)\nclass A:\n    x: int",
    "@dataclass(Alert, frozen=True)\nclass A:\n    x: int",
    # Here Monty takes a name that := binds for a global one.
    "(lambda value=(total := len): value)()",
    "(lambda *, value=(critical := info): value)()",
    "def f(value=(critical := info)):\n    return value\nf()",
    "def f():\n    def g(value=f'{(sum := len)}'):\n        return value\n    return g()\nf()",
    "sorted([1], key=lambda value, other=(mean := sum): 1)",
    "f'{1!r:{(sum := 9)}}'",
    "try:\n    1 / 0\nexcept (ZeroDivisionError, (total := ValueError)):\n    pass",
)
"""Roads to an object that no name in the program leads to."""

NEAR = (
    "from dataclasses import replace\nreplace(travel.journeys[0], city='x').tags.clear()",
    "from dataclasses import astuple\nastuple(travel.journeys[0])[1].clear()",
    "from dataclasses import asdict\nasdict(travel.journeys[0])['tags'].clear()",
    (
        "from dataclasses import asdict\nasdict(travel.journeys[0], dict_factory=lambda pairs: [value.clear() "
        "for _name, value in pairs if isinstance(value, list)])"
    ),
    "json.dumps(travel.journeys, default=lambda record: [record.tags.clear()])",
    "json.loads('{\"a\": 1}', object_hook=lambda value: health.allergies.clear())",
    "re.sub('a', lambda found: str(health.allergies.clear()), 'aaa')",
    "print('x', file=health.allergies)",
    "class W:\n    def write(self, text):\n        health.allergies.clear()\nprint('x', file=W())",
    "sum([[1]], health.allergies)",
    "from itertools import accumulate\nlist(accumulate([[1], [2]], initial=health.allergies))",
    "from functools import reduce\nreduce(lambda a, b: a + b, [[1], [2]], health.allergies)",
    "(lambda: [(total := 1) for _ in [1]])()",
    "[(total := 1) for _ in [1]]",
    "[total for total in [1]]\n[health for health in [1]]",
    "class A:\n    total = 1\n    health = 2\n    now = 3",
    "class A:\n    total = (critical := 1)",
    "try:\n    1 / 0\nexcept ZeroDivisionError as total:\n    pass",
    "for total in [1]:\n    pass\nfor health in [1]:\n    pass",
    "def total(x):\n    return 1\ndef critical(*rest):\n    return 1",
    "import math as total\nfrom math import pi as sum",
    "match [1, 2]:\n    case [total, *health]:\n        pass",
    "match {'a': 1}:\n    case {**now}:\n        pass",
    "def f():\n    nonlocal health\n    health.allergies.clear()\nf()\nhealth",
    "[[a.clear() for a in [health.allergies]] for health in [health]]",
    "(lambda health: health.allergies.clear())(health)",
    "def query_of_the_user(x):\n    x.clear()\nquery_of_the_user(health.allergies)",
    "match travel.journeys[0]:\n    case travel.Journey(a, b, c):\n        b.clear()",
    "match travel.journeys[0]:\n    case travel.Journey(tags=b):\n        b.clear()",
    "import copy\ncopy.copy(health).allergies.clear()",
    "import copy\ncopy.copy(user).health.allergies.clear()",
    "import copy\ncopy.copy(travel.journeys[0]).tags.clear()",
    "x = travel.Journey('a', people.profile.names, None)\nx.tags.clear()",
    "f'{health.allergies!r:>{len(str(health.allergies.clear()))}}'",
    "from functools import lru_cache\nlru_cache(health.Allergy)\nlru_cache(total)",
    "property(total, critical).setter(critical)\nstaticmethod(total)\nclassmethod(critical)",
    "class E(health.Allergy):\n    substance = 'changed'\nE('x', None)",
    "@dataclass\nclass E(health.Allergy):\n    substance: int = 3\n    severity: int = 5\nE()",
    "@dataclass\nclass E:\n    held: list = field(default_factory=lambda: health.allergies)\nE().held.clear()",
    "health.\uff41llergies.clear()",
    "health.allergies.cle\uff41r()",
    "x = 1\n\x0chealth = None",
    'x = """a\nhealth = None\n"""',
    "x = 'a\\\nhealth = None'",
    "if True:\n\thealth = None\n\ttotal = None",
    "del health",
)
"""Near misses: each was tried and held."""

LATER = "len([[number] for number in range(300_000)])"
UNKNOWN = "try:\n    found = left\nexcept NameError:\n    found = 'nothing'\nfound"
LEFTOVERS = (
    ("(lambda value=(left := 1): value)()", UNKNOWN),
    ("f'{1:{(left := 1)}}'", UNKNOWN),
    ("try:\n    1 / 0\nexcept (ZeroDivisionError, (left := ValueError)):\n    1", UNKNOWN),
    ("def g():\n    try:\n        yield it\n    finally:\n        print('left')\nit = g()\nnext(it)\n1", LATER),
    (
        "def g():\n    try:\n        yield it\n    finally:\n        while 1:\n            pass\nit = g()\nnext(it)\n1",
        LATER,
    ),
    ("look_again('x' * 300_000_000)\n1", "len('y' * 300_000_000)"),
    ("held = ['x' * 300_000_000]\nheld.append(held)\n1", "len('y' * 300_000_000)"),
    ("look_again([0] * 35_000_000)\n1", "len(['x'] * 35_000_000)"),
)
"""A query, and a later one that must not notice it."""


class Program(NamedTuple):
    """One attempt, and what it goes for."""

    kind: str
    code: str


def programs() -> Iterator[Program]:
    """Every way to get hold of each thing, with every way to change it."""
    for target, alias, change in product(LISTS, ALIASES, LIST_CHANGES):
        yield Program("list", f"{alias.format(target)}\n{change}\n1")
    for target, alias, change in product(RECORDS, ALIASES, RECORD_CHANGES):
        yield Program("record", f"{alias.format(target)}\n{change}\n1")
    for change in (*OTHERS, *TABLES, *ROADS, *NEAR):
        yield Program("other", f"{change}\n1")


def sample(count: int, *, seed: int) -> list[Program]:
    """All attempts that need no alias, each change and each alias at least once, and some more."""
    every = list(programs())
    plain = [f"x = {target}\n" for target in (*LISTS, *RECORDS)]
    least = [each for each in every if each.kind == "other" or any(each.code.startswith(start) for start in plain[:1])]
    least += [Program("list", f"{alias.format('health.allergies')}\nx.clear()\n1") for alias in ALIASES]
    least += [Program("list", f"{alias.format('travel.journeys[0].tags')}\nx[0] *= 0\n1") for alias in ALIASES]
    least += [Program("record", f"x = health.allergies[0]\n{change}\n1") for change in RECORD_CHANGES]
    least += [Program("list", f"x = {target}\nx.clear()\n1") for target in LISTS]
    return [*dict.fromkeys([*least, *random.Random(seed).sample(every, count)])]


PROBE = """[
    [(a.substance, a.severity, record_id(a), isinstance(a, health.Allergy), str(a)) for a in health.allergies],
    [type(a).__name__ for a in health.allergies],
    [(j.city, j.tags, j.notes, record_id(j), str(j)) for j in travel.journeys],
    [people.profile.name, people.profile.names, len(user.health.allergies), [a == a for a in health.allergies]],
    [str(now), total([]), math.pi, json.dumps([1]), str(Decimal(1) / Decimal(3)), sum([1, 2]), len(pairs([1, 2, 3]))],
    [critical("a").severity, warning("a").severity, str(health.Allergy("nuts", None)), mean([1, 2, 3])],
    [str(travel.Journey("Rome", [], None)), str(people.Profile("Ana", []))],
]"""
"""What a reader sees of the project, the classes and the names around them. It runs where most queries run."""

KINDS = """
def kind(record):
    match record:
        case {}:
            return "mapping"
        case [*_]:
            return "sequence"
    return "record"
[kind(r) for r in [*health.allergies, *travel.journeys]]
"""
"""The same for what Monty does not have."""

VISAS = Knowledge.of(
    {"FR": ["a", "b"], "DE": {"c": 1}}, name="travel.visas", version="1", date="2026-01-01", source="-", note="-"
)
UNREVIEWED = constraint(
    "visas",
    "table = knowledge('travel.visas')\nreturn [info(f'{a.substance} {table}', a) for a in user.health.allergies]",
    case("one", given("health.Allergy", substance="nuts"), fires=True),
    case("nothing", fires=False),
    origin="model",
)
"""It runs in the session of the queries, and tells what it sees of the table and of the records."""


class Target:
    """A user whose project is attacked, and what its readers and its rules see."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.memory: Memory = watched(ALLERGIES, sandbox=sandbox, clock=Clock())
        self.memory.checkpoint([Define(type=TRIP), Define(type=PROFILE)])
        self.memory.checkpoint([Learn(knowledge=VISAS)], reviewed=True)
        self.memory.adopt(UNREVIEWED)
        self.memory.put("health.Allergy", {"substance": "nuts", "severity": "mild"})
        self.memory.put("health.Allergy", {"substance": "milk"})
        self.memory.put("health.Medication", {"name": "nuts"})
        self.memory.put("travel.Journey", {"city": "Rome", "tags": ["b", "a"], "notes": None})
        self.memory.put("travel.Journey", {"city": "Oslo", "tags": ["c"], "notes": ["d"]})
        self.memory.put("people.Profile", {"name": "Ana", "names": ["Ana", "Anna"]})
        self.probes = (PROBE,) if sandbox.name == "monty" else (PROBE, KINDS)
        assert {read_query(probe, {}).effect.change for probe in self.probes} == {"nothing"}  # or it looks elsewhere
        self.before = self.seen()

    def seen(self) -> tuple[object, object]:
        project = self.memory.project()
        found = self.memory._interpreters.watch().run(project, project.constraints)
        return [self.memory.compute(probe).value for probe in self.probes], found

    def withstands(self, code: str) -> bool:
        """Whether the program left everything as it was; what it gives and whether it runs does not matter."""
        with suppress(RunError):
            self.memory.compute(code)
        try:
            return self.seen() == self.before
        except RunError:
            return False

    def forgets(self, first: str, later: str) -> bool:
        """Whether a later query gives and prints the same as it does after a fresh start."""
        self.restore()
        try:
            alone = self.memory.compute(later)
        except RunError:  # it is too much for this engine by itself
            return True
        self.restore()
        with suppress(RunError):
            self.memory.compute(first)
        try:
            after = self.memory.compute(later)
        except RunError:
            return False
        return (alone.value, alone.printed) == (after.value, after.printed)

    def restore(self) -> None:
        """Start afresh, with the rules' tables loaded again."""
        self.memory.close()
        self.seen()


def main() -> None:
    chosen = sample(int(sys.argv[1]), seed=0) if len(sys.argv) > 1 else list(programs())
    for engine in available():
        target = Target(shared_sandbox(engine))
        passed = []
        for program in chosen:
            if not target.withstands(program.code):
                passed.append(program)
                target.restore()
        print(f"{engine}: {len(chosen):,} programs tried, {len(passed)} changed what others see")
        for program in passed[:40]:
            print("   ", program.kind, repr(program.code))
        for first, later in LEFTOVERS:
            print("   ", "forgotten" if target.forgets(first, later) else "NOTICED", repr(first))


if __name__ == "__main__":
    main()
