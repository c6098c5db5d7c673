"""A return, a cancellation, an end, and what never was: each has one way, and is shown as that everywhere."""

import pytest

from support.short_logs import Story, type_of
from uac.errors import Refused
from uac.project.records import Ended
from uac.project.render import render
from uac.project.render_manifest import render_manifest
from uac.schema.patches import Drop, End

PURCHASE = type_of("shop.Purchase", key=["item"], item="str", price="Money | None")


@pytest.mark.parametrize(
    ("why", "reason"),
    [
        ("cancelled", "cancelled"),
        ("Canceled: the host is ill", "cancelled"),
        ("returned, it was too small", "returned"),
        ("returned", "returned"),
        ("sold", "ended"),
        ("", "ended"),
        ("a trip that was cancelled", "ended"),
    ],
)
def test_the_first_word_says_how_a_record_ended(why: str, reason: str) -> None:
    assert Ended("2026", why, 1).reason == reason


@pytest.fixture
def story() -> Story:
    story = Story()
    story.types(PURCHASE)
    for item, why in (("drill", "returned"), ("ticket", "cancelled by the host"), ("car", "sold"), ("lamp", "")):
        record = story.tell("shop.Purchase", item=item)
        if why:
            story.change(End(record=record, when="2026-03-01", why=why, cites=(story.fact(f"{item} {why}"),)))
    dropped = story.tell("shop.Purchase", item="boat")
    story.change(Drop(record=dropped, why="never bought it", cites=(story.fact("there is no boat"),)))
    return story


def test_manifest_records_and_context_tell_returns_cancellations_and_ends_apart(story: Story) -> None:
    line = "purchases 1 (former_purchases 1 cancelled, 1 ended, 1 returned): item, …"
    assert line in render_manifest(story.project)
    state = render(story.project)["domains/shop/state.py"]
    for shown in ("; returned 2026-03-01", "; cancelled 2026-03-01", "; ended 2026-03-01"):
        assert state.count(shown) == 1
    context = story.memory.context("drill ticket car").text
    assert "former: returned 2026-03-01\n" in context
    assert 'former: cancelled 2026-03-01, because "cancelled by the host"' in context
    assert 'former: ended 2026-03-01, because "sold"' in context


def test_explain_says_how_a_record_ended_and_why_one_was_dropped(story: Story) -> None:
    ended = story.memory.explain("shop.Purchase:drill", "item").ended
    assert ended is not None
    assert (ended.reason, ended.when) == ("returned", "2026-03-01")
    assert story.memory.explain("shop.Purchase:lamp", "item").ended is None
    with pytest.raises(Refused, match=r"No record 'shop.Purchase:boat': it was dropped \(never bought it\)\."):
        story.memory.explain("shop.Purchase:boat", "item")
