"""A constraint as a file: its code, and the cases below it."""

import pytest

from uac.errors import Refused
from uac.schema.constraint_files import SourceLine, parse_constraint, source_lines
from uac.schema.constraints import Case, Constraint, Given

FILE = '''\
LIMIT = 2


def rule(user, now):
    """Something is due."""
    return [info(m.name, m) for m in user.health.medications if due_within(m.until, now, LIMIT)]


CASES = [
    fires("due", date(2026, 1, 10), health.Medication(name="iron", until=date(2026, 1, 11)), says=["iron"]),
    fires("a time", datetime(2026, 1, 10, 8, 30), health.Medication(name="iron", until=date(2026, 1, 11))),
    silent("over", date(2026, 1, 10), ended(health.Medication(name="iron"), "2025-12"), health.Allergy(substance="x")),
]
'''


def test_a_file_holds_the_code_and_its_cases() -> None:
    iron = Given(type="health.Medication", fields={"name": "iron", "until": "2026-01-11"})
    assert parse_constraint(FILE, "rule", origin="pack", pack="health 1") == Constraint(
        name="rule",
        code=FILE[: FILE.index("CASES")].rstrip("\n") + "\n",
        cases=(
            Case(name="due", now="2026-01-10", fires=True, given=(iron,), says=("iron",)),
            Case(name="a time", now="2026-01-10T08:30:00+00:00", fires=True, given=(iron,)),
            Case(
                name="over",
                now="2026-01-10",
                fires=False,
                given=(
                    Given(type="health.Medication", fields={"name": "iron"}, ended="2025-12"),
                    Given(type="health.Allergy", fields={"substance": "x"}),
                ),
            ),
        ),
        origin="pack",
        pack="health 1",
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = 1\n", "rule: The cases are missing. Add CASES = [fires(…), silent(…)] at the end."),
        ("", "rule: The cases are missing."),
        ("CASES = 5\n", "rule: line 1: CASES is not a list of at most 100 cases. Write one."),
        ("CASES = [1]\n", "rule: line 1: Not a case. Write fires(name, now, record, …, says=[…])"),
        ("CASES = [fires()]\n", "rule: line 1: Not a case. Write fires(name, now"),
        ("CASES = [fires('x', 5)]\n", "rule: line 1: A case has no time. Write date(…) or datetime(…) after its name."),
        ("CASES = [fires('x', date(2026, 1, 1), 7)]\n", "rule: line 1: Not a record. Write one such as health.Allergy"),
        ("CASES = [fires('x', date(2026, 1, 1), health.A(1))]\n", "rule: line 1: Not a record. Write one such as"),
        (
            "CASES = [fires('x', date(2026, 1, 1), health.A(**x))]\n",
            "rule: line 1: The fields of health.A are not plain.",
        ),
        ("CASES = [fires('x', date(2026, 1, 1), health.A(x=open('f')))]\n", "rule: line 1: "),
        (
            "CASES = [silent('x', date(2026, 1, 1), says=['x'])]\n",
            "rule: line 1: says is not allowed here. Only fires() takes says=[…].",
        ),
        ("CASES = [fires('x', date(2026, 1, 1), says='x')]\n", "rule: line 1: says is not a list of texts."),
        (
            "CASES = [" + "fires('x', date(2026, 1, 1))," * 101 + "]\n",
            "CASES is not a list of at most 100 cases. Write one.",
        ),
        ("CASES = [\n", "rule: "),
    ],
)
def test_a_file_with_invalid_cases_is_refused_with_the_line(text: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        parse_constraint(text, "rule", origin="person")
    assert why in str(refused.value)


def test_every_line_of_the_code_knows_its_line_in_the_file() -> None:
    text = "# a comment\n\nfrom domains import health\n\ndef rule(user, now):\n    return []\n\n\nCASES = []\n"
    assert source_lines(text) == [SourceLine("", 5), SourceLine("", 6)]
