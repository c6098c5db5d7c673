"""The user of `uac-bench project`: purchases from an imported file, and queries over them.

Each query is defined twice: as the text that compute() gets, and as a plain Python function.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import count, islice
from pathlib import Path
from typing import Literal

from uac import Checkpoint, Define, Field, Observation, Put, Type, open_store
from uac.interfaces.cli import Output
from uac.schema import Json

__all__ = [
    "QUERIES",
    "SAID",
    "TYPE",
    "USER",
    "Price",
    "Purchase",
    "Query",
    "copy_purchases",
    "endless_purchases",
    "purchase_fields",
    "store_with_purchases",
]

USER = "ana"
BATCH = 1000
SOURCE = "import:purchases.csv"
Query = Literal["tiny", "sum", "group by"]


@dataclass(frozen=True)
class Price:
    """Money as queries see it."""

    amount: Decimal
    currency: str


@dataclass
class Purchase:
    """What an object of the type is in the sandbox, in plain Python."""

    item: str
    bought: date
    cost: Price
    quantity: int
    rating: float
    gift: bool
    channel: str
    tags: list[str]


TYPE = Type(
    domain="shopping",
    name="Purchase",
    doc="Something the user bought.",
    cardinality="event",
    fields=(
        Field(name="item", type="str"),
        Field(name="bought", type="date"),
        Field(name="cost", type="Money"),
        Field(name="quantity", type="int"),
        Field(name="rating", type="float"),
        Field(name="gift", type="bool"),
        Field(name="channel", type="Literal['shop', 'online', 'market']"),
        Field(name="tags", type="list[str]"),
    ),
)
ITEMS = ("running shoes", "a used bicycle", "coffee beans", "train tickets", "printer ink", "a raincoat", "Käse")
TAGS = ("home", "work", "sport", "food", "repair", "second hand")
SAID = datetime(2026, 1, 1, tzinfo=UTC)


def endless_purchases(seed: int = 1) -> Iterator[Purchase]:
    """Purchases without end, the same for the same seed."""
    chance = random.Random(seed)
    for number in count(1):
        yield Purchase(
            item=f"{chance.choice(ITEMS)} no. {number}",
            bought=date(2016, 1, 1) + timedelta(days=chance.randrange(3650)),
            cost=Price(Decimal(chance.randint(100, 99_999)).scaleb(-2), chance.choice(("EUR", "CHF", "USD"))),
            quantity=chance.randint(1, 9),
            rating=chance.randint(0, 50) / 10,
            gift=chance.random() < 0.2,
            channel=chance.choice(("shop", "online", "market")),
            tags=chance.sample(TAGS, chance.randint(0, 3)),
        )


def copy_purchases(bought: Sequence[Purchase]) -> list[Purchase]:
    """Objects equal to these: what a sandbox does when it loads, done in plain Python."""
    return [
        Purchase(
            p.item, p.bought, Price(p.cost.amount, p.cost.currency), p.quantity, p.rating, p.gift, p.channel, [*p.tags]
        )
        for p in bought
    ]


def purchase_fields(purchase: Purchase) -> dict[str, Json]:
    return {
        "item": purchase.item,
        "bought": purchase.bought.isoformat(),
        "cost": f"{purchase.cost.amount} {purchase.cost.currency}",
        "quantity": purchase.quantity,
        "rating": purchase.rating,
        "gift": purchase.gift,
        "channel": purchase.channel,
        "tags": purchase.tags,
    }


def store_with_purchases(folder: Path, records: int, out: Output) -> Path:
    """A store with one user who imported `count` purchases, as batches of lines with their records."""
    path = folder / f"{records}.db"
    bought = endless_purchases()
    with closing(open_store(path)) as store, out.progress(f"importing {records:,} records", records) as bar:
        log = store.log(USER)
        position = log.append([Checkpoint(patches=(Define(type=TYPE),), by=SOURCE)])[-1]
        for start in range(0, records, BATCH):
            batch = [purchase_fields(purchase) for purchase in islice(bought, min(BATCH, records - start))]
            lines = [_purchase_observation(fields, number) for number, fields in enumerate(batch, start)]
            puts = [Put(type=TYPE.full_name, fields=f, cites=(line,)) for line, f in enumerate(batch, position + 1)]
            position = log.append([*lines, Checkpoint(patches=tuple(puts), by=SOURCE)])[-1]
            for _ in batch:
                bar.advance()
    return path


def _purchase_observation(fields: Mapping[str, Json], number: int) -> Observation:
    return Observation(
        text=",".join(str(value) for value in fields.values()),
        said=SAID,
        role="document",
        source=SOURCE,
        key=f"{SOURCE}:{number}",
    )


def _constant_purchases_query(_bought: Sequence[Purchase]) -> object:
    return 1 + 1


def _sum_purchases_query(bought: Sequence[Purchase]) -> object:
    return sum(p.quantity for p in bought)


def _group_purchases_query(bought: Sequence[Purchase]) -> object:
    spent: dict[str, Decimal] = {}
    for p in bought:
        spent[p.channel] = spent.get(p.channel, Decimal(0)) + p.cost.amount
    return spent


GROUPED = """\
spent = {}
for p in shopping.purchases:
    spent[p.channel] = spent.get(p.channel, Decimal(0)) + p.cost.amount
spent
"""
QUERIES: Mapping[Query, tuple[str, Callable[[Sequence[Purchase]], object]]] = {
    "tiny": ("1 + 1", _constant_purchases_query),
    "sum": ("sum(p.quantity for p in shopping.purchases)", _sum_purchases_query),
    "group by": (GROUPED, _group_purchases_query),
}
