"""The prelude: what every query and constraint finds there gives the same answers everywhere it runs."""

import ast
import inspect
import math
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uac.errors import CodeError
from uac.project.runtime import prelude
from uac.sandbox import available, shared_sandbox
from uac.sandbox.compute import PRELUDE
from uac.sandbox.port import Instance, SandboxSession
from uac.schema.types import GIVEN

NAMES: tuple[str, ...] = tuple(vars(prelude)["__all__"])
LOOKS: list[date] = vars(prelude)["uac_looks"]  # the stubs tell only what constraints may name

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = date(2026, 3, 1)


@pytest.fixture(scope="module", params=["host", *available()])
def session(request: pytest.FixtureRequest) -> Iterator[SandboxSession | None]:
    """CPython itself, where it is the reference, and each sandbox."""
    if request.param == "host":
        yield None
        return
    session = shared_sandbox(request.param).session(now=NOW)
    session.run(PRELUDE, {"now": NOW})
    yield session
    session.close()


def value(session: SandboxSession | None, code: str) -> Any:
    if session is None:
        names = {name: getattr(prelude, name) for name in NAMES}
        return plain(eval(code, {**names, "now": NOW}))  # noqa: S307 - our own expressions
    return session.run(code).value


def plain(value: Any) -> Any:
    """The value as it comes out of a sandbox."""
    match value:
        case prelude.Money():
            return Instance("Money", {"amount": value.amount, "currency": value.currency})
        case list():
            return [plain(item) for item in value]
        case tuple():
            return tuple(plain(item) for item in value)
    return value


def euros(amount: str) -> Instance:
    return Instance("Money", {"amount": Decimal(amount), "currency": "EUR"})


