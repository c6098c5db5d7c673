"""The rate of each key, counted in all processes on one store.

A process takes tokens from the shared bucket in lots of a tenth of a second's worth, so that most requests cost the
store nothing. What it does not use within a second is lost to the key: with n processes, a key that asks all of them
in turn may get that much less than its rate, and never more.
"""

import math
from collections import OrderedDict
from dataclasses import dataclass, field

import anyio
from anyio.to_thread import run_sync

from uac.log.coordination import Coordination, TokenGrant

__all__ = ["SharedRates"]

LOTS_A_SECOND = 10
LOT_SECONDS = 1.0  # for which the tokens of a lot can be used
SHORTEST_WAIT = 0.001
MOST_KEYS = 10_000


@dataclass(slots=True)
class _Lot:
    """The tokens that this process has for a key, until when; and until when there are none."""

    tokens: int = 0
    until: float = 0.0
    denied_until: float = -math.inf
    turn: anyio.Lock = field(default_factory=lambda: anyio.Lock(fast_acquire=True))


class SharedRates:
    """Buckets in the store: a request takes one token, `rate` of them come back a second, up to twice as many."""

    def __init__(self, coordination: Coordination, rate: float) -> None:
        self._coordination = coordination
        self._rate = rate
        self._most = max(2 * rate, 1.0)
        self._lot = max(math.floor(rate / LOTS_A_SECOND), 1)
        self._lots: OrderedDict[str, _Lot] = OrderedDict()

    async def take_token(self, key: str, now: float) -> float:
        """0 if there was a token; otherwise the seconds until there is one."""
        lot = self._lots.get(key) or self._lots.setdefault(key, _Lot())
        self._lots.move_to_end(key)
        if len(self._lots) > MOST_KEYS:
            self._lots.popitem(last=False)
        while now >= lot.denied_until:
            if lot.tokens and now < lot.until:
                lot.tokens -= 1
                return 0.0
            async with lot.turn:  # one request asks the store, and the others share what it gets
                if now >= lot.denied_until and not (lot.tokens and now < lot.until):
                    await self._fill(key, lot, now)
        return lot.denied_until - now

    async def _fill(self, key: str, lot: _Lot, now: float) -> None:
        granted = await run_sync(self._take, key)
        lot.tokens = granted.tokens
        lot.until = now + LOT_SECONDS
        lot.denied_until = -math.inf if granted.tokens else now + max(granted.wait, SHORTEST_WAIT)

    def _take(self, key: str) -> TokenGrant:
        return self._coordination.take_tokens(key, rate=self._rate, most=self._most, wanted=self._lot)
