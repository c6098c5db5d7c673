"""The records of people."""

from datetime import date

from .schema import Person

persons: list[Person] = [
    Person(
        name="Maria López",
        born=date(1990, 2, 3),
    ),  # from 3
]

former_persons: list[Person] = []