EUR = "Money(Decimal('{}'), 'EUR')".format


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("add_months(date(2026, 1, 31), 1)", date(2026, 2, 28)),
        ("add_months(date(2024, 1, 31), 1)", date(2024, 2, 29)),
        ("add_months(date(2026, 3, 31), -1)", date(2026, 2, 28)),
        ("add_months(date(2026, 12, 15), 1)", date(2027, 1, 15)),
        ("add_months(date(2026, 1, 15), -13)", date(2024, 12, 15)),
        ("add_months(date(2026, 5, 5), 0)", date(2026, 5, 5)),
        ("add_months(date(1900, 1, 31), 1)", date(1900, 2, 28)),
        ("add_months(date(2000, 1, 31), 1)", date(2000, 2, 29)),
        ("month_of(date(987, 3, 1))", "0987-03"),
        ("quarter_of(date(2026, 12, 31))", "2026-Q4"),
        ("week_start(date(2026, 3, 1))", date(2026, 2, 23)),
        ("days_between(date(2026, 2, 1), date(2026, 3, 1))", 28),
        ("as_date(now)", DAY),
        ("as_date(date(2026, 3, 1))", DAY),
        ("as_date(None)", None),
        ("days_until(date(2026, 3, 4), now)", 3),
        ("days_until(date(2026, 2, 27), now)", -2),
        ("is_past(date(2026, 2, 28), now)", True),
        ("is_past(date(2026, 3, 1), now)", False),
        ("[due_within(date(2026, 3, d), now, 3) for d in (1, 4, 5)]", [True, True, False]),
        ("due_within(date(2026, 2, 28), now, 3)", False),
        ("due_within(datetime(2026, 3, 4, 23), now, 3)", True),
        ("expires_before(date(2026, 9, 1), date(2026, 3, 1), months=6)", False),
        ("expires_before(date(2026, 8, 31), date(2026, 3, 1), months=6)", True),
        ("expires_before(date(2026, 3, 31), date(2026, 3, 1), days=31)", True),
        ("expires_before(date(2026, 3, 1), date(2026, 3, 1))", False),
        ("overlap(date(2026, 1, 1), date(2026, 1, 5), date(2026, 1, 5), date(2026, 1, 9))", True),
        ("overlap(date(2026, 1, 1), date(2026, 1, 4), date(2026, 1, 5), date(2026, 1, 9))", False),
        ("overlap(datetime(2026, 1, 1, 9), datetime(2026, 1, 1, 10), datetime(2026, 1, 1, 10), datetime(2026, 1, 1, 11))", False),
        ("overlap(datetime(2026, 1, 1, 9), datetime(2026, 1, 1, 11), datetime(2026, 1, 1, 10), datetime(2026, 1, 1, 12))", True),
        ("overlap(date(2026, 1, 1), date(2026, 1, 1), datetime(2026, 1, 1, 10), datetime(2026, 1, 1, 12))", True),
        ("overlap_days(date(2026, 1, 1), date(2026, 1, 5), date(2026, 1, 4), date(2026, 1, 9))", 2),
        ("overlap_days(date(2026, 1, 1), date(2026, 1, 3), date(2026, 1, 4), date(2026, 1, 9))", 0),
        ("add_business_days(date(2026, 2, 27), 1)", date(2026, 3, 2)),
        ("add_business_days(date(2026, 2, 27), 1, [date(2026, 3, 2)])", date(2026, 3, 3)),
        ("add_business_days(date(2026, 2, 28), 0)", date(2026, 2, 28)),
        ("exceeds(5, 3)", 2),
        ("exceeds(3, 3)", None),
        (f"exceeds({EUR('5')}, {EUR('3.50')})", euros("1.50")),
        (f"exceeds({EUR('5')}, Money(Decimal('1'), 'USD'))", None),
        (f"money({EUR('1200')})", "1,200.00 EUR"),
        ("money(Money(Decimal('15000'), 'USD'))", "$15,000.00"),
        ("money(Money(Decimal('-3.456'), 'USD'))", "$-3.46"),
        ("money(None)", "an unknown amount"),
        ("words(\"Dr. Ana's  Peanut-Butter!\")", ["dr", "ana", "s", "peanut", "butter"]),
        ("words(None)", []),
        ("words('Käse, Größe')", ["käse", "größe"]),
        (r"words('Amoxi\u00adcillin\u2122 peni\u200bcillin \uff21\uff22 \ufb02uoxetine p\u0065\u0301n')", ["amoxicillin", "penicillin", "ab", "fluoxetine", "pén"]),
        (r"mentions('allergic to peni\u00adcillin', 'penicillin')", True),
        ("same('Peanut butter', 'peanut-BUTTER!')", True),
        ("same('', '')", False),
        ("same(None, 'x')", False),
        ("[mentions('two peanuts a day', p) for p in ('peanut', 'nut', 'Peanuts', 'two  peanuts', '', None)]", [True, False, True, True, False, False]),
        ("mentions('bring boxes', 'box')", True),
        ("mentions(None, 'x')", False),
        ("same_person('Emily', 'Dr. Emily Park')", True),
        ("same_person('Emily Stone', 'Emily Park')", False),
        ("same_person('Dr.', 'Dr. Park')", False),
        ("same_person('park emily', 'Emily Park')", True),
        ("first([3, 4])", 3),
        ("first([], 7)", 7),
        ("first([x for x in [] if x])", None),
        ("pairs([1, 2, 3])", [(1, 2), (1, 3), (2, 3)]),
        ("pairs([1])", []),
        ("duplicates(['a', 'b', 'A', ''], lambda x: x.lower())", [["a", "A"]]),
        ("duplicates([None, None], lambda x: x)", []),
        ("group_by([1, 2, 3], lambda n: n % 2)", {1: [1, 3], 0: [2]}),
        ("share([1], [1, 2])", 0.5),
        ("share([], [])", 0.0),
        (f"total([{EUR('1.10')}, None, {EUR('2.20')}, Money(Decimal('1'), 'USD')])", {"EUR": Decimal("3.30"), "USD": Decimal(1)}),
        (f"{EUR('1.10')} + {EUR('2.20')}, {EUR('1')} - {EUR('3')}", (euros("3.30"), euros("-2"))),
        (f"{EUR('2')} * 3, 3 * {EUR('2')}, {EUR('10.00')} * 1.19, Decimal('0.5') * {EUR('3')}", (euros("6"), euros("6"), euros("11.9000"), euros("1.5"))),
        (f"{EUR('9')} / 2, {EUR('9')} / {EUR('6')}, -{EUR('1')}, abs({EUR('-1')})", (euros("4.5"), Decimal("1.5"), euros("-1"), euros("1"))),
        (f"round({EUR('2.345')}, 2), round({EUR('2.5')})", (euros("2.34"), euros("2"))),
        (f"[a < b, a <= b, a > b, a >= b] for a in [{EUR('1')}, {EUR('2')}] for b in [{EUR('2')}]".join("[]"), [[True, True, False, False], [False, True, False, True]]),
        (f"{EUR('1')} < {EUR('2')} <= {EUR('2')}", True),
        (f"min({EUR('2')}, {EUR('1')}), max([{EUR('1')}, {EUR('3')}, {EUR('2')}])", (euros("1"), euros("3"))),
        (f"sorted([{EUR('2')}, {EUR('10')}, {EUR('1')}], reverse=True)", [euros("10"), euros("2"), euros("1")]),
        (f"sorted([('b', {EUR('2')}), ('a', {EUR('3')}), ('a', {EUR('1')})])", [("a", euros("1")), ("a", euros("3")), ("b", euros("2"))]),
        (f"max([('x', {EUR('5')}), ('y', {EUR('7')})], key=lambda pair: pair[1])", ("y", euros("7"))),
        (f"sorted([Money(Decimal(1), 'USD'), {EUR('2')}, {EUR('1')}], key=lambda m: (m.currency, m))", [euros("1"), euros("2"), Instance("Money", {"amount": Decimal(1), "currency": "USD"})]),
        (f"sum([{EUR('1.10')}, {EUR('2.20')}]), sum([{EUR('1')}], {EUR('2')}), sum([])", (euros("3.30"), euros("3"), 0)),
        ("sum([timedelta(hours=1), timedelta(minutes=30)]), sum([1, 2.5]), sum([[1], [2]], [])", (timedelta(minutes=90), 3.5, [1, 2])),
        (f"mean([{EUR('1')}, {EUR('2')}]), median([{EUR('3')}, {EUR('1')}])", (euros("1.5"), euros("2"))),
        ("mean([timedelta(hours=1), timedelta(hours=2)]), median([timedelta(3), timedelta(1), timedelta(2)])", (timedelta(minutes=90), timedelta(2))),
        (f"str({EUR('1.50')})", "1.50 EUR"),
        ("mean([1, 2])", 1.5),
        ("median([4, 1, 3, 2])", 2.5),
        ("critical('m', subject='s').severity, warning('m').message, info('m', 1, 2).records", ("critical", "m", [1, 2])),
        ("critical('m').subject, critical('m').look_again", ("", None)),
        ("[f'{d:%d %B %Y}' for d in [date(2026, 3, 1)]]", ["01 March 2026"]),
    ],
)  # fmt: skip
def test_a_helper_gives_the_same_answer_everywhere(session: SandboxSession | None, code: str, expected: Any) -> None:
    assert value(session, code) == expected


