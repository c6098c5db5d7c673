"""What is known of this user. Load a domain to see its records: from domains import travel."""

POSITION = 28
NOW = None
WAITING = 1  # facts that are in no record yet
CONFLICTS = 1  # records with claims that disagree

DOMAINS = {
    "health": {
        "allergies": "1 many: substance, severity",
    },
    "home": {
        "meters": "1 many: number, reading",
    },
    "people": {
        "persons": "1 many: name, born",
    },
    "travel": {
        "passport": "0 one: number, expires",
        "trips": "2 event: city, start, cost, seat, tags, companion, leaves, meal, takes, fare, rating, paid",
    },
}

COVERAGE = {
    "health": (1, 0),  # facts in records, set aside
    "home": (2, 0),  # facts in records, set aside
    "people": (1, 0),  # facts in records, set aside
    "travel": (3, 1),  # facts in records, set aside
}
