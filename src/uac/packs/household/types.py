"""Things of the house: purchases, suppliers, warranties, leases, meters, vehicles, fuel, pets and plants."""


@event("item", "bought")
class Purchase:
    """Something that was bought. What went back is ended."""

    item: str
    bought: date | None
    shop: str | None
    price: Money | None
    return_days: int | None
    "How many days after the purchase the shop takes it back."
    return_until: date | None
    "The last day to return it, if the shop named a date."
    doubts: str | None
    "What the user does not like about it."
    keeps: bool | None
    "True once the user has decided to keep it, False to give it back."
    for_whom: str | None
    "Who it is for, if not the user."
    age_from: int | None
    "The least age in years that is printed on it."
    project: str | None
    "What it is for: the kitchen, the garden shed."
    delivered: date | None
    "The day on which it came or is to come."
    returned_on: date | None
    notes: str | None


@many("name")
class Supplier:
    """A firm or tradesperson that the user buys from or hires."""

    name: str
    supplies: str | None
    "flour, roof repairs, bookkeeping…"
    contact: str | None
    "Person, telephone, email."
    price: Money | None
    per: str | None
    "What the price is for: hour, kg, job."
    since: date | None
    notes: str | None


@event("meter", "day")
class MeterReading:
    """What a meter showed: electricity, gas, water, heating."""

    meter: str
    day: date
    value: Decimal
    unit: str | None
    "kWh, m3…"
    notes: str | None


@many("item")
class Warranty:
    """Until when a maker or a shop repairs a thing."""

    item: str
    bought: date | None
    ends: date
    "The last day of it."
    by: str | None
    "Who gives it: the maker, a shop, an insurer."
    problem: str | None
    "What is wrong with the thing, as long as it is not repaired."
    problem_since: date | None
    claimed_on: date | None
    "When the user reported the problem."


@many("what")
class Lease:
    """A rented home, car or other thing with an end."""

    what: str
    "apartment, house in Boston, car…"
    landlord: str | None
    starts: date | None
    ends: date | None
    "The last day of it."
    notice_days: int | None
    "How many days before the end the landlord must know what the user wants."
    answer_by: date | None
    "The last day to answer an offer or to give notice, if a date was named."
    plans: str | None
    "What the user wants: to negotiate, to move out."
    acts_on: date | None
    "When the user means to see to it."
    otherwise: str | None
    "What happens if nobody says anything."
    answered_on: date | None
    rent: Money | None


@many("name")
class Vehicle:
    """A car, motorcycle, bicycle or boat of the household."""

    name: str
    "As the user calls it: 'the Accord', 'my car'."
    make: str | None
    model: str | None
    year: int | None
    color: str | None
    plate: str | None
    vin: str | None
    mileage: int | None
    registered_until: date | None
    inspected_until: date | None
    "The last day of the safety or emissions inspection."


@event("vehicle", "day")
class Service:
    """A service, repair or inspection of a vehicle that is due or booked."""

    vehicle: str
    day: date
    what: str | None
    at: time | None
    shop: str | None
    last_day: date | None
    "The day on which the vehicle is back, if it is another one."
    booked: bool | None
    mileage: int | None
    "At which mileage it is due."


@event("day", "vehicle")
class FillUp:
    """Fuel or a charge for a vehicle."""

    day: date
    vehicle: str | None
    "Which, if there are several."
    cost: Money | None
    amount: float | None
    unit: str | None
    "litres, gallons, kWh."
    mileage: int | None
    station: str | None
    notes: str | None


@many("name")
class Pet:
    """An animal of the household."""

    name: str
    kind: str
    "dog, cat, rabbit…"
    breed: str | None
    born: date | None
    weight_kg: float | None
    eats: list[str]
    "What it is given, or is about to be given."
    reaches: list[str]
    "Other things within its reach that may harm it: rat bait, open medicine."
    certificate_until: date | None
    "The last day of its health certificate or other papers for travel."
    notes: str | None


@many("name")
class Plant:
    """A plant or cut flowers in the house or garden, or about to be."""

    name: str
    where: str | None