FIRST, LAST = "date(1, 1, 1)", "date(9999, 12, 31)"
NEVER = "datetime(9999, 12, 31, 23, 30, tzinfo=timezone(timedelta(hours=-12)))"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("add_months(date(2026, 1, 1), 12 * 9000)", date.max),
        ("add_months(date(2026, 1, 1), -12 * 9000)", date.min),
        ("add_months(date(2026, 1, 1), 10**30)", date.max),
        ("add_months(date(2026, 1, 1), -(10**30), days=10**30)", date.max),
        ("add_months(date(2026, 1, 31), 1, days=1)", date(2026, 3, 1)),
        ("add_months(date(2026, 1, 1), days=2**63)", date.max),
        (f"[add_months({LAST}, days=1), add_months({FIRST}, days=-1)]", [date.max, date.min]),
        (f"week_start({FIRST})", date.min),
        (f"days_until({LAST}, now)", (date.max - DAY).days),
        (f"[is_past({LAST}, now), is_past({FIRST}, now), is_past({NEVER}, now)]", [False, True, False]),
        (f"is_past({FIRST}, datetime(1, 1, 1, tzinfo=timezone.utc))", False),
        (f"days_until({LAST}, datetime(9999, 12, 31, tzinfo=timezone.utc))", 0),
        (f"due_within({LAST}, now, 10**30)", True),
        (f"due_within({LAST}, now, -(10**30))", False),
        (f"[due_within(day, now, 30) for day in ({FIRST}, {LAST}, {NEVER})]", [False, False, False]),
        (f"expires_before({LAST}, {LAST}, months=6, days=10**30)", False),
        (f"expires_before({FIRST}, now, months=-(10**30))", False),
        ("[is_past(None, now), due_within(None, now, 3), expires_before(None, now)]", [False, False, False]),
        ("add_business_days(date(2026, 3, 6), 10**30)", date.max),
        ("add_business_days(date(2026, 3, 6), -(10**30))", date.min),
        ("add_business_days(date(2026, 3, 6), 10**30, [date(2026, 3, 9)])", date.max),
        ("add_business_days(date(2026, 3, 9), -1)", date(2026, 3, 6)),
        ("add_business_days(date(2026, 3, 9), -1, [date(2026, 3, 6)])", date(2026, 3, 5)),
        (f"overlap({FIRST}, {LAST}, now, {NEVER})", True),
        ("overlap(now, date(2026, 3, 1), now, now)", True),
        (f"overlap_days({FIRST}, {LAST}, {FIRST}, {LAST})", 3_652_059),
        (f"days_between(now, {LAST})", (date.max - DAY).days),
        ("stdev([1e200, -1e200])", math.inf),
    ],
)
def test_a_helper_stops_at_the_ends_of_time(session: SandboxSession | None, code: str, expected: Any) -> None:
    assert value(session, code) == expected


