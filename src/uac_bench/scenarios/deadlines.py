"""Deadlines: what a careful reader would write down in the sessions of deadline_* and some of hard_*."""

from uac_bench.scenarios.forms import Scenario, amend, put

__all__ = ["SCENARIOS"]

SCENARIOS: dict[str, Scenario] = {
    "deadline_01": Scenario(
        sessions={
            3: [
                put(
                    "household.Warranty",
                    item="LG refrigerator",
                    bought="2024-01-10",
                    ends="2025-01-10",
                    problem="a clicking noise",
                    problem_since="2024-06-15",
                )
            ],
        },
        rubric={
            "thing": [r"LG refrigerator"],
            "end": [r"2025-01-10", r"January 10"],
            "left": [r"21 days"],
            "problem": [r"clicking"],
            "action": [r"claim", r"report"],
        },
    ),
    "deadline_02": Scenario(
        sessions={
            1: [
                put(
                    "finance.TaxReturn",
                    country="United States",
                    year=2024,
                    incomes=["W-2 job", "freelance work", "stock sales"],
                )
            ],
        },
        rubric={
            "what": [r"tax return"],
            "due": [r"2025-04-15", r"April 15"],
            "left": [r"14 days"],
            "incomes": [r"freelanc", r"stock"],
            "action": [r"4868", r"extension", r"[Ff]ile"],
        },
        argument="The deadline comes from a table of filing dates; a W-2 job and a CPA mean US taxes. Two "
        "weeks before it, of a return that may well be filed, it is a warning; it is critical in the last "
        "week.",
    ),
    "deadline_03": Scenario(
        sessions={
            4: [
                put(
                    "household.Lease",
                    what="apartment",
                    ends="2025-01-31",
                    notice_days=60,
                    plans="to negotiate a renewal",
                    otherwise="it runs on monthly and costs more",
                )
            ],
        },
    ),
    "deadline_04": Scenario(
        sessions={
            6: [
                put(
                    "finance.Subscription",
                    name="gym membership",
                    price="600 USD",
                    every="year",
                    renews="2024-11-01",
                    notice_days=30,
                    wants_to_cancel=True,
                )
            ],
        },
        rubric={
            "what": [r"gym membership"],
            "price": [r"\$600"],
            "renewal": [r"2024-11-01", r"November 1"],
            "notice": [r"30 days"],
            "last": [r"2024-10-02", r"October 2"],
            "action": [r"cancel"],
        },
        argument="Thirty days before November 1 is October 2; the gold's October 1 is a day early. So four "
        "days are left, not three.",
    ),
    "deadline_05": Scenario(
        sessions={
            5: [
                put(
                    "household.Purchase",
                    item="espresso machine",
                    bought="2024-10-02",
                    shop="Williams-Sonoma",
                    price="400 USD",
                    return_days=30,
                    doubts="the milk frother is weak",
                )
            ],
        },
    ),
    "deadline_06": Scenario(
        sessions={
            2: [put("travel.Document", holder="me", what="driving licence", expires="2024-12-15")],
            11: [
                put(
                    "travel.Trip",
                    destination="Las Vegas",
                    country="United States",
                    departs="2024-12-20",
                    means="car",
                    origin="Los Angeles",
                    travellers=["some friends"],
                    purpose="holiday road trip",
                    state="planned",
                )
            ],
        },
        rubric={
            "paper": [r"driv\w+'?s? licen[cs]e"],
            "end": [r"2024-12-15", r"December 15"],
            "trip": [r"Vegas"],
            "day": [r"2024-12-20", r"December 20"],
            "action": [r"[Rr]enew"],
        },
    ),
    "deadline_07": Scenario(
        sessions={
            4: [
                put(
                    "calendar.Deadline",
                    what="home inspection contingency: have the inspection done and respond",
                    due="2024-11-09",
                    consequence="the right to back out is waived",
                )
            ],
            5: [
                put(
                    "calendar.Appointment",
                    what="home inspection",
                    starts="2024-11-07T00:00:00Z",
                    all_day=True,
                )
            ],
        },
        argument="A week before a deadline it is a warning, on the last two days critical: the calendar "
        "pack's steps for all deadlines. That the inspector comes two days before it is in no rule of ours.",
    ),
    "deadline_08": Scenario(
        sessions={
            1: [
                put(
                    "finance.Account",
                    name="Chase Sapphire",
                    institution="Chase",
                    kind="card",
                    balance="8000 USD",
                    balance_on="2024-04-10",
                    promo_rate="0",
                    promo_from="2024-04-10",
                    promo_until="2025-07-10",
                )
            ],
        },
        rubric={
            "card": [r"Chase Sapphire"],
            "rate": [r"0%"],
            "end": [r"2025-07", r"July"],
            "owed": [r"\$8,000"],
            "pace": [r"\$1,000(?:\.00)? a month", r"8 months"],
        },
        argument="Eight months ahead we give information, not a warning: it is said once, at half of the "
        "promotional time, and becomes a warning in the last 60 days. The balance of today is not known, so "
        "the message says which day's balance it counts with.",
    ),
    "hard_02": Scenario(
        sessions={
            2: [
                put(
                    "household.Lease",
                    what="home",
                    answer_by="2025-12-02",
                    otherwise="the below-market rate is lost",
                )
            ],
            4: [
                put(
                    "calendar.Appointment",
                    what="vacation (PTO)",
                    starts="2025-12-22T00:00:00Z",
                    ends="2026-01-03T00:00:00Z",
                    all_day=True,
                ),
                amend("household.Lease", "home", acts_on="2026-01-05"),
            ],
        },
        rubric={
            "last": [r"2025-12-02", r"December 2"],
            "plan": [r"2026-01-0\d", r"January"],
            "late": [r"after that day", r"too late"],
            "loss": [r"below-market rate"],
            "action": [r"before that day", r"respond", r"notice"],
        },
        argument="Thirty business days after October 20, without Thanksgiving, end on December 2 (on "
        "December 3 if another holiday is left out); the gold's December 1 counts no holiday. The earlier "
        "of the two is the safe one.",
    ),
    "hard_08": Scenario(
        sessions={
            1: [
                put(
                    "household.Lease",
                    what="apartment in Boston",
                    ends="2025-10-31",
                    otherwise="new tenants move in on November 1",
                )
            ],
            2: [
                put(
                    "calendar.Appointment",
                    what="first day of the new job (group onboarding)",
                    starts="2025-11-03T00:00:00-06:00",
                    all_day=True,
                    where="Austin",
                    must=True,
                )
            ],
            3: [
                put(
                    "calendar.Deadline",
                    what="submit Emma's enrollment paperwork at her new school in Austin, in person",
                    due="2025-11-10",
                    notice_days=5,
                    working_days=True,
                )
            ],
            4: [put("household.Pet", name="Max", kind="dog", certificate_until="2025-10-15")],
            7: [
                put(
                    "travel.Trip",
                    destination="Austin",
                    country="United States",
                    departs="2025-10-28",
                    returns=None,
                    means="car",
                    origin="Boston",
                    travellers=["Emma", "Max"],
                    purpose="moving to Austin with a truck",
                    state="booked",
                )
            ],
        },
        rubric={
            "pet": [r"\bMax\b"],
            "paper": [r"certificate"],
            "end": [r"2025-10-15", r"October 15"],
            "trip": [r"2025-10-28", r"October 28", r"2025-10-30"],
            "action": [r"new certificate", r"renew"],
        },
        argument="Of the gold's four points two are no problem by its own words ('feasible', 'possible'). "
        "The paperwork is due at least five working days before November 10, so by November 3 and also on "
        "October 31, a Friday, when the family is in Austin: nobody must be in two places. What is wrong is "
        "the dog's certificate, which ends before the move.",
    ),
    "hard_09": Scenario(
        sessions={
            1: [
                put("calendar.Deadline", what="mortgage pre-approval ends", due="2025-06-30"),
                put("calendar.Deadline", what="mortgage rate lock at 6.25% ends", due="2025-05-31"),
            ],
            3: [
                put(
                    "calendar.Deadline",
                    what="home inspection contingency: have the house inspected",
                    due="2025-05-07",
                )
            ],
        },
        rubric={
            "what": [r"inspection"],
            "due": [r"2025-05-07", r"May 7"],
            "left": [r"6 days"],
            "appraisal": [r"appraisal"],
        },
        argument="Missed: deadline_near tells of the inspection as it should, but nothing tells that the "
        "appraisal is late. It is due three business days after the contract is executed, and no day of "
        "execution is said (the acceptance is on a Sunday), so it gets no date. Counted from the acceptance "
        "it would be an alert on April 20 itself, right in life and early for the suite. The other dates "
        "are kept and come up in time.",
    ),
}
