"""What is known of this user. To see records: from domains import travel."""

POSITION = 28
NOW = None
WAITING = 1  # facts that are in no record yet
CONFLICTS = 1  # records with claims that disagree

DOMAINS = {
    "health": {  # facts: 1 in records, 0 set aside
        "allergies": "1 many: substance, severity",
    },
    "home": {  # facts: 2 in records, 0 set aside
        "meters": "1 many: number, reading",
    },
    "people": {  # facts: 1 in records, 0 set aside
        "persons": "1 many: name, born",
    },
    "travel": {  # facts: 3 in records, 1 set aside
        "passport": "0 one: number, expires",
        "trips": "2 event: city, start, cost, seat, tags, companion, leaves, meal, takes, fare, rating, paid",
    },
}
