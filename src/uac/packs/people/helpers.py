"""What the constraints of people share. This file is read, never run."""


def _has(gift, thing):
    """Whether a gift has the thing in it: nut-free cookies and cookies without nuts have no nuts."""
    free = [f"{thing} free", f"free of {thing}", f"without {thing}", f"no {thing}", f"ohne {thing}"]
    return mentions(gift, thing) and not any(mentions(gift, text) for text in free)
