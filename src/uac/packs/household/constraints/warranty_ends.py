from ..helpers import _in_days


def warranty_ends(user, now):
    """A warranty that ends soon: 30 days ahead if something is wrong with the thing, else 7 days."""
    found = []
    for warranty in user.household.warranties:
        claimed, since = warranty.claimed_on, warranty.problem_since
        is_new = claimed is None or (since is not None and since > claimed)  # reported was an earlier one
        has_problem = warranty.problem is not None and is_new
        if warranty.problem is not None and not has_problem:  # it was reported in time
            continue
        if not due_within(warranty.ends, now, 30 if has_problem else 7):
            continue
        left = days_until(warranty.ends, now)
        when = _in_days(left)
        giver = _giver(warranty.by)
        if has_problem:
            since = f" (since {warranty.problem_since})" if warranty.problem_since is not None else ""
            found.append(
                warning(
                    f"The warranty of your {warranty.item} ends on {warranty.ends}, {when}, and "
                    f"{warranty.problem}{since} is not reported as far as I know. File the claim"
                    f"{f' with {giver}' if giver else ''} now: after that day the repair is yours to pay.",
                    warranty,
                )
            )
        else:
            found.append(
                info(
                    f"The warranty of your {warranty.item} ends on {warranty.ends}, {when}. If anything is "
                    f"wrong with it, report it{f' to {giver}' if giver else ''} before that day.",
                    warranty,
                )
            )
    return found


def _giver(by):
    """Who gives the warranty, in a sentence: Dell, the shop; nothing if that is not known."""
    is_noun = bool(by) and by == by.lower() and first(words(by)) not in ("a", "an", "the", "my", "our", "your")
    return f"the {by}" if is_noun else by or ""


CASES = [
    fires(
        "a noise that nobody saw to",
        date(2024, 12, 20),
        household.Warranty(
            item="Bosch dishwasher",
            ends=date(2025, 1, 10),
            problem="the leak",
            problem_since=date(2024, 6, 15),
        ),
        says=["Bosch dishwasher", "2025-01-10", "in 21 days", "the leak", "2024-06-15", "File the claim now"],
    ),
    fires(
        "a week before, nothing wrong",
        date(2025, 1, 3),
        household.Warranty(item="laptop", ends=date(2025, 1, 10), by="Dell"),
        says=["laptop", "in 7 days", "report it to Dell before"],
    ),
    fires(
        "given by a shop of no name",
        date(2025, 1, 3),
        household.Warranty(item="laptop", ends=date(2025, 1, 10), by="shop", problem="a dead key"),
        says=["File the claim with the shop now"],
    ),
    silent(
        "thirty-one days before, with a problem",
        date(2024, 12, 10),
        household.Warranty(item="laptop", ends=date(2025, 1, 10), problem="a dead key"),
    ),
    silent(
        "eight days before, nothing wrong",
        date(2025, 1, 2),
        household.Warranty(item="laptop", ends=date(2025, 1, 10)),
    ),
    silent(
        "the problem was reported",
        date(2025, 1, 5),
        household.Warranty(
            item="laptop", ends=date(2025, 1, 10), problem="a dead key", claimed_on=date(2025, 1, 2)
        ),
    ),
    silent(
        "over, and given away",
        date(2025, 1, 11),
        household.Warranty(item="laptop", ends=date(2025, 1, 10), problem="a dead key"),
        ended(household.Warranty(item="phone", ends=date(2025, 1, 15), problem="a crack"), "2025-01-01"),
    ),
    fires(
        "a second problem after the first was reported",
        date(2026, 3, 10),
        household.Warranty(
            item="dishwasher",
            ends=date(2026, 4, 1),
            problem="a broken pump",
            problem_since=date(2026, 3, 9),
            claimed_on=date(2025, 11, 5),
        ),
        says=["dishwasher", "2026-04-01", "a broken pump", "since 2026-03-09"],
    ),
]
