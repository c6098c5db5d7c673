"""Calendars: what a careful reader would write down in the sessions of schedule_* and some of hard_*.

Where the suite names no zone, hours are written in UTC, like the sessions themselves.
"""

from uac_bench.scenarios.forms import Scenario, amend, put

__all__ = ["SCENARIOS"]

SCENARIOS: dict[str, Scenario] = {
    "schedule_01": Scenario(
        sessions={
            3: [
                put(
                    "calendar.Appointment",
                    what="board meeting",
                    starts="2024-09-10T14:00:00Z",
                    ends="2024-09-10T16:00:00Z",
                    repeats="weekly",
                    must=True,
                )
            ],
            10: [
                put(
                    "travel.Trip",
                    destination="Chicago",
                    departs="2025-01-21",
                    departs_at="14:30",
                    means="flight",
                    state="idea",
                )
            ],
        },
    ),
    "schedule_02": Scenario(
        sessions={
            5: [
                put(
                    "calendar.Appointment",
                    what="anniversary dinner",
                    starts="2024-11-15T19:00:00Z",
                    where="Chez Laurent",
                )
            ],
            7: [
                put(
                    "calendar.Appointment",
                    what="dinner with the college roommate",
                    starts="2024-11-15T19:30:00Z",
                    where="Steakhouse 55",
                )
            ],
        },
        argument="The text says Saturday, but 2024-11-15 is a Friday; both bookings name the date, so the date "
        "is kept. Two dinners at once are a warning: nobody is harmed, and there are five days to move one.",
    ),
    "schedule_03": Scenario(
        sessions={
            2: [
                put(
                    "calendar.Appointment",
                    what="Emma's school play",
                    starts="2024-12-12T18:00:00Z",
                    who=["Emma"],
                    must=True,
                )
            ],
            8: [
                put(
                    "travel.Trip",
                    destination="New York",
                    departs="2024-12-11",
                    returns="2024-12-13",
                    means="flight",
                    purpose="client meeting",
                    state="planned",
                )
            ],
        },
    ),
    "schedule_04": Scenario(
        sessions={
            4: [
                put(
                    "calendar.Appointment",
                    what="major service of the car at the mechanic",
                    starts="2024-11-04T08:00:00Z",
                    ends="2024-11-04T17:00:00Z",
                    needs=["car"],
                    attends=False,
                )
            ],
            6: [
                put(
                    "calendar.Appointment",
                    what="drive to the airport to pick up my parents",
                    starts="2024-11-04T14:00:00Z",
                    where="airport",
                    needs=["car"],
                )
            ],
        },
    ),
    "schedule_05": Scenario(
        sessions={
            5: [put("travel.Flight", origin="Miami", departs="2025-03-15T07:00:00-04:00")],
            9: [
                put(
                    "travel.Stay",
                    name="Fontainebleau",
                    place="Miami Beach",
                    checks_in="2025-03-12",
                    checks_out="2025-03-15",
                    checks_out_at="12:00",
                )
            ],
        },
        rubric={
            "flight": [r"Miami.*2025-03-15 at 07:00", r"7 AM"],
            "hotel": [r"Fontainebleau"],
            "leave": [r"05:00", r"5 AM"],
            "checkout": [r"12:00", r"noon"],
            "action": [r"check out earlier", r"March 14"],
        },
        argument="A flight before check-out is no conflict, as the suite's own protocol says; it is worth "
        "knowing, so it is information.",
    ),
    "schedule_06": Scenario(
        sessions={
            3: [
                put(
                    "travel.Trip",
                    destination="Costa Rica",
                    country="Costa Rica",
                    departs="2024-12-20",
                    returns="2025-01-03",
                    purpose="vacation",
                    state="booked",
                )
            ],
            7: [
                put(
                    "calendar.Appointment",
                    what="plumber fixes the upstairs bathroom",
                    starts="2024-12-27T10:00:00Z",
                    ends="2024-12-27T14:00:00Z",
                    where="home",
                )
            ],
        },
    ),
    "schedule_07": Scenario(
        sessions={
            2: [
                put(
                    "calendar.Appointment",
                    what="rehearsal dinner of Jake's wedding",
                    starts="2024-10-25T00:00:00Z",
                    all_day=True,
                    must=True,
                ),
                put(
                    "calendar.Appointment",
                    what="Jake's wedding, as a groomsman",
                    starts="2024-10-26T00:00:00Z",
                    all_day=True,
                    must=True,
                ),
                put(
                    "calendar.Appointment",
                    what="brunch after Jake's wedding",
                    starts="2024-10-27T00:00:00Z",
                    all_day=True,
                    must=True,
                ),
            ],
            6: [
                put(
                    "calendar.Appointment",
                    what="20-mile training run, the longest of the marathon plan",
                    starts="2024-10-26T00:00:00Z",
                    all_day=True,
                    must=True,
                )
            ],
        },
        argument="The user says of both that they cannot be missed, so it is critical.",
    ),
    "schedule_08": Scenario(
        sessions={
            1: [
                put(
                    "calendar.Appointment",
                    what="Airbnb guest in the spare bedroom",
                    starts="2024-11-15T00:00:00Z",
                    ends="2024-11-21T00:00:00Z",
                    all_day=True,
                    where="home",
                    needs=["spare bedroom"],
                )
            ],
            4: [
                put(
                    "calendar.Appointment",
                    what="closing of the new house",
                    starts="2024-11-10T00:00:00Z",
                    all_day=True,
                ),
                put(
                    "calendar.Appointment",
                    what="movers take everything to the new house",
                    starts="2024-11-14T00:00:00Z",
                    ends="2024-11-16T00:00:00Z",
                    all_day=True,
                    where="home",
                    needs=["house"],
                ),
            ],
        },
        argument="A warning: there are five weeks to move one of them.",
    ),
    "hard_16": Scenario(
        sessions={
            3: [
                put(
                    "calendar.Appointment",
                    what="dentist, a root canal",
                    starts="2025-10-14T14:00:00-04:00",
                    ends="2025-10-14T16:00:00-04:00",
                )
            ],
            5: [
                put(
                    "calendar.Appointment",
                    what="all-hands meeting",
                    starts="2025-10-14T13:00:00-04:00",
                    ends="2025-10-14T16:00:00-04:00",
                    must=True,
                )
            ],
        },
        rubric={
            "first": [r"dentist", r"root canal"],
            "second": [r"all-hands"],
            "day": [r"2025-10-14", r"October 14"],
            "hours": [r"14:00.*16:00", r"2 PM"],
            "action": [r"reschedule"],
        },
    ),
    "hard_18": Scenario(
        sessions={
            2: [
                put(
                    "calendar.Appointment",
                    what="Emma's swim lessons",
                    starts="2025-09-13T10:00:00Z",
                    repeats="weekly",
                    until="2025-11-01",
                    who=["Emma"],
                )
            ],
            4: [
                amend(
                    "calendar.Appointment",
                    ("Emma's swim lessons", "2025-09-13T10:00:00+00:00"),
                    until="2025-09-20",
                ),
                put(
                    "calendar.Appointment",
                    what="Emma's swim lessons",
                    starts="2025-09-28T11:00:00Z",
                    repeats="weekly",
                    until="2025-11-02",
                    who=["Emma"],
                ),
            ],
            6: [
                amend(
                    "calendar.Appointment",
                    ("Emma's swim lessons", "2025-09-28T11:00:00+00:00"),
                    until="2025-10-05",
                ),
                put(
                    "calendar.Appointment",
                    what="Emma's swim lessons",
                    starts="2025-10-11T10:00:00Z",
                    repeats="weekly",
                    until="2025-11-01",
                    who=["Emma"],
                ),
            ],
            8: [
                put(
                    "calendar.Appointment",
                    what="family outing to the pumpkin patch",
                    starts="2025-10-11T09:00:00Z",
                    ends="2025-10-11T17:00:00Z",
                    who=["Emma"],
                )
            ],
        },
        rubric={
            "lesson": [r"swim lessons"],
            "outing": [r"pumpkin patch"],
            "day": [r"2025-10-11", r"October 11"],
            "hour": [r"10:00", r"10 AM"],
            "action": [r"reschedule", r"skip"],
        },
    ),
    "hard_19": Scenario(
        sessions={
            3: [
                put(
                    "calendar.Appointment",
                    what="pick up the in-laws from the airport",
                    starts="2025-11-25T15:00:00Z",
                    where="airport",
                )
            ],
            6: [
                put(
                    "calendar.Appointment",
                    what="professional certification exam",
                    starts="2025-11-18T14:00:00Z",
                    ends="2025-11-18T17:00:00Z",
                    where="testing center",
                )
            ],
        },
        expects_silence=True,
        argument="The exam is on November 18, the arrival on November 25, the Tuesday before Thanksgiving: as "
        "the gold itself ends up saying, there is no conflict. Nothing should fire.",
    ),
}
