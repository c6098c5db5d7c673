"""Attempts to get out of a sandbox, or to take the host along. The list only grows.

In the code, {FILE}, {DIR}, {WDIR}, {PORT}, {USOCK}, {ASOCK} and {VICTIM} stand for the bait that test_escapes.py lays out.
"""

from dataclasses import dataclass

__all__ = ["BOMBS", "ESCAPES", "PRIVATE", "Escape"]


@dataclass(frozen=True, slots=True)
class Escape:
    """`code` is run as one user, `then` as the next; neither may see or do what the bait would show."""

    name: str
    code: str
    then: str = ""


ESCAPES = (
    # --- the road through the object model ---
    Escape(
        "every subclass of object",
        "found = [c for c in object.__subclasses__() if c.__name__ in ('Popen', '_wrap_close', 'FileLoader', 'catch_warnings')]\n"
        "print([c.__init__.__globals__ for c in found])",
    ),
    Escape("mro by attribute", "print(str.mro()[-1].__subclasses__())"),
    Escape(
        "class through a metaclass",
        "class Meta(type):\n    def __call__(cls, *a):\n        return cls.__base__.__subclasses__()\n"
        "class A(metaclass=Meta):\n    pass\nprint(A())",
    ),
    Escape("format reaches the globals", "def f():\n    pass\nprint('{0.__globals__[__builtins__]}'.format(f))"),
    Escape(
        "str.format as a plain function",
        "print(str.format('{0.__class__.__base__}', 1), '{FILE}')\nopen('{FILE}').read()",
    ),
    Escape("format through getattr", "print(getattr('{0.__init__.__globals__}', 'for' + 'mat')(ValueError))"),
    Escape("format through map", "print(list(map('{0.__class__.__mro__}'.format, [1])))"),
    Escape(
        "format through methodcaller",
        "import operator\nprint(operator.methodcaller('format', ValueError)('{0.__init__.__globals__}'))",
    ),
    Escape("a formatter of its own", "import string\nprint(string.Formatter().format('{0.__class__.__base__}', 1))"),
    Escape(
        "a traceback's frames",
        "try:\n    raise ValueError\nexcept ValueError as e:\n    f = e.__traceback__.tb_frame\n"
        "    while f.f_back:\n        f = f.f_back\n    print(f.f_globals, f.f_builtins['open']('{FILE}').read())",
    ),
    Escape(
        "a generator's frame",
        "g = (g.gi_frame.f_back.f_back for _ in [1])\nf = next(g)\nprint(f.f_globals, f.f_builtins['open']('{FILE}').read())",
    ),
    Escape(
        "frames of an exception that a callback saw",
        "class E(Exception):\n    def __str__(self):\n        return str(self.__traceback__.tb_frame.f_back.f_globals)\nraise E",
    ),
    Escape(
        "attribute names that change their mind",
        "class S(str):\n    n = 0\n    def __str__(self):\n        return 'real'\n    def startswith(self, *a):\n        return False\n"
        "    def __hash__(self):\n        return 0\n    def __eq__(self, other):\n        return False\n"
        "print(getattr(getattr(1, S('__class__')), S('__base__')))\nprint(getattr(len, S('__self__')).open('{FILE}').read())",
    ),
    Escape("the module behind a built-in function", "print(len.__self__.open('{FILE}').read())"),
    Escape("the loader of a module", "import math\nprint(math.__loader__.load_module('posix').environ)"),
    Escape(
        "code objects", "def f():\n    pass\nf.__code__ = (lambda: 1).__code__.replace(co_names=('open',))\nprint(f())"
    ),
    Escape(
        "a dataclass that answers with the host's names",
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\n    def __repr__(self):\n"
        "        return open('{FILE}').read()\n    def __eq__(self, other):\n        return open('{FILE}').read()\n"
        "    def __hash__(self):\n        return len(open('{FILE}').read())\n[A(1), {A(2): 1}]",
    ),
    Escape(
        "make_dataclass with code for a name",
        "import dataclasses\nprint(dataclasses.make_dataclass('A', [('x', \"__import__('os').environ\")]))",
    ),
    Escape(
        "namedtuple with code for a name",
        "from collections import namedtuple\nprint(namedtuple('A', ['x=open(\"{FILE}\").read()'], rename=False))",
    ),
    Escape(
        "an enum's hooks",
        "import enum\nclass C(enum.Enum):\n    def _generate_next_value_(name, *a):\n        return open('{FILE}').read()\n"
        "    A = enum.auto()\nC.A",
    ),
    Escape(
        "annotations evaluated later",
        "import typing\nclass A:\n    x: \"open('{FILE}').read()\"\nprint(typing.get_type_hints(A))",
    ),
    Escape(
        "singledispatch evaluates annotations",
        "import functools\n@functools.singledispatch\ndef f(x):\n    pass\n"
        "def g(x: \"open('{FILE}').read()\"):\n    pass\nprint(f.register(g))",
    ),
    # --- modules ---
    Escape("statistics has sys", "import statistics\nprint(statistics.sys.modules['os'].environ)"),
    Escape("a name from a module it does not show", "from statistics import sys\nprint(sys.modules)"),
    Escape(
        "textwrap, heapq and their imports", "import textwrap, heapq\nprint(textwrap.re.enum.sys, heapq.__builtins__)"
    ),
    Escape(
        "json's scanner", "from json import scanner, decoder\nprint(decoder.scanner.re.enum.sys.modules['os'].environ)"
    ),
    Escape(
        "decimal's context of another user",
        "import decimal\ndecimal.getcontext().prec = 3",
        "from decimal import Decimal\nr = Decimal(1) / Decimal(3)\nprint('CANARYX decimal' if len(str(r)) < 10 else 'clean')",
    ),
    Escape(
        "random's state of another user",
        "import random\nrandom.seed = random.random = lambda *a: 'CANARYX random'",
        "import random\nprint(random.random())",
    ),
    Escape(
        "a datetime method for the next user",
        "import datetime\ndatetime.datetime.now = lambda *a: 'CANARYX now'",
        "import datetime\nprint(datetime.datetime.now())",
    ),
    Escape(
        "a registered number for the next user",
        "import numbers\nnumbers.Integral.register(str)",
        "import numbers\nprint('CANARYX numbers' if isinstance('x', numbers.Integral) else 'clean')",
    ),
    Escape("a module from a coding cookie", "# -*- coding: utf-7 -*-\n#+AAo-print(open('{FILE}').read())"),
    Escape("a form feed and a cookie", "\x0c# coding: utf-16\nprint(open('{FILE}').read())"),
    Escape(
        "identifiers that normalise",
        "print(().__ｃｌａｓｓ__.__ｂａｓｅ__.__subclasses__())\nｏｐｅｎ('{FILE}').read()",
    ),
    Escape("ligatures in names", "print(ﬁle := __builtins__)\nｅval(\"open('{FILE}').read()\")"),
    # --- the system ---
    Escape("memory of the process", "m = open('/proc/self/mem', 'rb')\nprint(m.read(10))"),
    Escape("command line and environment", "print(open('/proc/1/environ').read(), open('/proc/self/cmdline').read())"),
    Escape(
        "ctypes by introspection",
        "import sys\nc = sys.modules.get('ctypes')\nprint(c.CDLL(None).getenv(b'UAC_CANARY_ENV'))\n"
        "c.CDLL(None).open(b'{WDIR}/w_ctypes', 0o102, 0o666)",
    ),
    Escape(
        "raw system calls",
        "import sys\nc = sys.modules['ctypes']; l = c.CDLL(None, use_errno=True)\n"
        "for n in (2, 41, 57, 58, 59, 62, 85, 101, 165, 272, 321, 425, 435):\n"
        "    r = l.syscall(n, b'{WDIR}/w_sys', 0o102, 0o666)\n    print('SYSCALL-OK' if r >= 0 else '')",
    ),
    Escape(
        "executable memory",
        "import sys\nc = sys.modules['ctypes']; l = c.CDLL(None, use_errno=True)\n"
        "l.mmap.restype = c.c_long\np = l.mmap(None, 4096, 7, 0x22, -1, 0)\nprint('SYSCALL-OK' if p > 0 else '')",
    ),
    Escape(
        "a child that outlives its parent", "import os\nif os.fork() == 0:\n    open('{WDIR}/w_child', 'w').write('x')"
    ),
    Escape("signals to the parent", "import os\nos.kill(os.getppid(), 9)\nos.kill({VICTIM}, 9)"),
    Escape(
        "limits raised",
        "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (10**6, 10**6))\nprint('SYSCALL-OK')",
    ),
    Escape(
        "sockets of the host",
        "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('{USOCK}')\nprint(s.recv(10))",
    ),
    Escape(
        "datagrams",
        "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "s.sendto(b'x', ('127.0.0.1', {PORT}))\nprint('SYSCALL-OK')",
    ),
    Escape(
        "garbage that can be collected", "import gc\nprint([o for o in gc.get_objects() if 'CANARY' in str(o)[:500]])"
    ),
    Escape("the last exception", "import sys\nprint(sys.exc_info(), sys.last_value, sys._getframe(1).f_globals)"),
    Escape(
        "a file by its number",
        "import os\nfor n in range(1, 64):\n    try:\n        print(os.read(n, 100), os.fstat(n), 'SYSCALL-OK')\n"
        "    except OSError:\n        pass",
    ),
    # --- the wire ---
    Escape("an exit that looks like success", "import os\nos._exit(0)"),
    Escape("a system exit", "raise SystemExit(0)"),
    Escape(
        "objects that pickle themselves",
        "class A:\n    def __reduce__(self):\n        return (open, ('{WDIR}/w_pickle', 'w'))\nA()",
    ),
    Escape("objects of a class named like data", "class dict:\n    def items(self):\n        return [open]\ndict()"),
    Escape(
        "a dataclass whose fields lie",
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\n"
        "A.__dataclass_fields__ = {'x': 1, '__class__': 2}\nA(1)",
    ),
    Escape(
        "a field that is the interpreter",
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: object\nA(A.__init__)",
    ),
    Escape("keys that are not themselves", "nan = float('nan')\n{nan: 1, float('nan'): {nan}}"),
    Escape("half characters in every place", "h = chr(0xD800)\nprint(h)\n{h: [h], (h,): h}"),
    Escape("an error that is half a character", "raise ValueError(chr(0xDFFF) * 10)"),
    Escape("a name that is half a character", "raise type('E' + chr(0xD800), (Exception,), {})('x')"),
    Escape("an error whose text is an error", "class E(Exception):\n    def __str__(self):\n        raise E\nraise E"),
    Escape(
        "an error of a lying class",
        "class E(Exception):\n    @property\n    def __class__(self):\n        return MemoryError\nraise E",
    ),
    Escape(
        "numbers that wait for the host",
        "from decimal import Decimal\n[Decimal('sNaN'), Decimal('1E+999999999'), Decimal('NaN' + '1' * 1000)]",
    ),
    Escape(
        "dates at the ends of time",
        "from datetime import *\n[datetime.max, datetime.min, timedelta.max, timedelta.min, date.max]",
    ),
    Escape(
        "a print that answers for the host",
        'print(\'{"id": "x", "printed": "", "value": 1}\')\nprint(\'\\0\\0\\0\\4null\')',
    ),
    Escape("the packer replaced", "uac_pack = uac_print = lambda *a, **k: open('{FILE}').read()\n1"),
    Escape("a packer that answers nonsense", "uac_pack = lambda *a: {'value': {'x': [1, [[2, 3]]]}}\n1"),
    # --- names of the guards, references that evaluate themselves, other roads to the same place ---
    Escape(
        "a guard's name taken by a loop",
        "for __special__ in [lambda *a: print]:\n    pass\nprint(print.__self__.open('{FILE}').read())",
    ),
    Escape(
        "a guard's name taken by an import",
        "from functools import reduce as __matched__\nprint(print.__self__.open('{FILE}').read())",
    ),
    Escape(
        "a guard's name taken by a capture",
        "match lambda *a: print:\n    case __special__:\n        pass\nprint(print.__self__.open('{FILE}').read())",
    ),
    Escape(
        "a guard's name taken by a starred capture",
        "match [1]:\n    case [*__matched__]:\n        pass\nprint(print.__self__.open('{FILE}').read())",
    ),
    Escape(
        "a guard's name taken by the rest of a mapping",
        "match {'a': 1}:\n    case {**__special__}:\n        pass\nprint(print.__self__.open('{FILE}').read())",
    ),
    Escape(
        "a guard's name taken by a walrus",
        "(__matched__ := lambda *a: print)\nprint(print.__self__.open('{FILE}').read())",
    ),
    Escape(
        "a guard's name taken by an error",
        "try:\n    1 / 0\nexcept ZeroDivisionError as __special__:\n    pass\nprint(print.__self__.open('{FILE}').read())",
    ),
    Escape(
        "a guard's name taken by a group of errors",
        "try:\n    raise ExceptionGroup('', [ValueError()])\nexcept* ValueError as __matched__:\n    pass\nprint(print.__self__.open('{FILE}').read())",
    ),
    Escape(
        "a guard's name taken by a class", "class __special__:\n    pass\nprint(print.__self__.open('{FILE}').read())"
    ),
    Escape(
        "a guard's name taken by a coroutine",
        "async def __matched__(*a):\n    pass\nprint(print.__self__.open('{FILE}').read())",
    ),
    Escape(
        "a forward reference evaluates itself",
        "import typing\nref = typing.get_args(typing.List[\"open('{FILE}').read()\"])[0]\nprint(ref._evaluate({}, {}, frozenset()))",
    ),
    Escape(
        "a forward reference, by name",
        "import typing\nref = typing.get_args(typing.List[\"open('{FILE}').read()\"])[0]\nprint(getattr(ref, '_evaluate')({}, {}, frozenset()))",
    ),
    Escape(
        "a forward reference's class",
        "import typing\nref = typing.get_args(typing.List[\"open('{FILE}').read()\"])[0]\nprint(type(ref)(\"open('{FILE}').read()\")._evaluate({}, {}, frozenset()))",
    ),
    Escape(
        "the code of a forward reference",
        "import typing\nref = typing.get_args(typing.List[\"open('{FILE}').read()\"])[0]\nprint(ref.__forward_code__.co_code)\nprint(typing._eval_type(ref, {}, {}))",
    ),
    Escape(
        "a starmap of getattr",
        "import itertools\nprint(list(itertools.starmap(getattr, [(print, '__self__')]))[0].open('{FILE}').read())",
    ),
    Escape(
        "a reduction to the subclasses",
        "import functools\nprint(functools.reduce(getattr, ['__class__', '__base__', '__subclasses__'], 1)())\nopen('{FILE}').read()",
    ),
    Escape(
        "a partial of getattr",
        "import functools\nprint(functools.partial(getattr, print, '__self__')().open('{FILE}').read())",
    ),
    Escape("object's own way to read", "print(object.__getattribute__(print, '__self__').open('{FILE}').read())"),
    Escape("type's own way to read", "print(type.__getattribute__(object, '__subclasses__')())\nopen('{FILE}').read()"),
    Escape(
        "the cache of a method",
        "import functools\nprint(functools.lru_cache(len).cache_parameters.__globals__['__builtins__']['open']('{FILE}').read())",
    ),
    Escape(
        "a loop over a function's code",
        "def f():\n    return 1\nfor f.__code__ in [f.__code__.replace(co_names=('open',))]:\n    print(f())\nopen('{FILE}').read()",
    ),
    Escape(
        "a comprehension over a function's code",
        "def f():\n    return 1\n[0 for f.__globals__ in [1]]\nprint(f.__globals__)\nopen('{FILE}').read()",
    ),
    Escape(
        "a context over a function's code",
        "class C:\n    def __enter__(self):\n        return 1\n    def __exit__(self, *a):\n        pass\ndef f():\n    pass\nwith C() as f.__globals__:\n    print(f.__globals__)\nopen('{FILE}').read()",
    ),
    Escape(
        "a coroutine's frame",
        "async def f():\n    return 1\nprint(f().cr_frame.f_back.f_globals['__builtins__']['open']('{FILE}').read())",
    ),
    Escape(
        "a group's traceback",
        "try:\n    raise ExceptionGroup('', [ValueError()])\nexcept* ValueError as e:\n    print(e.exceptions[0].__traceback__.tb_frame.f_back.f_builtins['open']('{FILE}').read())",
    ),
    Escape(
        "an error's object",
        "try:\n    print.nothing\nexcept AttributeError as e:\n    print(e.obj.__self__.open('{FILE}').read())",
    ),
    Escape(
        "a template's own pattern",
        "import string\nclass T(string.Template):\n    idpattern = r'.*'\nprint(T('${x.__class__.__base__.__subclasses__}').safe_substitute(x=1), T.pattern.__class__.__base__)\nopen('{FILE}').read()",
    ),
    Escape(
        "a mapping that formats",
        "class M(dict):\n    def __missing__(self, key):\n        return print\nprint('{a.__self__.open}'.format_map(M()), str.format_map('{a.__self__}', M()))\nopen('{FILE}').read()",
    ),
    Escape(
        "the characters' module",
        "import unicodedata\nprint(unicodedata._ucnhash_CAPI, unicodedata.ucd_3_2_0.__class__.__base__.__subclasses__())\nopen('{FILE}').read()",
    ),
    Escape(
        "the characters' class",
        "import unicodedata\nprint(type(unicodedata.ucd_3_2_0)('{FILE}'), unicodedata.normalize.__self__)\nopen('{FILE}').read()",
    ),
    Escape(
        "a module changed for the next user",
        "import unicodedata\nunicodedata.normalize = lambda *a: 'CANARYX'\nprint(unicodedata.normalize('NFC', 'a'))",
        "import unicodedata\nprint(unicodedata.normalize('NFC', 'a'))",
    ),
    Escape(
        "an order of bases of its own",
        "class M(type):\n    def mro(cls):\n        return [cls, int, object]\nclass X(metaclass=M):\n    pass\nprint(X().__class__.__mro__[-1].__subclasses__())\nopen('{FILE}').read()",
    ),
    Escape(
        "a list without an end as a result",
        "class X(list):\n    def __iter__(self):\n        yield from [print.__self__.open('{FILE}').read()]\nX([1])",
    ),
    Escape(
        "a zone that lies",
        "from datetime import datetime, timedelta, tzinfo\nclass Z(tzinfo):\n    n = 0\n    def utcoffset(self, d):\n        Z.n += 1\n        return timedelta(hours=Z.n % 24)\n    def tzname(self, d):\n        return open('{FILE}').read()\n    def dst(self, d):\n        return None\ndatetime(2024, 1, 1, tzinfo=Z())",
    ),
)

