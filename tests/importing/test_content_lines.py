"""Content lines of calendars and contacts: what is escaped comes back, what folds is joined."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uac.errors import Refused
from uac.importing import BadLine, SentFile
from uac.importing.content_lines import Component, Property, read_components, unescape_property
from uac.importing.files import TOO_LONG
from uac.schema.entries import MAX_BYTES


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


def components(text: str | bytes, *, inside: str = "") -> list[Component | BadLine]:
    sent = SentFile("a.vcf", text if isinstance(text, bytes) else text.replace("|", "\n").encode())
    return list(read_components(sent, lambda _size: None, inside=inside))


def properties(text: str | bytes) -> list[Property]:
    (card,) = components(text)
    assert isinstance(card, Component)
    return card.properties


def test_parameters_without_a_name_are_encodings_or_ignored() -> None:
    assert properties("BEGIN:VCARD|NOTE;QUOTED-PRINTABLE;HOME:gr=C3=BCn|END:VCARD|") == [
        Property("NOTE", {"ENCODING": "QUOTED-PRINTABLE"}, "grün")
    ]


def test_the_first_parameter_of_a_name_counts_and_quotes_are_removed() -> None:
    assert properties('BEGIN:VCARD|item1.tel;TYPE="a;b:c";type=x:1|END:VCARD|') == [
        Property("TEL", {"TYPE": "a;b:c"}, "1")
    ]


def test_pictures_are_counted_and_left_out_of_the_text() -> None:
    (card,) = components("BEGIN:VCARD|PHOTO;BASE64:AAAA|LOGO:data:image/png,AA|FN:Ana|END:VCARD|")
    assert isinstance(card, Component)
    assert (card.media, card.properties, card.text) == (
        2,
        [Property("FN", {}, "Ana")],
        "BEGIN:VCARD\nFN:Ana\nEND:VCARD",
    )


@pytest.mark.parametrize("charset", ["utf-8", "no-such-charset"])
def test_quoted_text_in_another_charset_than_it_claims_is_a_problem_of_its_component(charset: str) -> None:
    text = f"BEGIN:VCARD|NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET={charset}:gr=FCn|END:VCARD|"
    (bad,) = components(text)
    assert isinstance(bad, BadLine)
    assert bad.number == 1
    assert f"line 2 is not valid {charset}." in bad.why


def test_a_line_that_is_too_long_is_a_problem_of_its_component_only() -> None:
    long = b"BEGIN:VCARD\nNOTE:" + b"x" * MAX_BYTES + b"\nEND:VCARD\nBEGIN:VCARD\nFN:Ana\nEND:VCARD\n"
    bad, card = components(long)
    assert bad == BadLine(1, f"line 2 {TOO_LONG}")
    assert isinstance(card, Component)
    assert card.line == 4


def test_a_component_that_is_too_long_as_a_whole_is_a_bad_line() -> None:
    half = b"NOTE:" + b"x" * (MAX_BYTES // 2) + b"\n"
    assert components(b"BEGIN:VCARD\n" + half + half + b"END:VCARD\n") == [BadLine(1, TOO_LONG)]


def test_lines_outside_of_a_component_are_ignored_however_malformed() -> None:
    (card,) = components(b"nonsense\nNOTE:" + b"x" * MAX_BYTES + b"\nEND:VCARD\n\nBEGIN:VCARD\nFN:Ana\nEND:VCARD\nFN:x")
    assert isinstance(card, Component)
    assert card.properties == [Property("FN", {}, "Ana")]


def test_a_byte_that_is_not_utf8_is_refused_with_its_line() -> None:
    with pytest.raises(Refused, match=r"a\.vcf: byte 17 \(line 2\) is 0xfc"):
        components(b"BEGIN:VCARD\nFN:gr\xfcn\nEND:VCARD\n")


def test_an_inner_component_belongs_to_its_parent() -> None:
    (event,) = components(
        "BEGIN:VCALENDAR|BEGIN:VEVENT|UID:1|BEGIN:VALARM|TRIGGER:x|END:VALARM|END:VEVENT|END:VCALENDAR|",
        inside="VCALENDAR",
    )
    assert isinstance(event, Component)
    assert (event.properties, [part.properties for part in event.parts]) == (
        [Property("UID", {}, "1")],
        [[Property("TRIGGER", {}, "x")]],
    )
