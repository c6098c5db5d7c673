from ..helpers import _for_whom, _has, _has_ended, _holder, _is_same, _whose


def activity_condition(user, now):
    """A planned activity that asks for a doctor's word first, given a condition or a medicine."""
    drugs = knowledge("health.drugs")
    rules = knowledge("health.activities")["activities"]
    today = as_date(now)
    plans = []
    for activity in user.health.activities:
        if not _has_ended(activity, now):
            plans = [*plans, (activity, activity.what, activity.where, activity.starts, [""])]
    for workout in user.health.workouts:
        if not is_past(workout.day, now):
            plans = [*plans, (workout, workout.what, workout.where, workout.day, ["", *workout.who])]
    for trip in user.travel.trips:
        if not is_past(trip.returns or trip.departs, now):
            text = " / ".join([*trip.activities, trip.purpose or ""])
            plans = [*plans, (trip, text, trip.destination, trip.departs, ["", *trip.travellers])]
    for visit in user.health.visits:
        if not is_past(visit.day, now):
            plans = [*plans, (visit, visit.what, None, visit.day, [visit.person or ""])]
    for appointment in user.calendar.appointments:
        last = as_date(appointment.ends or appointment.starts)
        if appointment.repeats:
            last = appointment.until or today
        if not is_past(last, now):
            who = [*([] if appointment.attends is False else [""]), *appointment.who]
            plans = [*plans, (appointment, appointment.what, appointment.where, as_date(appointment.starts), who)]
    found = []
    for plan, text, where, day, who in plans:
        doers = [_whose(name) for name in who]
        for rule in rules:
            if not [word for word in rule["words"] if mentions(text, word)]:
                continue
            begins = f", from {day}" if day and day >= today else ""
            shown = f"{text.strip(' /')}{f' ({where})' if where else ''}{begins}"
            for condition in user.health.conditions:
                whose = _holder(condition, condition.name)
                if _counts(condition, rule, now) and any(_is_same(whose, doer) for doer in doers):
                    mild = condition.controlled and rule.get("softer_if_controlled")
                    severe = rule["severity"] == "critical" and not mild
                    raised = critical if severe else warning
                    message = _message(shown, severe, _state(condition), rule)
                    rows = [("health.activities", rule)]
                    found.append(raised(_for_whom(whose) + message, plan, condition, rows=rows))
            for medication in user.health.medications:
                whose = _whose(medication.person)
                takes = not _has_ended(medication, now) and any(_is_same(whose, doer) for doer in doers)
                if rule.get("drugs") and takes:
                    if [kind for kind in _all_kinds(medication, drugs) if kind in rule["drugs"]]:
                        dose = f" ({medication.dose})" if medication.dose else ""
                        message = _message(shown, False, f"{medication.name}{dose}", rule)
                        rows = [("health.activities", rule)]
                        found.append(warning(_for_whom(whose) + message, plan, medication, rows=rows))
    return found


def _counts(condition, rule, now):
    """Whether the rule is about this condition, and the condition is still there."""
    if not [name for name in rule["conditions"] if _has(condition, name)]:
        return False
    if condition.past and not rule.get("past_too"):
        return False
    if _has_ended(condition, now):
        return False
    if mentions(condition.name, "pregnancy") or mentions(condition.name, "pregnant"):
        return condition.since is None or not is_past(add_months(condition.since, days=300), now)
    return True


def _state(condition):
    control = {True: "well controlled", False: "not well controlled"}
    details = [
        control.get(condition.controlled),
        "in the past" if condition.past else None,
        condition.severity,
        f"since {condition.since}" if condition.since else None,
        condition.notes,
    ]
    shown = "; ".join([text for text in details if text])
    return f"{condition.name}{f' ({shown})' if shown else ''}"


def _message(shown, severe, state, rule):
    how = "is dangerous" if severe else "needs care"
    return f"{shown} {how} with {state}: {rule['why']}. {rule['advice']}"


