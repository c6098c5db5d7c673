"""Content lines of calendars and contacts: what is escaped comes back, what folds is joined."""

from hypothesis import given
from hypothesis import strategies as st

from uac.importing.content_lines import Component, Property, unescape_property


@given(st.text("ab,;\\\n"))
def test_text_that_was_escaped_comes_back(text: str) -> None:
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n").replace(",", "\\,").replace(";", "\\;")
    assert unescape_property(escaped) == text


def test_a_component_gives_its_first_property_of_a_name_and_all_of_them() -> None:
    first, second = Property("TEL", {"TYPE": "home"}, "1"), Property("TEL", {}, "2")
    card = Component(
        "VCARD", 1, properties=[first, Property("FN", {}, "Ana"), second], words=["BEGIN:VCARD\r\n", "END:VCARD\r\n"]
    )
    assert (card.first_property("TEL"), card.properties_named("TEL"), card.first_property("X")) == (
        first,
        [first, second],
        None,
    )
    assert card.text == "BEGIN:VCARD\r\nEND:VCARD"