_META = "class Meta(type):\n    def __instancecheck__(cls, other):\n        return True\n"
_MATCH = "match statistics.mean:\n    case C(names):\n        print('PRIVATE-OK', list(names)[:1])"
_TWO = "class A:\n    pass\nclass B:\n    pass\nmade = []\ndef make():\n    made.append(A())\n    return made[0]\n"
_CHANGED = "print('PRIVATE-OK' if type(made[0]) is B else '')"
_STATE = "(make, (), (None, {'__class__': B}))"

# These read or set what belongs to the interpreter, in the standard library's name. They print PRIVATE-OK if they can.
PRIVATE = (
    Escape(
        "a class pattern that names the attribute",
        f"import statistics\n{_META}class C(metaclass=Meta):\n    __match_args__ = ('__globals__',)\n{_MATCH}",
    ),
    Escape(
        "a class pattern of a class made by calling",
        f"import statistics\n{_META}C = Meta('C', (), {{'__match_args__': ('__globals__',)}})\n{_MATCH}",
    ),
    Escape(
        "a class pattern of a class made by type",
        "C = type('C', (), {'__match_args__': ('__dict__',)})\nmatch C():\n    case C(x):\n        print('PRIVATE-OK')",
    ),
    Escape(
        "a class pattern of a base",
        "B = type('B', (), {'__match_args__': ('__reduce_ex__',)})\nclass C(B):\n    pass\n"
        "match C():\n    case C(x):\n        print('PRIVATE-OK')",
    ),
    Escape(
        "a class pattern that is set later",
        "class C:\n    pass\nsetattr(C, '__match_args__', ('__reduce_ex__',))\nmatch C():\n    case C(x):\n        print('PRIVATE-OK')",
    ),
    Escape(
        "a class pattern that is set by the class of classes",
        "class C:\n    pass\ntype.__setattr__(C, '__match_args__', ('__reduce_ex__',))\n"
        "match C():\n    case C(x):\n        print('PRIVATE-OK')",
    ),
    Escape(
        "a class pattern that changes its mind",
        "class Lazy:\n    n = 0\n    def __get__(self, *a):\n        Lazy.n += 1\n        return ('x',) if Lazy.n < 2 else ('__reduce_ex__',)\n"
        "C = type('C', (), {'__match_args__': Lazy(), 'x': 1})\nfor _ in range(3):\n    match C():\n        case C(x):\n"
        "            print('PRIVATE-OK' if x != 1 else '')",
    ),
    Escape(
        "a class that is another one when it is matched",
        "class C:\n    x = 1\nD = type('D', (), {'__match_args__': ('__reduce_ex__',)})\n"
        "def swap():\n    global C\n    C = D\n    return D()\nmatch swap():\n    case C(x):\n        print('PRIVATE-OK')",
    ),
    Escape(
        "a class pattern inside of another",
        "C = type('C', (), {'__match_args__': ('__reduce_ex__',)})\nmatch [C()]:\n    case [C(x)] | {'a': C(x)}:\n        print('PRIVATE-OK')",
    ),
    Escape(
        "a dataclass with a field of that name",
        "import dataclasses\nC = dataclasses.make_dataclass('C', [('__class__', int)], init=False)\n"
        "match C():\n    case C(x):\n        print('PRIVATE-OK')",
    ),
    Escape(
        "a copy that says how",
        f"import copy\n{_TWO}class E:\n    def __reduce_ex__(self, version):\n        return {_STATE}\ncopy.copy(E())\n{_CHANGED}",
    ),
    Escape(
        "a copy of a class made by type",
        f"import copy\n{_TWO}E = type('E', (), {{'__reduce_ex__': lambda self, version: {_STATE}}})\ncopy.copy(E())\n{_CHANGED}",
    ),
    Escape(
        "a deep copy of what lies deep",
        f"import copy\n{_TWO}E = type('E', (), {{'__reduce__': lambda self: {_STATE}}})\n"
        f"copy.deepcopy([{{'a': (E(),)}}])\n{_CHANGED}",
    ),
    Escape(
        "a copy of a base that says how",
        f"import copy\n{_TWO}E = type('E', (), {{'__reduce_ex__': lambda self, version: {_STATE}}})\n"
        f"class F(E):\n    pass\ncopy.copy(F())\n{_CHANGED}",
    ),
    Escape(
        "a state that is more than the object's",
        "import copy\nclass B:\n    pass\nC = type('C', (), {'__getstate__': lambda self: (None, {'__class__': B})})\n"
        "print('PRIVATE-OK' if type(copy.copy(C())) is B else '')",
    ),
    Escape(
        "slots that are named beforehand",
        "import copy\nclass B:\n    pass\nclass C:\n    __slotnames__ = ['__class__']\n    def __setattr__(self, name, value):\n"
        "        print('PRIVATE-OK', name)\ncopy.copy(C())",
    ),
    Escape(
        "a dataclass copied into a dict",
        f"import dataclasses\n{_TWO}E = type('E', (), {{'__reduce_ex__': lambda self, version: {_STATE}}})\n"
        f"@dataclasses.dataclass\nclass D:\n    x: object\ndataclasses.asdict(D(E()))\n{_CHANGED}",
    ),
    Escape(
        "object's own way to set",
        "class A:\n    pass\nclass B:\n    pass\na = A()\nobject.__setattr__(a, '__class__', B)\n"
        "print('PRIVATE-OK' if type(a) is B else '')",
    ),
    Escape(
        "object's own way to set, by name",
        "class A:\n    pass\nclass B:\n    pass\na = A()\ngetattr(a, '__setattr__')('__class__', B)\n"
        "print('PRIVATE-OK' if type(a) is B else '')",
    ),
    Escape(
        "a class that is set like a field",
        "class A:\n    pass\nclass B:\n    pass\na = A()\nsetattr(a, '__class__', B)\nprint('PRIVATE-OK' if type(a) is B else '')",
    ),
    Escape(
        "a wrapper that takes more along",
        "import functools, statistics\nclass Sink:\n    def __setattr__(self, name, value):\n"
        "        if name == '__globals__':\n            print('PRIVATE-OK')\n"
        "functools.update_wrapper(Sink(), statistics.mean, assigned=('__globals__',), updated=())",
    ),
    Escape(
        "a decorator that takes more along",
        "import functools, statistics\nclass Sink:\n    def __setattr__(self, name, value):\n"
        "        if name == '__globals__':\n            print('PRIVATE-OK')\n"
        "functools.wraps(statistics.mean, assigned=['__globals__'], updated=[])(Sink())",
    ),
    Escape(
        "a field that takes another name",
        "import dataclasses\n@dataclasses.dataclass\nclass A:\n    x: int\ndataclasses.fields(A)[0].name = '__class__'\n"
        "print('PRIVATE-OK' if dataclasses.asdict(A(1)).get('__class__') is A else '')",
    ),
    Escape(
        "an enum that writes into another module",
        "import enum, statistics\nE = enum.Enum('E', {'private_ok': 1}, module='statistics')\nenum.global_enum(E)\nprint('PRIVATE-OK')",
    ),
)

