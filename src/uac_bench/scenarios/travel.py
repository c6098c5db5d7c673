"""Travel papers: what a careful reader would write down in the sessions of travel_* and some of hard_*."""

from uac_bench.scenarios.forms import Scenario, put

__all__ = ["SCENARIOS"]

SCENARIOS: dict[str, Scenario] = {
    "travel_01": Scenario(
        sessions={
            1: [put("travel.Passport", holder="me", expires="2025-03-05")],
            5: [
                put(
                    "travel.Trip",
                    destination="Tokyo",
                    country="Japan",
                    departs="2025-02-20",
                    returns="2025-03-01",
                    means="flight",
                    international=True,
                    state="booked",
                )
            ],
        },
        rubric={
            "paper": [r"passport"],
            "end": [r"2025-03-05", r"March 5"],
            "left": [r"13 days"],
            "trip": [r"Tokyo", r"Japan"],
            "day": [r"2025-02-20", r"February 20"],
            "reserve": [r"six months", r"6 months", r"180 days"],
            "action": [r"renew"],
        },
        argument="Japan asks for validity through the stay, not for six months; the message says so, and why "
        "13 days are still too few to rely on.",
    ),
    "travel_02": Scenario(
        sessions={
            2: [put("travel.Passport", holder="me", country="Canada")],
            8: [
                put(
                    "travel.Trip",
                    destination="Bangkok",
                    country="Thailand",
                    departs="2025-04-05",
                    means="flight",
                    stops=["Beijing"],
                    layover_hours=14.0,
                    state="idea",
                )
            ],
        },
        rubric={
            "stop": [r"Beijing"],
            "length": [r"14[- ]hour", r"14 hours"],
            "paper": [r"visa"],
            "nationality": [r"Canad"],
            "exception": [r"24.*hours.*without a visa", r"visa-free"],
            "consequence": [r"refused boarding", r"denied boarding"],
        },
        argument="A warning to check, not critical: 14 hours fit into the transit without visa that the gold "
        "itself names (of 240 hours since December 2024, no longer 144).",
    ),
    "travel_03": Scenario(
        sessions={
            3: [
                put(
                    "travel.Visa",
                    holder="me",
                    country="Schengen area",
                    entries="single",
                    valid_from="2024-10-01",
                    valid_until="2024-12-31",
                )
            ],
            6: [
                put(
                    "travel.Trip",
                    destination="Paris",
                    country="France",
                    departs="2024-10-29",
                    returns="2024-11-05",
                )
            ],
            10: [
                put(
                    "travel.Trip",
                    destination="Berlin",
                    country="Germany",
                    departs="2024-12-28",
                    returns="2025-01-02",
                    purpose="New Year's Eve",
                    state="idea",
                )
            ],
        },
        argument="visa_window fires too and is right: the trip ends two days after the visa does, which the "
        "gold does not see.",
    ),
    "travel_04": Scenario(
        sessions={
            1: [put("travel.Passport", holder="Lily", name="Lily Chen")],
            4: [put("travel.Profile", name="Sarah Anderson")],
            12: [
                put(
                    "travel.Trip",
                    destination="Mexico",
                    country="Mexico",
                    departs="2025-03-10",
                    travellers=["Tom", "Lily Anderson"],
                    state="booked",
                )
            ],
        },
        rubric={
            "passport": [r"Lily Chen"],
            "ticket": [r"Lily Anderson"],
            "trip": [r"Mexico"],
            "rule": [r"name on the ticket", r"match"],
            "action": [r"changed to Lily Chen", r"reissued"],
        },
    ),
    "travel_05": Scenario(
        sessions={
            2: [put("travel.Passport", holder="me", blank_pages=1)],
            9: [
                put(
                    "travel.Trip",
                    destination="India",
                    country="India",
                    departs="2025-02-15",
                    means="flight",
                    international=True,
                    purpose="a friend's wedding",
                    state="planned",
                )
            ],
        },
        rubric={
            "left": [r"\b1 blank page"],
            "rule": [r"India (?:requires|asks for).*2 blank pages"],
            "day": [r"2025-02-15", r"February 15"],
            "action": [r"renew"],
        },
    ),
    "travel_06": Scenario(
        sessions={
            3: [
                put(
                    "travel.Document",
                    holder="me",
                    what="EU Digital COVID Certificate",
                    issued="2024-06-10",
                    expires="2025-03-07",
                )
            ],
            11: [
                put(
                    "travel.Trip",
                    destination="a country that checks COVID certificates",
                    departs="2025-03-15",
                    international=True,
                    needs=["COVID certificate"],
                    state="idea",
                )
            ],
        },
        rubric={
            "paper": [r"COVID Certificate"],
            "end": [r"2025-03-07", r"March 7"],
            "day": [r"2025-03-15", r"March 15"],
            "gap": [r"8 days"],
            "action": [r"renew", r"new (?:booster|certificate)"],
        },
    ),
    "travel_07": Scenario(
        sessions={
            4: [
                put(
                    "travel.Visa",
                    holder="me",
                    country="Australia",
                    valid_from="2024-12-01",
                    valid_until="2025-05-31",
                )
            ],
            7: [
                put(
                    "travel.Trip",
                    destination="Sydney",
                    country="Australia",
                    departs="2024-11-25",
                    means="flight",
                    state="idea",
                )
            ],
        },
    ),
    "travel_08": Scenario(
        sessions={
            1: [
                put(
                    "travel.Trip",
                    destination="France",
                    country="France",
                    stops=["Italy", "Spain"],
                    departs="2024-04-15",
                    returns="2024-06-01",
                )
            ],
            5: [
                put(
                    "travel.Trip",
                    destination="Germany",
                    country="Germany",
                    stops=["Netherlands"],
                    departs="2024-07-01",
                    returns="2024-07-20",
                )
            ],
            9: [
                put(
                    "travel.Trip",
                    destination="Portugal",
                    country="Portugal",
                    departs="2024-09-05",
                    returns="2024-09-25",
                    state="idea",
                )
            ],
        },
        rubric={
            "rule": [r"90 days in any 180"],
            "days": [r"\b89 days"],
            "trip": [r"Portugal"],
            "earlier": [r"2024-04-15.*2024-06-01.*2024-07-01.*2024-07-20"],
            "reserve": [r"1 days? of reserve", r"1 days? left"],
        },
        argument="By the user's dates, both ends counted, the trips had 48 and 20 days, not 45 and 30; with 21 "
        "more they make 89 of 90. So nothing is exceeded: the right alert is a warning that one day of "
        "reserve is left.",
    ),
    "hard_01": Scenario(
        sessions={
            1: [put("travel.Passport", holder="me", expires="2026-07-23")],
            3: [
                put(
                    "travel.Trip",
                    destination="Tokyo",
                    country="Japan",
                    origin="Los Angeles",
                    departs="2026-01-24",
                    departs_at="23:30",
                    means="flight",
                    stops=["Beijing"],
                    international=True,
                    state="planned",
                ),
                put(
                    "travel.Flight",
                    origin="Los Angeles",
                    destination="Beijing",
                    departs="2026-01-24T23:30:00-08:00",
                    arrives="2026-01-26T05:30:00+08:00",
                ),
                put(
                    "travel.Flight",
                    origin="Beijing",
                    destination="Tokyo",
                    departs="2026-01-27T09:00:00+08:00",
                ),
            ],
        },
        rubric={
            "end": [r"2026-07-23", r"July 23"],
            "entry": [r"2026-01-26", r"January 26"],
            "rule": [r"China (?:requires|asks).*6 months", r"China (?:requires|asks).*180 days"],
            "needed": [r"2026-07-26", r"July 26"],
            "short": [r"3 days (?:longer|short)"],
            "action": [r"renew"],
        },
        argument="Six months after January 26 end on July 26, three days after the passport does; the gold "
        "counts 180 days. Japan asks for validity through the stay only, so nothing is said of Tokyo. A "
        "warning: China asks less of a transit without visa, so the airline may confirm that it will do.",
    ),
    "hard_04": Scenario(
        sessions={
            2: [
                put(
                    "calendar.Deadline",
                    what="e-filing the amended tax return",
                    due="2026-04-15",
                    due_at="23:59",
                    zone="Eastern Time",
                )
            ],
            6: [
                put(
                    "travel.Trip",
                    destination="Tokyo",
                    departs="2026-04-13",
                    returns="2026-04-19",
                    means="flight",
                    purpose="tech conference",
                    state="booked",
                )
            ],
        },
        rubric={
            "what": [r"amended tax return"],
            "due": [r"2026-04-15.*23:59 Eastern", r"April 15.*11:59 PM E"],
            "trip": [r"Tokyo"],
            "there": [r"2026-04-16 12:59", r"12:59 PM"],
            "shift": [r"13[- ]hour"],
            "action": [r"before you leave"],
        },
    ),
    "hard_05": Scenario(
        sessions={
            1: [
                put("travel.Profile", citizenships=["United States"]),
                put(
                    "travel.Trip",
                    destination="UK",
                    country="United Kingdom",
                    departs="2025-01-05",
                    returns="2025-02-15",
                    purpose="work",
                ),
                put(
                    "travel.Trip",
                    destination="UK",
                    country="United Kingdom",
                    departs="2025-03-20",
                    returns="2025-04-28",
                    purpose="work",
                ),
                put(
                    "travel.Trip",
                    destination="UK",
                    country="United Kingdom",
                    departs="2025-06-01",
                    returns="2025-06-25",
                    purpose="work",
                ),
            ],
            7: [
                put(
                    "travel.Trip",
                    destination="London",
                    country="United Kingdom",
                    departs="2025-10-01",
                    returns="2025-12-31",
                    purpose="another project",
                    state="idea",
                )
            ],
        },
        rubric={
            "rule": [r"180 days in any 12 months", r"180[- ]day"],
            "trip": [r"London"],
            "length": [r"92 days"],
            "total": [r"199 days"],
            "over": [r"\b19 days"],
            "latest": [r"2025-12-12", r"December 12"],
        },
    ),
}
