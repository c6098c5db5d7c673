"""What the user and the people at the table eat, and do not eat. Allergies are health.Allergy."""


@many("what", "who")
class Diet:
    """A way of eating that somebody keeps: vegan, halal, gluten-free."""

    what: str
    who: str
    "The person as the user calls them: Sarah, my mother. The user is 'me'."
    strict: bool | None
    "False if exceptions are fine."
    reason: str | None
    "Coeliac disease, religion, ethics."
    since: date | None


@many("what", "who")
class Intolerance:
    """A food that somebody does not tolerate; an allergy is a health.Allergy."""

    what: str
    "Gluten, lactose, peanuts."
    who: str
    "The person as the user calls them; the user is 'me'."
    severity: Literal["mild", "moderate", "severe"] | None
    "Severe: anaphylaxis, trouble breathing, an emergency pen."
    reaction: str | None
    cause: str | None
    "Coeliac disease, allergy, lactose intolerance."


@many("what", "who")
class Dislike:
    """A food that somebody does not like."""

    what: str
    who: str
    "The person as the user calls them; the user is 'me'."


@event("place", "day")
class Booking:
    """Eating out: a restaurant or café, booked, only planned, or eaten at."""

    place: str
    "Its name, or what it is: The Crab Shack, the new ramen bar downtown."
    day: date
    "The day; if only a week is known, its first day."
    last_day: date | None
    "The last possible day, if the day is not fixed yet."
    at: time | None
    kind: str | None
    "Seafood restaurant, steakhouse, pizzeria."
    cuisine: str | None
    "Thai, Japanese-Thai fusion."
    dishes: list[str]
    "What it is known for, or what is to be ordered."
    who: list[str]
    "The others at the table."
    without_me: bool | None
    "True if the user does not eat there."
    occasion: str | None
    cost: Money | None
    notes: str | None


@event("what", "day")
class Meal:
    """A meal cooked or hosted at a home. Eating out is a Booking."""

    what: str
    "Sunday lunch, birthday dinner, shrimp curry."
    day: date
    at: time | None
    dishes: list[str]
    who: list[str]
    "The others who eat."
    where: str | None
    "At whose home, if not the user's."
    cost: Money | None
    notes: str | None


@many("what")
class Habit:
    """Something that the user eats or drinks regularly, or is going to."""

    what: str
    "Grapefruit juice, two espressos, a green smoothie."
    how_often: str | None
    "Every morning, twice a week."
    since: date | None
