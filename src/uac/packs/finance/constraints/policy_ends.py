from ..helpers import _in_days


def policy_ends(user, now):
    """An insurance policy that ends, or is cancelled for an unpaid premium, unless the user acts."""
    look_again(as_date(now) + timedelta(days=1))  # nothing changes within a day
    found = []
    for policy in user.finance.policies:
        what = f"{policy.what}{f' with {policy.insurer}' if policy.insurer is not None else ''}"
        lapse = f" If it lapses: {policy.if_lapsed}." if policy.if_lapsed is not None else ""
        if policy.grace_until is not None:
            if due_within(policy.grace_until, now, 7):
                unpaid = money(policy.unpaid) if policy.unpaid is not None else "the premium"
                found.append(
                    critical(
                        f"Your {what} is cancelled after {policy.grace_until}, "
                        f"{_in_days(days_until(policy.grace_until, now))}, unless you pay {unpaid}. Pay now.{lapse}",
                        policy,
                    )
                )
        elif policy.ends is not None and policy.renewal == "by hand" and due_within(policy.ends, now, 14):
            if not _is_followed(policy, user.finance.policies):
                found.append(
                    warning(
                        f"Your {what} ends on {policy.ends}, {_in_days(days_until(policy.ends, now))}, and does not renew by "
                        f"itself. Renew it before that day if you have not.{lapse}",
                        policy,
                    )
                )
    return found


def _is_followed(policy, policies):
    """Whether another policy of the same kind is in force the day after, or begins then."""
    after = add_months(policy.ends, days=1)
    kind = words(policy.what)
    for other in policies:
        named = words(other.what)
        is_like = all(word in named for word in kind) or all(word in kind for word in named)
        begins_in_time = other.starts is None or other.starts <= after
        if other is not policy and is_like and begins_in_time and (other.ends is None or other.ends > after):
            return True
    return False


CASES = [
    fires(
        "two weeks before",
        date(2024, 12, 17),
        finance.Policy(what="health insurance", ends=date(2024, 12, 31), renewal="by hand"),
        says=["health insurance", "2024-12-31", "in 14 days", "Renew"],
    ),
    fires(
        "the grace for an unpaid premium runs out",
        date(2025, 6, 10),
        finance.Policy(
            what="car insurance",
            insurer="Geico",
            unpaid=Money(Decimal("847"), "USD"),
            grace_until=date(2025, 6, 16),
            if_lapsed="a fine of 100 USD a day",
        ),
        says=["car insurance with Geico", "2025-06-16", "in 6 days", "$847.00", "a fine"],
    ),
    silent(
        "fifteen days before",
        date(2024, 12, 16),
        finance.Policy(what="health insurance", ends=date(2024, 12, 31), renewal="by hand"),
    ),
    silent(
        "eight days of grace",
        date(2025, 6, 8),
        finance.Policy(
            what="car insurance", unpaid=Money(Decimal("847"), "USD"), grace_until=date(2025, 6, 16)
        ),
    ),
    silent(
        "over, renewing by itself, or not known how",
        date(2025, 1, 1),
        finance.Policy(what="health insurance", ends=date(2024, 12, 31), renewal="by hand"),
        finance.Policy(what="car insurance", ends=date(2025, 1, 5), renewal="automatic"),
        finance.Policy(what="home insurance", ends=date(2025, 1, 5)),
        ended(finance.Policy(what="pet insurance", ends=date(2025, 1, 5), renewal="by hand"), "2024-12-30"),
    ),
    silent(
        "the next one begins the day after",
        date(2024, 12, 28),
        finance.Policy(what="health insurance", ends=date(2024, 12, 31), renewal="by hand"),
        finance.Policy(what="new health insurance", starts=date(2025, 1, 1)),
    ),
]
