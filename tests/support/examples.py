"""How many examples a property is tried with: few by default, since every run has new ones, and more with --slow."""

from hypothesis import HealthCheck, settings

__all__ = ["examples", "histories", "load_profile"]

FEW, MANY = 50, 200


def load_profile(*, slow: bool) -> None:
    """No test is about time: a busy machine must not fail one."""
    settings.register_profile(
        "untimed", max_examples=MANY if slow else FEW, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("untimed")


def examples(few: int) -> int:
    """The number for a property whose examples take long; four times more with --slow."""
    assert settings.default is not None
    return few * settings.default.max_examples // FEW


def histories(few: int) -> int:
    """The number of random histories; fifteen times more with --slow, because the rare orders of events matter."""
    return few if examples(1) == 1 else 15 * few
