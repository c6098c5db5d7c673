"""What is known of this user. To see records: from domains import travel."""

POSITION = 33
NOW = "2026-01-02T10:00:00+00:00"
WAITING = 1  # facts that are in no record yet
CONFLICTS = 1  # records with claims that disagree
CONSTRAINTS = 0  # functions that watch the records
ALERTS = [
    "warning: home.Meter:7 has claims of reading that disagree: 10.5 (user, 2026-01-01); 11.5 (user, 202…",
]
EMPTY = "travel.passport"

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
        "trips": "2 event (1 cancelled): city, start, cost, seat, tags, companion, leaves, meal, takes, fare, rating, paid",
    },
}
