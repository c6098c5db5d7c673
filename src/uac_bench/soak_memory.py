"""The memory of a service over a long run: what it holds, whether it exceeds its limit, and whether it levelled off."""

from collections.abc import Sequence

import msgspec

from uac_bench.measure import child_memory, process_memory

__all__ = ["MemoryCurve", "MemorySample", "memory_curve_lines", "sample_memory"]

LEVEL = 0.03  # of its memory: what a service may grow by in the last third of a run that has levelled off
LEAST_SAMPLES = 7  # after the first: two of the last third, and as many for each of the others


class MemorySample(msgspec.Struct, frozen=True):
    """The bytes of the service's processes, and what the interpreters that they started hold beside what they share."""

    requests: int
    service: int
    interpreters: int


class MemoryCurve(msgspec.Struct, frozen=True):
    """The samples of a run, the first of them before any request, and the limit of the service's processes."""

    samples: tuple[MemorySample, ...]
    limit: int
    """What they had before, and `--cache` of each: more would be a leak."""

    @property
    def most(self) -> int:
        return max(sample.service for sample in self.samples)

    @property
    def growth(self) -> int | None:
        """The bytes by which it grew in the last third of the requests, all processes; None if the run was too short
        to say."""
        if len(self.samples) < LEAST_SAMPLES:
            return None
        last = self.samples[-1]
        begin = next(each for each in self.samples if 3 * each.requests >= 2 * last.requests)
        return last.service + last.interpreters - begin.service - begin.interpreters

    @property
    def failures(self) -> tuple[str, ...]:
        """Why the memory is not shown to be bounded; empty if it is."""
        last, growth = self.samples[-1], self.growth
        is_rising = growth is not None and growth > LEVEL * (last.service + last.interpreters)
        return (
            *(("memory is above its limit",) if self.most > self.limit else ()),
            *(("the run was too short to see memory level off",) if growth is None else ()),
            *(("memory is still rising",) if is_rising else ()),
        )


def sample_memory(pids: Sequence[int], requests: int) -> MemorySample:
    return MemorySample(requests, sum(map(process_memory, pids)), sum(map(child_memory, pids)))


def memory_curve_lines(curve: MemoryCurve) -> tuple[str, ...]:
    first, last = curve.samples[0], curve.samples[-1]
    verdict = "within" if curve.most <= curve.limit else "ABOVE"
    limit = (
        f"the most is {curve.most / 1e6:,.0f} MB, {verdict} the limit of {curve.limit / 1e6:,.0f} MB: the start"
        f" ({first.service / 1e6:,.0f} MB) and --cache"
    )
    lines = [
        "memory of all processes: " + ", ".join(f"{each.service / 1e6:,.0f}" for each in curve.samples) + " MB",
        "of their interpreters: " + ", ".join(f"{each.interpreters / 1e6:,.0f}" for each in curve.samples) + " MB",
        limit,
    ]
    if curve.growth is not None:
        share = curve.growth / (last.service + last.interpreters)
        trend = "STILL RISING" if share > LEVEL else "level"
        lines.append(
            f"in the last third of the requests it grew by {curve.growth / 1e6:,.1f} MB ({share:.1%}): {trend};"
            f" at most {LEVEL:.0%} counts as level"
        )
    return tuple(lines)
