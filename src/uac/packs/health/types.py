"""Allergies, medicines, conditions, activities, measurements, visits: the user's own, not those of others."""


@many("substance")
class Allergy:
    """Something the user reacts to: a medicine, a food, an insect, a material."""

    substance: str
    "As the user calls it: penicillin, shellfish, latex."
    severity: Literal["mild", "moderate", "severe"] | None
    "Severe: anaphylaxis, trouble breathing, an emergency pen."
    reaction: str | None
    "What happened: hives, anaphylaxis."
    drug_class: str | None
    "The class of the medicine, if it was said: penicillin, NSAID."
    since: date | None
    notes: str | None


@many("name")
class Medication:
    """A medicine or a supplement that the user takes or is about to take; one that was stopped is ended."""

    name: str
    "A brand or an ingredient, as the user says it: Tylenol, sertraline, vitamin D3."
    dose: str | None
    "How much at one time, with its unit: 500 mg."
    times_per_day: float | None
    frequency: str | None
    "In words: twice daily, every 6 hours as needed, once a week."
    prescriber: str | None
    "Who prescribed it: a name, or dentist, urgent care doctor."
    started: date | None
    "When the user began or will begin."
    ends: date | None
    "The last day of a course."
    drug_class: str | None
    "If it was said: SSRI, beta blocker."
    purpose: str | None
    "What it is taken for."
    ingredients: list[str]
    "Of a product that has several, if they were said."
    form: str | None
    "Tablet, cream, eye drops, inhaler."
    supply_from: date | None
    "The first day on which the supply in hand is used: mostly the day it was picked up."
    supply_days: int | None
    "How many days the supply lasts, counted from supply_from."
    refills: int | None
    "How many more times the pharmacy may fill this prescription after the supply in hand; 0 is none."
    auto_refill: bool | None
    "The pharmacy fills it again by itself when the supply is used up."
    notes: str | None


@many("name")
class Condition:
    """An illness or a state of the body: asthma, atrial fibrillation, pregnancy."""

    name: str
    since: date | None
    "When it began or was found."
    ends: date | None
    "When it will be over, such as the date a child is due."
    severity: Literal["mild", "moderate", "severe"] | None
    controlled: bool | None
    "Whether it is well controlled at present; false if it is acting up."
    past: bool | None
    "True if the user had it once and has it no more."
    treated_by: str | None
    notes: str | None


@many("what")
class Activity:
    """A sport or another strain on the body that the user does or plans, unless it is part of a trip."""

    what: str
    "Scuba diving course, running, hot yoga."
    starts: date | None
    ends: date | None
    how_often: str | None
    where: str | None


@event("what", "day")
class Measurement:
    """A value measured on one day: weight, blood pressure (two records), INR, cholesterol."""

    what: str
    "Weight, height, INR, systolic blood pressure."
    day: date
    value: float
    unit: str | None
    "As it was said: kg, lb, mmHg, mg/dL."
    notes: str | None


@event("what", "day")
class Visit:
    """A visit to a doctor, a hospital or a clinic that took place or will."""

    what: str
    "Annual physical, root canal, MRI of the knee."
    day: date
    at: time | None
    doctor: str | None
    outcome: str | None
    next_due: date | None
    "When the next one of this kind is due."


@event("vaccine", "day")
class Vaccination:
    """A vaccine that the user was given."""

    vaccine: str
    "Tetanus, influenza, hepatitis A."
    day: date
    next_due: date | None
    "When the next dose is due, as the doctor or the card says."


@one
class Profile:
    """What an emergency doctor would ask first."""

    born: date | None
    sex: str | None
    blood_type: str | None
    doctor: str | None
    "The family doctor."
    emergency_contact: str | None
    "Name, relation, telephone."
