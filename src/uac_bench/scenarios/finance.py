"""Money: what a careful reader would write down in the sessions of finance_* and some of hard_*."""

from uac_bench.scenarios.forms import Scenario, amend, end, put

__all__ = ["SCENARIOS"]

SCENARIOS: dict[str, Scenario] = {
    "finance_01": Scenario(
        sessions={
            3: [
                put(
                    "finance.Transfer",
                    recipient="mother's contractor",
                    amount="5000 USD",
                    status="pending",
                    purpose="kitchen renovation",
                    institution="Chase",
                    last_four="4477",
                    paid_from="family trust account",
                    asked_by="mother",
                    asked_on="2024-09-05",
                )
            ],
            4: [
                put(
                    "finance.Hold",
                    account="family trust account",
                    by="father",
                    since="2024-09-06",
                    until="2024-09-30",
                    reason="he is restructuring something with the accountant",
                )
            ],
        },
    ),
    "finance_02": Scenario(
        sessions={
            1: [
                put("finance.Account", name="corporate card", kind="card"),
                put(
                    "finance.Limit",
                    covers="corporate card",
                    per="transaction",
                    amount="3000 USD",
                    exception="VP approval",
                ),
            ],
            12: [
                put(
                    "finance.PlannedPayment",
                    what="venue for the team offsite",
                    amount="4200 USD",
                    paid_from="corporate card",
                    kind="purchase",
                )
            ],
        },
    ),
    "finance_03": Scenario(
        sessions={
            5: [
                put(
                    "finance.Subscription",
                    name="Adobe Creative Cloud",
                    provider="Adobe",
                    cancelled_on="2024-08-22",
                    ends="2024-09-15",
                )
            ],
            13: [
                put(
                    "finance.Transaction",
                    payee="Adobe",
                    amount="59.99 USD",
                    on="2025-01-15",
                    account="credit card",
                    direction="out",
                )
            ],
        },
    ),
    "finance_04": Scenario(
        sessions={
            2: [put("finance.Policy", what="health insurance", ends="2024-12-31", renewal="by hand")],
            8: [
                put(
                    "travel.Trip",
                    destination="Rockies",
                    departs="2025-01-08",
                    activities=["backcountry skiing", "heli-skiing"],
                    state="booked",
                )
            ],
        },
        rubric={
            "policy": [r"health insurance"],
            "end": [r"2024-12-31", r"December 31"],
            "activity": [r"heli-?skiing", r"backcountry"],
            "day": [r"2025-01-08", r"January 8"],
            "action": [r"confirm", r"renew", r"re-?enrol"],
        },
        argument="policy_ends fires beside it, when the clock reaches the session: three days before the "
        "end, with a renewal that the user must do by hand. It is a second true alert about the same "
        "insurance.",
    ),
    "finance_05": Scenario(
        sessions={
            6: [
                put(
                    "finance.Account",
                    name="Wells Fargo checking",
                    institution="Wells Fargo",
                    kind="checking",
                    closes="2024-09-27",
                ),
                put("finance.Account", name="Schwab account", institution="Schwab"),
            ],
            9: [
                put(
                    "finance.RegularPayment",
                    what="rent",
                    amount="1500 USD",
                    every="month",
                    day=1,
                    paid_from="Wells Fargo",
                    autopay=True,
                )
            ],
        },
    ),
    "finance_06": Scenario(
        sessions={
            4: [
                put(
                    "finance.RiskPreference",
                    attitude="conservative",
                    since="2024-08-10",
                    said="no risky investments any more",
                    reason="pregnant, due in March",
                ),
                put("health.Condition", name="pregnancy", notes="due in March 2025"),
            ],
            7: [
                put(
                    "finance.PlannedPayment",
                    what="a small-cap biotech stock",
                    amount="15000 USD",
                    kind="investment",
                    described=["very volatile", "a tip from a colleague"],
                )
            ],
        },
    ),
    "finance_07": Scenario(
        sessions={
            5: [
                put(
                    "finance.Trade",
                    security="VTI",
                    side="buy",
                    on="2024-11-20",
                    shares="100",
                    account="Roth IRA",
                )
            ],
            8: [
                put(
                    "finance.Trade",
                    security="VTI",
                    side="sell",
                    planned=True,
                    gain="-3000 USD",
                    account="taxable brokerage account",
                )
            ],
        },
        rubric={
            "rule": [r"wash sale"],
            "security": [r"\bVTI\b"],
            "purchase": [r"2024-11-20", r"November 20", r"20 days"],
            "loss": [r"\$3,000"],
            "action": [r"2024-12-2[01]", r"December 2[01]", r"wait"],
        },
        argument="The 30 days after a purchase on November 20 end with December 20, so the first free day "
        "is December 21; the gold's 'at least December 20' is a day early. We say 'after 2024-12-20'.",
    ),
    "finance_08": Scenario(
        sessions={
            3: [
                put(
                    "finance.Account",
                    name="checking account",
                    kind="checking",
                    balance="2000 USD",
                    balance_on="2024-10-15",
                ),
                put("finance.Income", source="salary", next_on="2024-11-01"),
                put("finance.RegularPayment", what="rent", still_to_pay=True),
                put("finance.RegularPayment", what="utilities", still_to_pay=True),
            ],
            6: [
                put(
                    "finance.PlannedPayment",
                    what="donation for the new library",
                    amount="1500 USD",
                    payee="alma mater",
                    kind="donation",
                    on="2024-10-22",
                )
            ],
        },
        rubric={
            "balance": [r"\$2,000"],
            "gift": [r"\$1,500"],
            "rest": [r"\$500"],
            "bills": [r"rent.*utilities", r"utilities.*rent"],
            "payday": [r"2024-11-01", r"November 1"],
        },
    ),
    "hard_10": Scenario(
        sessions={
            1: [put("finance.Policy", what="auto insurance", unpaid="847 USD", grace_until="2025-06-16")],
            2: [
                put("people.Profile", lives_in="Connecticut", country="United States"),
                amend(
                    "finance.Policy",
                    "auto insurance",
                    if_lapsed="the registration is suspended, with a fine of $100 a day",
                ),
            ],
            3: [
                put(
                    "travel.Trip",
                    destination="Ohio",
                    country="United States",
                    departs="2025-06-20",
                    means="car",
                    stops=["New York", "Pennsylvania"],
                    travellers=["my 5-year-old"],
                    origin="Connecticut",
                    state="planned",
                )
            ],
        },
        rubric={
            "policy": [r"insurance"],
            "grace": [r"2025-06-16", r"June 16"],
            "trip": [r"2025-06-20", r"June 20"],
            "registration": [r"registration"],
            "action": [r"\bpay\b"],
        },
        argument="Covered: the policy that will be cancelled before the trip, and what the user said would "
        "follow. Not covered: the penalties and the child seat laws of four states, which no pack of ours "
        "has.",
    ),
    "hard_11": Scenario(
        sessions={
            1: [
                put(
                    "finance.Account",
                    name="Visa",
                    kind="card",
                    credit_limit="12000 USD",
                    balance="9847.33 USD",
                    balance_on="2025-07-01",
                    minimum_percent="2",
                    minimum_payment="35 USD",
                    autopay="minimum",
                )
            ],
            3: [
                put(
                    "finance.Subscription",
                    name="Netflix",
                    price="22.99 USD",
                    every="month",
                    paid_from="Visa",
                ),
                put("finance.Subscription", name="gym", price="79.00 USD", every="month", paid_from="Visa"),
                put(
                    "finance.Subscription",
                    name="cloud storage",
                    price="9.99 USD",
                    every="month",
                    paid_from="Visa",
                ),
                put(
                    "finance.RegularPayment",
                    what="phone bill",
                    amount="128.47 USD",
                    every="month",
                    paid_from="Visa",
                ),
                put(
                    "finance.RegularPayment",
                    what="car insurance",
                    amount="312.50 USD",
                    every="month",
                    paid_from="Visa",
                ),
                put(
                    "finance.RegularPayment",
                    what="student loan",
                    amount="487.33 USD",
                    every="month",
                    paid_from="Visa",
                ),
                amend("finance.Account", "Visa", rate="24.99"),
            ],
            5: [
                put(
                    "finance.PlannedPayment",
                    what="dental bill",
                    amount="1200 USD",
                    paid_from="Visa",
                    kind="bill",
                ),
                put(
                    "finance.PlannedPayment",
                    what="new tires",
                    amount="650 USD",
                    paid_from="Visa",
                    kind="purchase",
                ),
            ],
        },
        rubric={
            "limit": [r"\$12,000"],
            "plans": [r"1,200.*650", r"650.*1,200"],
            "recurring": [r"\$1,040\.28"],
            "payment": [r"\$196\.95"],
            "over": [r"\$74\d\.\d\d over", r"(?:exceeds|over).*\$74\d\.\d\d"],
        },
        argument="We warn and do not call it critical: nothing is lost yet, the charges are only thought "
        "of. Interest at 24.99%, compounded daily for 30 days, is $204.28; the gold's $203.01 is a rough "
        "figure.",
    ),
    "hard_12": Scenario(
        sessions={
            1: [
                put("people.Profile", age=52, age_on="2025-02-15"),
                put("finance.Income", source="salary", amount="145000 USD", every="year"),
                put("finance.RetirementPlan", name="401k", percent="8", match_percent="50", match_up_to="6"),
            ],
            4: [
                amend(
                    "finance.Income",
                    "salary",
                    amount="175000 USD",
                    since="2025-07-01",
                    earlier_amount="145000 USD",
                )
            ],
            7: [amend("finance.RetirementPlan", "401k", goal="maximum")],
        },
        rubric={
            "plan": [r"401k"],
            "limit": [r"\$31,000"],
            "catch_up": [r"catch-up"],
            "projected": [r"\$12,800"],
            "short": [r"\$18,200"],
        },
        argument="The gold's arithmetic is wrong: 8% of half of $145,000 is $5,800 (not $4,833.33) and of "
        "half of $175,000 is $7,000 (not $5,833.33). So $12,800 goes in and $18,200 is missing. It is "
        "information, no warning: the user only asked, and nothing is lost.",
    ),
    "hard_13": Scenario(
        sessions={
            1: [
                put("finance.Income", source="W-2 job", amount="192000 USD", every="year"),
                put("finance.Income", source="consulting", amount="3500 USD", every="month"),
            ],
            2: [
                put("finance.RegularPayment", what="estimated taxes", amount="2800 USD", every="quarter"),
            ],
            6: [
                put(
                    "finance.TaxReturn",
                    country="United States",
                    year=2025,
                    incomes=["W-2 job", "consulting", "year-end bonus", "long-term capital gain"],
                )
            ],
        },
        uncovered="It takes the US tax law of one year (brackets, self-employment tax, surtaxes, safe "
        "harbours) and a guess at what the employer withholds, which the user never said. The gold itself "
        "has the wrong standard deduction and surtax. A vetted pack should not estimate anybody's tax.",
    ),
    "hard_14": Scenario(
        sessions={
            1: [
                put("finance.Income", source="household, gross", amount="11450 USD", every="month"),
                put("finance.RegularPayment", what="car payment", amount="487 USD", every="month"),
                put("finance.RegularPayment", what="student loan", amount="328 USD", every="month"),
                put(
                    "finance.RegularPayment",
                    what="minimum credit card payment",
                    amount="156 USD",
                    every="month",
                ),
            ],
            3: [
                put(
                    "finance.Account",
                    name="savings for the house",
                    balance="52000 USD",
                    balance_on="2025-08-20",
                ),
                put("finance.PlannedPayment", what="closing costs", amount="8500 USD"),
            ],
            6: [put("finance.PlannedPayment", what="house", amount="385000 USD", kind="purchase")],
        },
        uncovered="No limit that the user stated is broken. With the numbers given (loan $356,500 at 6.75%, "
        "tax, HOA, debts) the ratio is 34% of income; the gold passes 36% only with its own guesses of "
        "mortgage insurance and home insurance, and 36% is one lender's rule of thumb. Underwriting is no "
        "rule for a pack.",
    ),
    "hard_15": Scenario(
        sessions={
            1: [
                put(
                    "finance.Account",
                    name="high-yield savings account",
                    kind="savings",
                    balance="8750 USD",
                    balance_on="2025-01-15",
                    rate="4.85",
                ),
                put(
                    "finance.RegularPayment",
                    what="automatic deposit on the 1st",
                    amount="400 USD",
                    every="month",
                    day=1,
                    paid_into="high-yield savings account",
                ),
                put(
                    "finance.RegularPayment",
                    what="automatic deposit on the 15th",
                    amount="250 USD",
                    every="month",
                    day=15,
                    paid_into="high-yield savings account",
                ),
            ],
            3: [
                put(
                    "finance.Account",
                    name="CD",
                    kind="deposit",
                    balance="15000 USD",
                    balance_on="2025-04-10",
                    rate="5.1",
                    matures="2025-11-01",
                    penalty_months=6,
                )
            ],
            6: [
                put(
                    "finance.SavingsGoal",
                    what="a property down payment",
                    amount="32000 USD",
                    by="2025-09-15",
                    accounts=["high-yield savings account", "CD"],
                )
            ],
        },
        rubric={
            "goal": [r"\$32,000"],
            "day": [r"2025-09-15", r"September 15"],
            "savings": [r"\$14,[23]\d\d"],
            "deposits": [r"\$5,200"],
            "penalty": [r"\$38[23]"],
            "result": [r"[Ee]ven if you break.*missing"],
        },
        argument="The gold's message counts 16 deposits of $650; its own computation finds $5,200, so the "
        "savings reach about $14,300, not $19,650. With the CD broken ($15,000 and interest less $382.50) "
        "about $29,300 is there: not enough, where the gold says that it is.",
    ),
    "hard_17": Scenario(
        sessions={
            2: [
                put(
                    "finance.Policy",
                    what="car insurance",
                    starts="2025-03-01",
                    ends="2026-02-28",
                    renewal="automatic",
                    premium="2400 USD",
                    every="year",
                )
            ],
            7: [end("finance.Policy", "car insurance", "2025-05", "the user cancelled it last month")],
            9: [
                put(
                    "finance.Policy",
                    what="car insurance",
                    starts="2025-09-01",
                    ends=None,
                    renewal=None,
                    premium=None,
                    every=None,
                )
            ],
            11: [
                put(
                    "travel.Trip",
                    destination="Vermont",
                    country="United States",
                    departs="2025-08-28",
                    means="car",
                    origin="New Jersey",
                    purpose="wedding of the college roommate",
                    state="planned",
                )
            ],
        },
        rubric={
            "policy": [r"car insurance"],
            "start": [r"2025-09-01", r"September 1"],
            "drive": [r"Vermont"],
            "day": [r"2025-08-28", r"August 28"],
            "action": [r"start earlier", r"earlier.*temporary", r"temporary"],
        },
    ),
}
