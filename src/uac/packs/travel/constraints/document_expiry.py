from ..helpers import _counted_days, _dated, _holder_travels, _is_own


def document_expiry(user, now):
    """A licence, a certificate or a permit that expires before a trip that needs it is over."""
    found = []
    for trip in _dated(user.travel.trips):
        if is_past(trip.departs, now):
            continue
        last = trip.returns or trip.departs
        for document in user.travel.documents:
            if document.expires is None or document.expires >= last or not _holder_travels(document, trip):
                continue
            if any(_is_good(d, document, last) for d in user.travel.documents):
                continue
            reason = _reason(document, trip)
            if reason:
                mine = _is_own(document)
                whose = f"Your {document.what}" if mine else f"The {document.what} of {document.holder}"
                days = (document.expires - trip.departs).days
                side = f"{_counted_days(-days)} before" if days < 0 else f"{_counted_days(days)} after"
                text = f"{whose} expires {document.expires}, {side} you leave for {trip.destination} on"
                back = f", and you are back on {trip.returns}" if days >= 0 else ""
                text = f"{text} {trip.departs}{back}. {reason} Renew it before you travel."
                found.append((warning if trip.state == "idea" else critical)(text, document, trip))
    return found


def _reason(document, trip):
    """Why the trip needs the document, or nothing."""
    have = _terms(document.what)
    if any(need and all(term in have for term in need) for need in [_terms(need) for need in trip.needs]):
        return "The trip asks for it."
    if trip.means == "car" and "driving" in have and "licence" in have:
        return "You may not drive with it after that, and the insurance may not pay."
    permit = "residence" in have or "resident" in have or ("green" in have and "card" in have)
    return (
        "You may be refused when you come back with an expired one." if trip.international and permit else ""
    )


def _terms(what):
    """The words of a document; driver's license and driving licence are one."""
    forms = {"license": "licence", "driver": "driving", "drivers": "driving", "certs": "certificate"}
    forms = {**forms, "cert": "certificate", "certificates": "certificate"}
    return [forms.get(word, word) for word in words(what) if word not in ("s", "a", "an", "the", "valid")]


def _is_good(document, other, last):
    """Whether it is a newer paper of the same kind."""
    alike = same(document.holder, other.holder) and _terms(document.what) == _terms(other.what)
    return alike and document.expires is not None and document.expires >= last


CASES = [
    fires(
        "a licence that ends five days before the drive",
        date(2025, 12, 1),
        travel.Document(holder="me", what="driver's license", expires=date(2025, 12, 15)),
        travel.Trip(destination="Yosemite", departs=date(2025, 12, 20), means="car"),
        says=["driver's license", "2025-12-15", "5 days before", "Yosemite", "2025-12-20"],
    ),
    fires(
        "a rented car abroad, and the licence ends on the way",
        date(2025, 12, 1),
        travel.Document(holder="me", what="driving licence", expires=date(2025, 12, 24)),
        travel.Trip(
            destination="Faro",
            departs=date(2025, 12, 20),
            returns=date(2025, 12, 27),
            needs=["driver license"],
        ),
        says=["4 days after", "back on 2025-12-27", "asks for it"],
    ),
    fires(
        "a certificate that the border asks for",
        date(2025, 12, 1),
        travel.Document(holder="me", what="international yellow fever certificate", expires=date(2026, 1, 9)),
        travel.Trip(destination="Accra", departs=date(2026, 1, 10), needs=["yellow fever certificate"]),
        says=["yellow fever", "1 day before"],
    ),
    fires(
        "the residence permit ends while away",
        date(2025, 12, 1),
        travel.Document(holder="me", what="residence permit", expires=date(2026, 1, 12)),
        travel.Trip(
            destination="Accra", departs=date(2026, 1, 10), returns=date(2026, 1, 20), international=True
        ),
        says=["residence permit", "2026-01-12", "refused"],
    ),
    silent(
        "valid on the last day",
        date(2025, 12, 1),
        travel.Document(holder="me", what="driving licence", expires=date(2025, 12, 24)),
        travel.Trip(destination="Faro", departs=date(2025, 12, 20), returns=date(2025, 12, 24), means="car"),
    ),
    silent(
        "a train needs no licence, and the other certificate is not asked for",
        date(2025, 12, 1),
        travel.Document(holder="me", what="driving licence", expires=date(2025, 12, 20)),
        travel.Document(holder="me", what="diving certificate", expires=date(2025, 12, 5)),
        travel.Trip(
            destination="Bern", departs=date(2025, 12, 27), means="train", needs=["birth certificate"]
        ),
    ),
    silent(
        "the newer licence is good, whatever it is called",
        date(2025, 12, 1),
        travel.Document(holder="me", what="driver's license", expires=date(2025, 12, 22)),
        travel.Document(holder="me", what="driving licence", expires=date(2035, 12, 10)),
        travel.Trip(destination="Bern", departs=date(2025, 12, 27), means="car"),
    ),
    silent(
        "the drive has begun, and Tom stays at home",
        date(2025, 12, 21),
        travel.Document(holder="me", what="driving licence", expires=date(2025, 12, 22)),
        travel.Document(holder="Tom", what="driving licence", expires=date(2025, 12, 22)),
        travel.Trip(destination="Faro", departs=date(2025, 12, 20), returns=date(2025, 12, 24), means="car"),
        ended(travel.Trip(destination="Bern", departs=date(2025, 12, 27), means="car"), "2025-12-20"),
    ),
]
