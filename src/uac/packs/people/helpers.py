"""What the constraints of people share. This file is read, never run."""


def _has(gift, thing):
    """Whether a gift has the thing in it: nut-free cookies and cookies without nuts have no nuts."""
    free = [f"{thing} free", f"free of {thing}", f"without {thing}", f"no {thing}", f"ohne {thing}"]
    return mentions(gift, thing) and not any(mentions(gift, text) for text in free)


_THINGS = "book toy plush doll mug poster shirt socks puzzle game lego soap candle".split()


def _made_with(gift, substance, table, is_grave):
    """What the table of dishes says is in the gift of what must not be, or often is if that is grave; an empty text for nothing."""
    if [word for word in words(gift) if word in _THINGS or word in ("free", "vegan", "without", "no", "ohne")]:
        return ""
    wanted = [group for _name, groups in _entries(substance, table["avoid"]) for group in groups]
    for part, how in [("contains", "usually"), *([("often", "often")] if is_grave else [])]:
        held = [(name, group) for name, row in _entries(gift, table["dishes"]) for group in row.get(part, [])]
        bad = [(name, group) for name, group in held if group in wanted]
        if bad:
            return f", and {bad[0][0]} is {how} made with {table['groups'][bad[0][1]]}"
    return ""


def _entries(text, table):
    """The entries of a table that the words of a text name, longest first: peanut butter is not butter."""
    parts = words(text)
    hits = []
    at = 0
    while at < len(parts):
        grams = [" ".join(parts[at : at + size]) for size in (4, 3, 2, 1) if at + size <= len(parts)]
        forms = [name for gram in grams for name in (gram, gram.removesuffix("s"), gram.removesuffix("es"))]
        name = first([name for name in forms if name in table])
        hits = [*hits, *([] if name is None else [(name, table[name])])]
        at = at + max(len(words(name)), 1)
    return hits