@settings(max_examples=300, deadline=None)
@given(
    st.dates(date(2026, 1, 1), date(2026, 12, 31)),
    st.integers(-60, 60),
    st.lists(st.dates(date(2025, 10, 1), date(2027, 3, 31)), max_size=30),
)
def test_business_days_are_those_that_one_would_count(day: date, count: int, holidays: list[date]) -> None:
    step = timedelta(days=1 if count > 0 else -1)
    there, left = day, abs(count)
    while left:
        there += step
        left -= there.weekday() < 5 and there not in holidays
    assert prelude.add_business_days(day, count, holidays) == there


@pytest.mark.parametrize("code", ["mean([])", "median([])", "stdev([1])"])
def test_what_has_no_answer_is_an_error_everywhere(session: SandboxSession | None, code: str) -> None:
    with pytest.raises(Exception, match=r"of nothing|fewer than two"):
        value(session, code)


USD = "Money(Decimal('{}'), 'USD')".format
DIFFER = ": their currencies differ. Take one currency at a time; total() sums each by itself."


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (f"{EUR('1')} + {USD('2')}", f"1 EUR and 2 USD cannot be added{DIFFER}"),
        (f"sum([{EUR('1')}, {USD('2')}])", f"1 EUR and 2 USD cannot be added{DIFFER}"),
        (f"mean([{EUR('1')}, {USD('2')}])", f"1 EUR and 2 USD cannot be added{DIFFER}"),
        (f"{EUR('1')} - {USD('2')}", f"1 EUR and 2 USD cannot be subtracted{DIFFER}"),
        (f"{EUR('1')} / {USD('2')}", f"1 EUR and 2 USD cannot be divided{DIFFER}"),
        (f"{EUR('1')} < {USD('2')}", f"1 EUR and 2 USD cannot be compared{DIFFER}"),
        (f"{EUR('1')} < {EUR('3')} < {USD('2')}", f"3 EUR and 2 USD cannot be compared{DIFFER}"),
        (f"sorted([{USD('2')}, {EUR('1')}])", f"1 EUR and 2 USD cannot be compared{DIFFER}"),
        (f"max({EUR('1')}, {USD('2')})", f"2 USD and 1 EUR cannot be compared{DIFFER}"),
        (f"{EUR('1')} + 1", "unsupported operand type(s) for +: 'Money' and 'int'"),
        (f"{EUR('1')} - 0", "unsupported operand type(s) for -: 'Money' and 'int'"),
        (f"{EUR('1')} < 2", "'<' not supported between instances of 'Money' and 'int'"),
        ("sum([1, None, 2])", "sum: 1 of 3 values are None. Leave them out with 'if … is not None'"),
        ("mean([None, None])", "mean: 2 of 2 values are None. Leave them out with 'if … is not None'"),
        (f"median([{EUR('1')}, None])", "median: 1 of 2 values are None. Leave them out with 'if … is not None'"),
    ],
)
def test_money_that_does_not_fit_and_values_that_are_missing_are_the_same_error_everywhere(
    session: SandboxSession | None, code: str, message: str
) -> None:
    with pytest.raises((CodeError, TypeError, ValueError)) as failed:
        value(session, code)
    assert str(failed.value).endswith(message)


