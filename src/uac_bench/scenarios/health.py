"""Health: what a careful reader would write down in each session of health_*, hard_03, hard_06, hard_07 and hard_20."""

from uac_bench.scenarios.forms import Scenario, put

__all__ = ["SCENARIOS"]

SCENARIOS: dict[str, Scenario] = {
    "health_01": Scenario(
        sessions={
            2: [put("health.Medication", name="phenelzine", prescriber="psychiatrist", purpose="depression")],
            14: [
                put(
                    "health.Medication",
                    name="sertraline (Zoloft)",
                    prescriber="a different doctor, while traveling",
                    purpose="anxiety",
                )
            ],
        },
        rubric={
            "new": [r"sertraline", r"Zoloft"],
            "old": [r"phenelzine"],
            "danger": [r"serotonin syndrome"],
            "gap": [r"14[- ]days?"],
            "action": [r"psychiatrist", r"ask", r"contact"],
        },
    ),
    "health_02": Scenario(
        sessions={
            1: [put("health.Allergy", substance="penicillin", reaction="hives")],
            11: [
                put(
                    "health.Medication",
                    name="amoxicillin",
                    prescriber="urgent care doctor",
                    purpose="sinus infection",
                    started="2025-01-08",
                )
            ],
        },
        rubric={
            "drug": [r"amoxicillin"],
            "class": [r"is a penicillin", r"penicillin-type"],
            "allergy": [r"allergy to penicillin", r"penicillin allergy"],
            "reaction": [r"hives"],
            "action": [r"do not take"],
            "alternative": [r"alternative"],
        },
    ),
    "health_03": Scenario(
        sessions={
            3: [
                put(
                    "health.Medication",
                    name="simvastatin",
                    dose="40 mg",
                    frequency="daily",
                    prescriber="doctor",
                    purpose="cholesterol",
                )
            ],
            15: [put("food.Habit", what="fresh grapefruit juice", how_often="every morning")],
        },
        rubric={
            "food": [r"grapefruit"],
            "drug": [r"simvastatin"],
            "level": [r"level", r"CYP3A4"],
            "danger": [r"muscle", r"rhabdomyolysis"],
            "action": [r"avoid", r"leave .*out"],
            "alternative": [r"rosuvastatin", r"pravastatin"],
        },
    ),
    "health_04": Scenario(
        sessions={
            1: [
                put("health.Allergy", substance="shellfish", severity="severe", reaction="anaphylaxis, from shrimp"),
                put("health.Medication", name="EpiPen", frequency="as needed"),
            ],
            7: [
                put(
                    "food.Booking",
                    place="The Crab Shack",
                    day="2024-10-28",
                    last_day="2024-11-03",
                    kind="seafood restaurant",
                    who=["wife"],
                    occasion="wife's birthday",
                )
            ],
        },
        rubric={
            "allergy": [r"shellfish"],
            "severity": [r"severe"],
            "reaction": [r"anaphyla"],
            "place": [r"Crab Shack"],
            "traces": [r"cross-contamination", r"traces"],
            "action": [r"choose another", r"call(ing)? ahead", r"speak with the kitchen"],
            "pen": [r"EpiPen"],
        },
    ),
    "health_05": Scenario(
        sessions={
            2: [
                put("health.Visit", what="annual physical", day="2024-09-01"),
                put("health.Measurement", what="weight", day="2024-09-01", value=52, unit="kg"),
            ],
            6: [
                put(
                    "health.Medication",
                    name="ibuprofen",
                    dose="800 mg",
                    times_per_day=3,
                    frequency="three times a day",
                    prescriber="dentist",
                    purpose="toothache",
                )
            ],
        },
        rubric={
            "drug": [r"ibuprofen"],
            "dose": [r"800 ?mg"],
            "day": [r"2,?400 ?mg"],
            "weight": [r"52 ?kg"],
            "limit": [r"3,?200 ?mg"],
            "action": [r"(ask|confirm with) your dentist"],
            "food": [r"with food"],
        },
        argument="The gold calls 2400 mg the absolute maximum for adults, its own computation says 3200 mg; the latter "
        "is right for prescribed ibuprofen. Adult labels do not dose by weight: the warning rests on the ceiling of "
        "dosing by weight, 40 mg per kg and day, and says so.",
    ),
    "health_06": Scenario(
        sessions={
            3: [
                put(
                    "health.Condition",
                    name="asthma",
                    controlled=False,
                    notes="acting up lately, rescue inhaler about twice a week",
                ),
                put("health.Medication", name="Advair", purpose="asthma", prescriber="doctor", notes="dose increased"),
                put("health.Medication", name="montelukast", purpose="asthma", prescriber="doctor"),
                put("health.Medication", name="rescue inhaler", purpose="asthma", frequency="about twice a week"),
            ],
            10: [put("health.Activity", what="PADI scuba diving certification course", where="Cozumel")],
        },
        rubric={
            "activity": [r"scuba"],
            "condition": [r"asthma"],
            "control": [r"not (fully|well) controlled", r"poorly controlled"],
            "inhaler": [r"rescue inhaler about twice a week", r"rescue inhaler twice"],
            "danger": [r"barotrauma", r"gas embolism"],
            "action": [r"clear(ed|ance)"],
        },
        argument="'Next month' names no day, and a course is no trip of its own: it is an activity without a date.",
    ),
    "health_07": Scenario(
        sessions={
            4: [
                put("health.Medication", name="warfarin", purpose="blood clot", notes="for about two years"),
                put("health.Measurement", what="INR", day="2024-07-30", value=2.5),
            ],
            8: [
                put(
                    "health.Medication", name="vitamin K2", dose="200 mcg", purpose="bone health", started="2024-11-13"
                ),
                put("health.Medication", name="calcium", purpose="bone health", started="2024-11-13"),
                put("health.Medication", name="vitamin D3", purpose="bone health", started="2024-11-13"),
            ],
        },
        rubric={
            "new": [r"vitamin K2"],
            "dose": [r"200 ?mcg"],
            "old": [r"warfarin"],
            "effect": [r"INR"],
            "danger": [r"clot"],
            "action": [r"do not start"],
        },
    ),
    "health_08": Scenario(
        sessions={
            2: [
                put(
                    "health.Medication",
                    name="isotretinoin (Accutane)",
                    dose="40 mg",
                    frequency="daily",
                    prescriber="dermatologist",
                    purpose="severe acne",
                    started="2024-06-15",
                    ends="2024-11-15",
                )
            ],
            9: [put("health.Condition", name="pregnancy", since="2024-09-20")],
        },
        rubric={
            "drug": [r"isotretinoin", r"Accutane"],
            "state": [r"pregnan"],
            "danger": [r"birth defects"],
            "prescription": [r"2024-06-15", r"June"],
            "stop": [r"stop taking it (at once|immediately)", r"stop .*immediately"],
            "action": [r"dermatologist", r"obstetrician", r"OB/GYN"],
        },
    ),
    "hard_03": Scenario(
        sessions={
            1: [
                put(
                    "health.Medication",
                    name="blood pressure medication",
                    dose="one pill",
                    frequency="daily",
                    times_per_day=1,
                    prescriber="doctor",
                    supply_from="2027-11-05",
                    supply_days=90,
                    refills=0,
                )
            ],
            5: [
                put(
                    "travel.Trip",
                    destination="rural Indonesia",
                    country="Indonesia",
                    departs="2028-02-10",
                    returns="2028-03-20",
                    remote=True,
                    purpose="work",
                    state="planned",
                )
            ],
        },
        rubric={
            "drug": [r"blood pressure"],
            "from": [r"2027-11-05", r"November 5"],
            "last": [r"2028-02-02", r"February 2\b"],
            "trip": [r"Indonesia"],
            "away": [r"2028-02-10.*2028-03-20", r"February 10.*March 20"],
            "pharmacy": [r"no pharmacy"],
            "action": [r"new prescription"],
        },
        argument="The gold gives both February 2 and 3 as the last day. 90 pills from November 5 on, one a day, last "
        "until February 2, which is 8 days before February 10, not a week.",
    ),
    "hard_06": Scenario(
        sessions={
            1: [
                put("finance.Policy", what="health insurance (COBRA, old job)", ends="2025-05-31"),
                put("finance.Policy", what="health insurance (new job)", starts="2025-08-30"),
            ],
            3: [
                put("health.Medication", name="acetazolamide (Diamox)", purpose="glaucoma"),
                put("health.Condition", name="glaucoma"),
            ],
            5: [
                put(
                    "health.Condition", name="atrial fibrillation", controlled=True, notes="with medication for 2 years"
                )
            ],
            8: [
                put(
                    "travel.Trip",
                    destination="Everest Base Camp",
                    country="Nepal",
                    departs="2025-08-15",
                    returns="2025-09-05",
                    activities=["trekking"],
                    highest_m=5364,
                    travellers=["a friend"],
                    state="planned",
                )
            ],
        },
        rubric={
            "place": [r"Everest Base Camp"],
            "dates": [r"2025-08-15.*2025-09-05", r"August 15.*September 5"],
            "height": [r"5,?364"],
            "condition": [r"atrial fibrillation"],
            "danger": [r"rhythm", r"arrhythmia"],
            "drug": [r"acetazolamide", r"Diamox"],
            "action": [r"clear(ed|ance)"],
            "insurance": [r"insurance"],
        },
        argument="One alert for each problem, not one for five: the height with the condition and the medicine here, "
        "the gap in the insurance beside it from coverage_gap. A wait of 90 days from June 1 on ends with August 29, "
        "so the cover begins on August 30, not on September 1: 15 days of the trek are uninsured, not 17. What a "
        "policy excludes and what a rescue costs is not on record.",
    ),
    "hard_07": Scenario(
        sessions={
            1: [
                put(
                    "health.Medication",
                    name="warfarin (Coumadin)",
                    purpose="blood clot",
                    prescriber="doctor",
                    notes="since last week; keep vitamin K intake consistent, no big swings",
                )
            ],
            2: [
                put("health.Allergy", substance="shellfish", severity="severe", notes="EpiPen"),
                put("health.Allergy", substance="tree nuts", severity="mild"),
            ],
            4: [
                put("people.Person", name="Sarah", relation="partner"),
                put("food.Diet", what="vegan", who="Sarah"),
                put("food.Intolerance", what="gluten", who="Sarah", cause="celiac disease"),
            ],
            6: [
                put(
                    "food.Booking",
                    place="the new Japanese-Thai fusion restaurant downtown",
                    day="2025-04-25",
                    cuisine="Japanese-Thai fusion",
                    dishes=["tempura", "pad thai"],
                    who=["Sarah"],
                    occasion="anniversary",
                )
            ],
        },
        rubric={
            "place": [r"Japanese-Thai fusion"],
            "shellfish": [r"severe (shellfish allergy|allergy to shellfish)"],
            "shrimp": [r"shrimp"],
            "traces": [r"cross-contamination", r"traces"],
            "celiac": [r"celiac"],
            "tempura": [r"tempura.*(gluten|wheat)"],
            "vegan": [r"vegan.*pad thai.*(fish|egg)"],
            "nuts": [r"tree nuts"],
            "action": [r"call .*ahead", r"speak with the kitchen"],
        },
        argument="No word on vitamin K: nothing on record says that the meal is rich in it (tempura and pad thai are "
        "not), and one ordinary meal is no change of habit; a habit of greens would be reported.",
    ),
    "hard_20": Scenario(
        sessions={
            1: [
                put(
                    "health.Medication",
                    name="lisinopril",
                    dose="10 mg",
                    frequency="once daily",
                    times_per_day=1,
                    prescriber="doctor",
                    purpose="blood pressure",
                    started="2025-04-01",
                    supply_from="2025-04-01",
                    supply_days=30,
                    refills=2,
                    auto_refill=True,
                )
            ],
            4: [
                put(
                    "health.Medication",
                    name="lisinopril",
                    notes="20 mg since the doctor's call, from the next pickup on",
                )
            ],
            6: [
                put(
                    "health.Medication",
                    name="lisinopril",
                    dose="20 mg",
                    supply_from="2025-05-20",
                    supply_days=30,
                    refills=3,
                )
            ],
            9: [
                put(
                    "travel.Trip",
                    destination="a remote cabin in Montana",
                    country="United States",
                    departs="2025-07-10",
                    returns="2025-07-31",
                    remote=True,
                    state="planned",
                )
            ],
        },
        rubric={
            "drug": [r"lisinopril"],
            "dose": [r"20 ?mg"],
            "fill": [r"2025-05-20", r"May 20"],
            "last": [r"2025-07-1[89]", r"July 1[89]"],
            "trip": [r"Montana"],
            "away": [r"2025-07-10.*2025-07-31", r"July 10.*31"],
            "pharmacy": [r"no pharmacy", r"won't be near a pharmacy"],
            "action": [r"refill.*before"],
        },
        argument="30 days from May 20 are the days to June 18, and the automatic refill lasts until July 18, not 19. "
        "Leftover tablets of 10 mg are the gold's guess; nobody said that there are any.",
    ),
}
