"""A process of the service that ends as soon as it starts is replaced ever more slowly."""

from uac.interfaces.http.server import LONGEST_PAUSE, SETTLED, RestartBackoff


def pause_of(backoff: RestartBackoff, pid: int, now: float, lived: float, code: int = 1) -> float | None:
    """The pause after a process that started at `now` and lived for so many seconds."""
    assert backoff.seconds_left(pid, None, now) is None
    return backoff.seconds_left(pid, code, now + lived)


def test_a_process_that_had_served_or_was_killed_is_replaced_at_once() -> None:
    assert pause_of(RestartBackoff(), 1, 100.0, SETTLED) == 0.0
    assert pause_of(RestartBackoff(), 1, 100.0, 0.5, code=-9) == 0.0


def test_a_process_that_cannot_start_is_replaced_after_twice_the_pause_each_time() -> None:
    backoff = RestartBackoff()
    pauses = [pause_of(backoff, pid, 100.0 * pid, 0.5) for pid in range(1, 9)]
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE]


def test_the_pause_passes_and_a_process_that_serves_ends_the_series() -> None:
    backoff = RestartBackoff()
    pause_of(backoff, 1, 0.0, 0.0)
    pause_of(backoff, 2, 1.0, 0.0)
    assert backoff.seconds_left(2, 1, 2.5) == 0.5
    assert backoff.seconds_left(2, 1, 9.0) == 0.0
    assert pause_of(backoff, 3, 9.0, 60.0) == 0.0
    assert pause_of(backoff, 4, 69.0, 0.0) == 1.0
