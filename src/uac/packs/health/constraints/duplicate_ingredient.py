from ..helpers import _for_whom, _has_ended, _ingredients, _is_local, _whose, _with_details

LOCAL = (
    "cream",
    "ointment",
    "lotion",
    "gel",
    "shampoo",
    "topical",
    "drops",
    "nasal",
    "inhaler",
    "spray",
    "nebulizer",
)
FINE = ("inhaled steroids", "beta agonists", "insulins", "supplements", "nitrates")
# Naloxone in Suboxone beside the rescue spray, long-acting beside short-acting levodopa: meant so.
MEANT = ("caffeine", "naloxone", "levodopa", "carbidopa")
NARROW = ("opioids", "anticoagulants")
# Twice paracetamol is a warning; what passes the daily maximum is critical (dose_limit).
DANGEROUS = ("methotrexate", "digoxin", "lithium", "colchicine", "theophylline", "tacrolimus")


def duplicate_ingredient(user, now):
    """Two products taken at the same time that contain the same ingredient."""
    drugs = knowledge("health.drugs")
    holders = defaultdict(list)
    for medication in user.health.medications:
        if _has_ended(medication, now) or _is_local(medication, LOCAL):
            continue
        whose = _whose(medication.person)
        for ingredient in sorted(set(_ingredients(medication, drugs))):
            if ingredient not in MEANT and not _any(drugs["classes"].get(ingredient, []), FINE):
                holders[(whose, ingredient)].append(medication)
    shared = defaultdict(list)
    for (whose, ingredient), medications in holders.items():
        if len(medications) > 1:
            shared[(whose, *[medication.name for medication in medications])].append(ingredient)
    found = []
    for (whose, *_names), ingredients in shared.items():
        medications = holders[(whose, ingredients[0])]
        risky = [
            name for name in ingredients if name in DANGEROUS or _any(drugs["classes"].get(name, []), NARROW)
        ]
        raised = critical if risky else warning
        rows = [("health.drugs", {"id": f"names:{name}"}) for name in ingredients if name in drugs["names"]]
        found.append(raised(_for_whom(whose) + _message(ingredients, medications), *medications, rows=rows))
    return found


def _message(ingredients, medications):
    shown = " and ".join([_with_details(medication) for medication in medications])
    what = " and ".join(ingredients)
    return (
        f"{shown} contain the same ingredient: {what}. Taken together, the dose adds up and may pass what is"
        " safe. Take only one of them until you have asked the prescriber or a pharmacist."
    )


def _any(kinds, wanted):
    return bool([kind for kind in kinds if kind in wanted])


CASES = [
    fires(
        "paracetamol in Tylenol and in NyQuil",
        date(2025, 1, 8),
        health.Medication(name="Tylenol Extra Strength", dose="1000 mg", frequency="every 8 hours"),
        health.Medication(name="NyQuil", frequency="at night"),
        says=["Tylenol", "1000 mg", "NyQuil", "paracetamol"],
    ),
    fires(
        "ibuprofen under two brands",
        date(2025, 1, 8),
        health.Medication(name="Advil Liqui-Gels"),
        health.Medication(name="Motrin", prescriber="Dr. Lee"),
        says=["Advil", "Motrin", "ibuprofen", "Dr. Lee"],
    ),
    fires(
        "a brand and its ingredient",
        date(2025, 1, 8),
        health.Medication(name="Coumadin"),
        health.Medication(name="warfarin", dose="5 mg"),
        says=["Coumadin", "warfarin"],
    ),
    silent(
        "two persons take the same",
        date(2025, 1, 8),
        health.Medication(name="Advil"),
        health.Medication(name="ibuprofen", person="Theo"),
    ),
    silent(
        "different painkillers",
        date(2025, 1, 8),
        health.Medication(name="Tylenol"),
        health.Medication(name="Advil"),
    ),
    silent(
        "two forms on purpose: for the day and for the emergency",
        date(2025, 1, 8),
        health.Medication(name="Suboxone"),
        health.Medication(name="Narcan"),
        health.Medication(name="Sinemet"),
        health.Medication(name="Sinemet CR"),
        health.Medication(name="nitroglycerin patch"),
        health.Medication(name="Nitrostat"),
    ),
    silent(
        "one of the two has ended",
        date(2025, 1, 8),
        health.Medication(name="Percocet", ends=date(2025, 1, 7)),
        health.Medication(name="Tylenol"),
        ended(health.Medication(name="NyQuil"), "2024-12-20"),
    ),
    silent(
        "a nose spray beside an inhaler, a gel beside a tablet, coffee pills",
        date(2025, 1, 8),
        health.Medication(name="Flonase"),
        health.Medication(name="Advair"),
        health.Medication(name="Voltaren gel"),
        health.Medication(name="diclofenac", dose="50 mg"),
    ),
    silent(
        "vitamins and insulins are often taken in two forms",
        date(2025, 1, 8),
        health.Medication(name="vitamin D3"),
        health.Medication(name="calcium with vitamin D"),
        health.Medication(name="Lantus"),
        health.Medication(name="Humalog"),
    ),
]
