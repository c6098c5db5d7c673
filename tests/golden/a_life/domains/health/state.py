"""The records of health."""

from .schema import Allergy

allergies: list[Allergy] = [
    Allergy(
        substance="penicillin",
        severity="severe",
    ),  # from 12
]

former_allergies: list[Allergy] = []
