"""What the constraints of finance share. This file is read, never run."""


def _in_days(days):
    """today, in 3 days; from two weeks on in weeks or months, so that the alert does not change every day."""
    if days > 60:
        return f"in about {(days + 15) // 30} months"
    if days > 14:
        return f"in about {(days + 3) // 7} weeks"
    return "today" if days == 0 else "in 1 day" if days == 1 else f"in {days} days"


def _names_account(text, account, ignored=("my", "the", "our", "account", "bank")):
    """Whether each word of the text is in the account's name, institution or last digits; some words do not count."""
    said = [word for word in words(text) if word not in ignored]
    named = words(f"{account.name} {account.institution or ''} {account.last_four or ''}")
    return bool(said) and all(word in named for word in said)


def _has_words(text, wanted):
    """Whether the text has all these words."""
    named = set(words(text))
    return all(word in named for word in wanted)


_ANYTHING = (
    "a all any anything cost costs every everything expense expenses of on over payment payments per purchase purchases "
    "single spending thing things alle alles jede jeder jeden jedes einzelne kauf käufe einkauf einkäufe ausgabe ausgaben "
    "anschaffung anschaffungen zahlung zahlungen tout toute toutes achat achats dépense dépenses cada todo toda todos "
    "todas compra compras gasto gastos"
).split()


def _covers(limit, texts):
    """Whether the limit is about everything, or about one of these texts."""
    about = words(limit.covers)
    if all(word in _ANYTHING for word in about):
        return True
    about = [word for word in about if word not in ("my", "the", "our")]
    return any(_has_words(text, about) for text in texts if text)


def _rule(limit, over):
    whose = f" (set by {limit.by})" if limit.by is not None else ""
    most = f"your limit of {money(limit.amount)} a payment for {limit.covers}{whose}"
    return f"exceeds {most} by {money(over)}."


def _way(limit):
    if limit.exception is not None:
        return f"Above it you need {limit.exception}: get it first, or pay in another way."
    return "Pay less, pay in another way, or tell me that the limit no longer holds."