BOMBS = (
    Escape("an endless loop that catches everything",
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        continue"),
    Escape("a loop in a destructor", "class A:\n    def __del__(self):\n        while True:\n            pass\nA()\nx = 1"),
    Escape("a loop in a text of an error", "class E(Exception):\n    def __str__(self):\n        while True:\n            pass\nraise E"),
    Escape("a loop in a dataclass that is packed",
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\n    def __getattribute__(self, n):\n"
        "        while True:\n            pass\nA(1)"),
    Escape("a list that doubles", "x = [1]\nwhile True:\n    x += x"),
    Escape("a text that doubles", "x = 'x'\nwhile True:\n    x += x"),
    Escape("a text times a billion", "x = 'x' * 10**10"),
    Escape("a join", "x = ','.join(['x' * 10**6] * 10**5)"),
    Escape("a power", "x = 9 ** 9 ** 9"),
    Escape("a power in steps", "x = 7\nwhile True:\n    x = x ** 7"),
    Escape("a factorial", "import math\nx = math.factorial(10**8)"),
    Escape("a number as text", "x = str(3 ** 10**6)\nx = str(10 ** 10**7)"),
    Escape("a shift", "x = 1 << 10**11"),
    Escape("backtracking", "import re\nre.match('(a|aa)+$', 'a' * 60 + 'b')\nre.match('(a+)+$', 'a' * 60 + 'b')\nwhile True:\n    pass"),
    Escape("recursion", "def f(n):\n    return f(n + 1) + f(n + 2)\nf(0)"),
    Escape("recursion through a property", "class A:\n    def __getattr__(self, n):\n        return getattr(self, n + 'x')\nA().x"),
    Escape("recursion in repr", "x = []\nfor _ in range(10**6):\n    x = [x]\nstr(x)\nx"),
    Escape("recursion in comparison", "x = y = 0\nfor _ in range(10**5):\n    x, y = [x], [y]\nx == y\nx"),
    Escape("a sort with a liar", "import functools\nx = sorted(range(10**7), key=functools.cmp_to_key(lambda a, b: -1))"),
    Escape("a product without end", "import itertools\nx = list(itertools.product(range(100), repeat=10))"),
    Escape("a sum without end", "x = sum(range(10**13))"),
    Escape("a count without end", "import itertools\nitertools.count()"),
    Escape("a cycle of generators", "def g():\n    while True:\n        yield 1\ng()"),
    Escape("a deep iterator", "import itertools\nx = iter([1])\nfor _ in range(10**6):\n    x = itertools.chain(x)\nlist(x)"),
    Escape("a format without end", "x = '{:>10000000000}'.format(1)\nx = f'{1:>10000000000}'"),
    Escape("a precision without end", "import decimal\ndecimal.getcontext().prec = 10**17\nx = decimal.Decimal(1) / 3"),
    Escape("a Decimal as an int", "from decimal import Decimal\nx = int(Decimal('1E+99999999'))\nwhile True:\n    pass"),
    Escape("printing", "while True:\n    print('x' * 1000)"),
    Escape("one great print", "print('x' * 10**8)"),
    Escape("an error of a hundred megabytes", "raise ValueError('x' * 10**8)"),
    Escape("a result that is one text many times", "x = 'x' * 10**6\n[x] * 10**5"),
    Escape("a result that is one list many times", "x = [0] * 1000\nfor _ in range(6):\n    x = [x] * 1000\nx"),
    Escape("a billion laughs", "x = 'ha'\nfor _ in range(30):\n    x = (x, x)\nx"),
    Escape("a result of many empty lists", "[[] for _ in range(10**6)]"),
    Escape("a sleep", "import time\nwhile True:\n    time.sleep(10**6)"),
    Escape("processes without end", "import os\nwhile True:\n    os.fork()"),
    Escape("threads without end", "import threading\nwhile True:\n    threading.Thread(target=lambda: 0).start()"),
    Escape("files without end", "x = []\nwhile True:\n    x.append(open('/dev/zero'))"),
    Escape("names without end", "i = 0\nwhile True:\n    i += 1\n    exec('x%d = 1' % i)"),
    Escape("code without end", "exec('x = ' + '(' * 100 + '1' + ')' * 100)\nexec('x = 1\\n' * 10**6)\nwhile True:\n    pass"),
    Escape("brackets", "(" * 20_000 + ")" * 20_000),
    Escape("operators", "x = " + "~" * 90_000 + "1"),
    Escape("attributes", "x" + ".x" * 60_000),
    Escape("a long sum", "x = " + "1+" * 60_000 + "1"),
    Escape("a long condition", "x = " + "1 if 0 else " * 9_000 + "1"),
    Escape("lambdas", "x = " + "lambda:" * 20_000 + "1"),
    Escape("blocks", "".join(" " * n + "if 1:\n" for n in range(90)) + " " * 90 + "x = 1\nwhile True:\n    pass"),
    Escape("a set of clashing keys", "class K:\n    def __hash__(self):\n        return 1\n    def __eq__(self, o):\n        return False\n"
        "x = {}\nwhile True:\n    x[K()] = 1"),
)  # fmt: skip