AMOUNTS = st.sampled_from(["a", "b", "c", "(a)", "min(b, a)", "a + b", "(  # < \n b)", "d", "(d if a < b else c)"])
ORDERS = st.sampled_from(["<", "<=", ">", ">=", " < ", "\\\n>="])


@st.composite
def orderings(draw: st.DrawFn) -> str:
    """Comparisons and chains of them, as people may write them."""
    parts = [draw(AMOUNTS)]
    for _ in range(draw(st.integers(1, 3))):
        parts += [draw(ORDERS), draw(AMOUNTS)]
    text = "".join(parts)
    return draw(st.sampled_from(["{}", "not {}", "[{} for _ in range(2)]", "({}) == True", "(lambda: {})()"])).format(
        text
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(orderings(), min_size=1, max_size=8))
def test_money_has_one_order_in_every_engine(codes: list[str]) -> None:
    given_amounts = f"a, b, c = {EUR('1')}, {EUR('2')}, {EUR('2.0')}\nd = {EUR('-3')}\n"
    names = {**{name: getattr(prelude, name) for name in NAMES}}
    exec(given_amounts, names)  # noqa: S102 - our own statements
    expected = [eval(code, names) for code in codes]  # noqa: S307 - our own expressions
    for name in available():
        session = shared_sandbox(name).session(now=NOW)
        session.run(PRELUDE, {"now": NOW})
        session.run(given_amounts)
        assert [session.run(code).value for code in codes] == expected
        session.close()


@pytest.mark.parametrize(
    ("code", "looks"),
    [
        ("due_within(date(2026, 3, 20), now, 3)", [date(2026, 3, 17)]),
        ("due_within(date(2026, 3, 3), now, 3)", [date(2026, 3, 2)]),
        ("due_within(date(2026, 2, 1), now, 3)", []),
        ("is_past(date(2026, 3, 1), now)", [date(2026, 3, 2)]),
        ("is_past(date(2026, 2, 1), now)", []),
        ("days_until(date(2026, 4, 1), now)", [date(2026, 3, 2)]),
        ("look_again(date(2030, 1, 1))", [date(2030, 1, 1)]),
    ],
)
def test_helpers_that_ask_the_time_note_when_their_answer_changes(
    session: SandboxSession | None, code: str, looks: list[date]
) -> None:
    if session is None:
        LOOKS.clear()
        value(None, code)
        assert looks == LOOKS
    else:
        session.run("uac_looks.clear()")
        session.run(code)
        assert session.run("uac_looks").value == looks


@settings(max_examples=200, deadline=None)
@given(
    st.dates(date(2026, 1, 1), date(2026, 12, 31)), st.integers(0, 40), st.dates(date(2026, 1, 1), date(2026, 12, 31))
)
def test_the_answer_of_due_within_does_not_change_before_the_time_it_noted(day: date, days: int, today: date) -> None:
    """The law that lets a constraint rest: until the noted date, asking again would give the same."""
    LOOKS.clear()
    moment = datetime.combine(today, time(12), UTC)
    answer = prelude.due_within(day, moment, days)
    again = min(LOOKS, default=date(2028, 1, 1))
    for ahead in range(min((again - today).days, 400)):
        assert prelude.due_within(day, moment + timedelta(days=ahead), days) == answer


