"""Allergies, medicines, conditions, measurements and visits of the user and of others; workouts of the user."""


@many("substance", "person")
class Allergy:
    """What somebody reacts to: a medicine, a food, an insect, a material."""

    substance: str
    "As the user calls it: penicillin, shellfish, latex."
    person: str | None
    "Whose, if not the user's: the name, the same each time."
    severity: Literal["mild", "moderate", "severe"] | None
    "Severe: anaphylaxis, trouble breathing, an emergency pen."
    reaction: str | None
    "What happened: hives, anaphylaxis."
    drug_class: str | None
    "The class of the medicine, if it was said: penicillin, NSAID."
    since: date | None
    notes: str | None


@many("name", "person")
class Medication:
    """A medicine or supplement that somebody takes or will; ended when stopped."""

    name: str
    "A brand or an ingredient, as the user says it: Tylenol, sertraline, vitamin D3."
    person: str | None
    "Who takes it, if not the user."
    dose: str | None
    "How much at one time, with its unit: 500 mg."
    times_per_day: float | None
    frequency: str | None
    "In words: twice daily, every 6 hours as needed, once a week."
    prescriber: str | None
    "Who prescribed it: a name, or dentist, urgent care doctor."
    started: date | None
    "When it was begun or will be."
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


@many("name", "person")
class Condition:
    """An illness or a state of the body: asthma, atrial fibrillation, pregnancy."""

    name: str
    person: str | None
    "Whose, if not the user's."
    since: date | None
    "When it began or was found."
    ends: date | None
    "When it will be over, such as the date a child is due."
    severity: Literal["mild", "moderate", "severe"] | None
    controlled: bool | None
    "Whether it is well controlled at present; false if it is acting up."
    past: bool | None
    "True if it was had once and is no more."
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
class Workout:
    """A run, swim, ride, class or training session that was done or is planned."""

    what: str
    "run, swim, morning ride, leg day."
    day: date
    at: time | None
    lasts: timedelta | None
    distance: float | None
    unit: str | None
    "Of the distance: km, miles, m."
    where: str | None
    who: list[str]
    "The others who took part."
    notes: str | None


@event("what", "day", "person")
class Measurement:
    """A value measured on one day: weight, blood pressure (two records), INR, cholesterol."""

    what: str
    "Weight, height, INR, systolic blood pressure."
    day: date
    person: str | None
    "Whose, if not the user's."
    value: float
    unit: str | None
    "As it was said: kg, lb, mmHg, mg/dL."
    notes: str | None


@event("what", "day", "person")
class Visit:
    """A visit to a doctor, a hospital or a clinic that took place or will."""

    what: str
    "Annual physical, root canal, MRI of the knee."
    day: date
    person: str | None
    "Whose, if not the user's."
    at: time | None
    doctor: str | None
    outcome: str | None
    next_due: date | None
    "When the next one of this kind is due."
    cost: Money | None
    notes: str | None


@event("vaccine", "day", "person")
class Vaccination:
    """A vaccine that somebody was given, or a dose that is booked."""

    vaccine: str
    "Tetanus, influenza, hepatitis A. Without the number of the dose."
    day: date
    person: str | None
    "Who gets it, if not the user."
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
