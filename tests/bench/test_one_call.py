"""The two ways of remembering a life give the same things; one call takes fewer calls and tokens for each fact."""

from uac_bench.conversations.generator import generate_life
from uac_bench.conversations.one_call import CallCost, play_both_ways, sum_costs


def test_one_call_remembers_the_same_with_fewer_calls_and_tokens() -> None:
    two_steps, one_call = play_both_ways(generate_life(1, 2, "en"))
    assert (one_call.facts, one_call.things, one_call.right) == (two_steps.facts, two_steps.things, two_steps.right)
    assert one_call.calls_per_fact < two_steps.calls_per_fact
    assert one_call.tokens_per_fact < two_steps.tokens_per_fact


def test_costs_of_several_lives_are_summed() -> None:
    one = CallCost(calls=1, tokens=10, facts=2, verdicts=("", "no record"))
    both = sum_costs([one, one])
    assert both == CallCost(calls=2, tokens=20, facts=4, verdicts=("", "no record", "", "no record"))
    assert (both.right, both.things) == (2, 4)
