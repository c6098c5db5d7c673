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
