"""What is known of this user, for compute: [r.city for r in travel.trips if r.cost]."""

POSITION = 33
NOW = "2026-01-02T10:00:00+00:00"
WAITING = 1  # facts that are in no record yet
CONFLICTS = 1  # records with claims that disagree
ALERTS = [
    "warning: home.Meter:7 has claims of reading that disagree: 10.5 (user, 2026-01-01); 11.5 (user, 202…",
]

# trips 3 (former_trips 1 cancelled): fields. x?: may be None; no type: str; …: fields without a value (read the
# domain to see all). end_of(r): how a former one ended; history(r, 'x'): values over time.
RECORDS = {
    "health": "allergies 1: substance, severity?",
    "home": "meters 1: number: int, reading: Decimal",
    "people": "persons 1: name, born?: date",
    "travel": "trips 1 (former_trips 1 cancelled): city, start: date, cost?: Money EUR, seat?: 'window'|'aisle', tags: list[str], companion?: people.Person, leaves?: datetime, meal?: time, takes?: timedelta, fare?: 'a very long fare name'|'another very long fare name'|'a third one', rating?: float, paid: bool",
}
EMPTY = "travel.passport"