@settings(max_examples=200, deadline=None)
@given(st.dates(date(2026, 1, 1), date(2026, 12, 31)), st.dates(date(2026, 1, 1), date(2026, 12, 31)))
def test_the_answer_of_is_past_does_not_change_before_the_time_it_noted(day: date, today: date) -> None:
    LOOKS.clear()
    moment = datetime.combine(today, time(12), UTC)
    answer = prelude.is_past(day, moment)
    again = min(LOOKS, default=date(2028, 1, 1))
    for ahead in range(min((again - today).days, 400)):
        assert prelude.is_past(day, moment + timedelta(days=ahead)) == answer


@settings(max_examples=200, deadline=None)
@given(st.dates(date(1900, 1, 1), date(2200, 1, 1)), st.integers(-600, 600))
def test_adding_months_lands_in_that_month_and_never_on_a_later_day(day: date, months: int) -> None:
    there = prelude.add_months(day, months)
    assert (there.year * 12 + there.month) - (day.year * 12 + day.month) == months
    assert there.day == day.day or (there.day < day.day and (there + timedelta(days=1)).day == 1)


@settings(max_examples=200, deadline=None)
@given(*[st.dates(date(2026, 1, 1), date(2026, 2, 1))] * 4)
def test_overlap_is_the_same_from_both_sides_and_agrees_with_the_days(a: date, b: date, c: date, d: date) -> None:
    start, end, other, last = min(a, b), max(a, b), min(c, d), max(c, d)
    days = prelude.overlap_days(start, end, other, last)
    assert days == prelude.overlap_days(other, last, start, end)
    assert prelude.overlap(start, end, other, last) == prelude.overlap(other, last, start, end) == (days > 0)
    shared = {start + timedelta(n) for n in range((end - start).days + 1)}
    shared &= {other + timedelta(n) for n in range((last - other).days + 1)}
    assert days == len(shared)


# --- the names --------------------------------------------------------------------------------------------------------

STUBS = Path(prelude.__file__).with_suffix(".pyi")


def stub_names() -> dict[str, ast.AST]:
    found: dict[str, ast.AST] = {}
    for node in ast.parse(STUBS.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found[name] = node
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                found |= {alias.asname: node for alias in aliases if alias.asname}
            case _:
                pass
    return found


def test_the_type_checker_and_the_door_know_exactly_the_names_that_are_there() -> None:
    only_for_types = {"dataclass", "Literal"}  # what the stubs of the user's own types are written with
    assert set(stub_names()) - only_for_types == set(NAMES)
    assert set(NAMES) == GIVEN


def test_every_helper_has_the_arguments_that_the_type_checker_knows() -> None:
    for name, node in stub_names().items():
        if isinstance(node, ast.FunctionDef):
            real = inspect.signature(getattr(prelude, name)).parameters.values()
            known = [*node.args.args, *([node.args.vararg] if node.args.vararg else []), *node.args.kwonlyargs]
            assert [parameter.name for parameter in real] == [argument.arg for argument in known], name
            needed = [parameter.name for parameter in real if parameter.default is inspect.Parameter.empty]
            given_away = len(node.args.defaults) + sum(default is not None for default in node.args.kw_defaults)
            assert len(needed) == len(known) - given_away, name


def test_every_public_name_of_the_prelude_is_listed() -> None:
    ours = {
        name
        for name, thing in vars(prelude).items()
        if getattr(thing, "__module__", None) == prelude.__name__ and not name.startswith(("uac_", "__"))
    }
    assert ours <= set(NAMES)


def test_every_helper_says_what_it_does() -> None:
    silent = [name for name in NAMES if not (inspect.getdoc(getattr(prelude, name)) or "").strip()]
    assert silent == []