def _all_kinds(medication, drugs):
    """The ingredients and their classes."""
    parts = words(f"{medication.name} {' '.join(medication.ingredients)}")
    named = []
    for at in range(len(parts)):
        for size in (1, 2, 3, 4):
            named = [*named, *drugs["names"].get(" ".join(parts[at : at + size]), [])]
    classes = [kind for name in named for kind in drugs["classes"].get(name, [])]
    return [*named, *classes, *drugs["class_names"].get(" ".join(words(medication.drug_class)), [])]


CASES = [
    fires(
        "a diving course with asthma that is acting up",
        date(2025, 1, 5),
        health.Condition(name="asthma", controlled=False, notes="rescue inhaler about twice a week"),
        health.Activity(what="PADI scuba diving course", where="Cozumel", starts=date(2025, 2, 10)),
        says=[
            "PADI",
            "Cozumel",
            "2025-02-10",
            "asthma",
            "not well controlled",
            "rescue inhaler",
            "cleared you",
        ],
    ),
    fires(
        "diving as part of a trip",
        date(2025, 1, 5),
        health.Condition(name="type 1 diabetes"),
        travel.Trip(destination="Dahab", departs=date(2025, 3, 1), activities=["scuba diving"]),
        says=["Dahab", "2025-03-01", "type 1 diabetes", "blood sugar"],
    ),
    fires(
        "boxing on a blood thinner",
        date(2025, 1, 5),
        health.Medication(name="Eliquis", dose="5 mg"),
        health.Activity(what="boxing class", how_often="weekly"),
        says=["boxing class", "Eliquis", "5 mg"],
    ),
    fires(
        "an MRI with a pacemaker",
        date(2025, 1, 5),
        health.Condition(name="pacemaker", since=date(2021, 5, 3)),
        calendar.Appointment(what="MRI of the knee", starts=datetime(2025, 1, 9, 8, 0)),
        says=["MRI of the knee", "2025-01-09", "pacemaker", "2021-05-03"],
    ),
    fires(
        "the one who comes along",
        date(2025, 1, 5),
        health.Condition(name="asthma", person="Theo", controlled=False),
        travel.Trip(destination="Dahab", state="idea", activities=["scuba diving"], travellers=["Theo"]),
        says=["For Theo: scuba diving (Dahab)", "asthma"],
    ),
    silent(
        "the one with asthma stays at home, or only others dive",
        date(2025, 1, 5),
        health.Condition(name="asthma", person="Theo"),
        health.Condition(name="epilepsy"),
        health.Activity(what="hot yoga"),
        travel.Trip(destination="Dahab", departs=date(2025, 3, 1), activities=["nothing but the beach"]),
        calendar.Appointment(
            what="scuba diving", starts=datetime(2025, 2, 9, 8, 0), who=["Mia"], attends=False
        ),
    ),
    silent(
        "snorkelling and running with asthma",
        date(2025, 1, 5),
        health.Condition(name="asthma"),
        health.Activity(what="snorkelling"),
        health.Activity(what="running, preparing for a 5k"),
    ),
    silent(
        "not pregnant, or somebody else is",
        date(2025, 1, 5),
        health.Condition(name="not pregnant"),
        health.Condition(name="wife is pregnant"),
        health.Activity(what="scuba diving"),
    ),
    silent(
        "the dives are over, the condition is over, the plan was dropped",
        date(2025, 3, 9),
        health.Condition(name="asthma"),
        health.Condition(name="pregnancy", since=date(2024, 1, 5)),
        ended(health.Condition(name="epilepsy"), "2010-01-01"),
        travel.Trip(
            destination="Dahab",
            departs=date(2025, 3, 1),
            returns=date(2025, 3, 8),
            activities=["scuba diving"],
        ),
        ended(health.Activity(what="scuba course"), "2025-02-01"),
        health.Activity(what="hot yoga"),
    ),
    silent(
        "a diver in good health",
        date(2025, 1, 5),
        health.Condition(name="hay fever"),
        health.Condition(name="family history of asthma"),
        health.Medication(name="cetirizine"),
        health.Activity(what="scuba diving"),
    ),
]
