"""Compares date libraries with our own reader on the sentences of `uac-bench dates`.

Run it in an environment that has some of the libraries: `python tools/compare_date_readers.py`. Only sentences whose
field has a single right day are used. A library is right if the day is among those it finds, wrong if it finds only
others, and silent if it finds none. The best way to call each library is used: with the language and the day of
saying, and with dates to come preferred where it has that choice.
"""

import json
import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date, datetime
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = ["main"]

CORPUS = Path(__file__).parent.parent / "src" / "uac_bench" / "dates" / "corpus.jsonl"
KINDS = ("date", "date_range_start", "date_range_end")

Reader = Callable[[str, datetime, str], Iterable[date]]


def main(parts: list[str]) -> None:
    """Print a line for each library that is installed; `parts` are the parts of the corpus, all if there are none."""
    lines = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    asked = [
        line
        for line in lines
        if line["kind"] in KINDS and len(line["right"]) == 1 and (not parts or line["half"] in parts)
    ]
    print(f"{len(asked)} sentences")
    for name, make in READERS.items():
        try:
            reader, number = make(), version(name)
        except (ImportError, PackageNotFoundError):
            print(f"{name}: not installed")
            continue
        print(f"{name} {number}: {_measure(reader, asked)}")


def _measure(reader: Reader, asked: list[dict[str, Any]]) -> str:
    counts: dict[str, Counter[str]] = {}
    taken = 0.0
    for line in asked:
        said = datetime.fromisoformat(line["said"])
        started = time.process_time()
        try:
            found = {day.isoformat() for day in reader(line["text"], said, line["lang"])}
        except Exception:  # noqa: BLE001 - whatever a library raises on a sentence, it found nothing
            found = set()
        taken += time.process_time() - started
        answer = "right" if line["right"][0] in found else "wrong" if found else "silent"
        for group in ("all", "en" if line["lang"] == "en" else "other languages"):
            counts.setdefault(group, Counter())[answer] += 1
    shares = "; ".join(
        f"{group}: " + ", ".join(f"{name} {count[name] / count.total():.0%}" for name in ("right", "wrong", "silent"))
        for group, count in counts.items()
    )
    return f"{shares}; {taken / len(asked) * 1000:.1f} ms each"


def _own() -> Reader:
    mentions = import_module("uac.text.dates.mentions").mentions

    def read(text: str, said: datetime, _language: str) -> Iterable[date]:
        for mention in mentions(text, said):
            likeliest = mention.meanings[0]
            yield from (day for day in (likeliest.first, likeliest.last) if day)

    return read


def _dateparser() -> Reader:
    search = import_module("dateparser.search").search_dates

    def read(text: str, said: datetime, language: str) -> Iterable[date]:
        settings = {"RELATIVE_BASE": said, "PREFER_DATES_FROM": "future"}
        return [found.date() for _, found in search(text, languages=[language], settings=settings) or ()]

    return read


def _parsedatetime() -> Reader:
    calendar = import_module("parsedatetime").Calendar()

    def read(text: str, said: datetime, _language: str) -> Iterable[date]:
        return [found[0].date() for found in calendar.nlp(text, sourceTime=said) or ()]

    return read


def _recurrent() -> Reader:
    event = import_module("recurrent").RecurringEvent

    def read(text: str, said: datetime, _language: str) -> Iterable[date]:
        found = event(now_date=said).parse(text)
        return [found.date()] if isinstance(found, datetime) else []

    return read


def _timefhuman() -> Reader:
    module = import_module("timefhuman")

    def read(text: str, said: datetime, _language: str) -> Iterable[date]:
        return _flat(module.timefhuman(text, config=module.tfhConfig(now=said)))

    return read


def _ctparse() -> Reader:
    parse = import_module("ctparse").ctparse
    logging.disable()  # it reports each sentence that it cannot read

    def read(text: str, said: datetime, _language: str) -> Iterable[date]:
        found = getattr(parse(text, ts=said, timeout=1.0), "resolution", None)
        ends = [getattr(found, name, None) for name in ("t_from", "t_to")] if hasattr(found, "t_from") else [found]
        return [date(end.year, end.month, end.day) for end in ends if end is not None and end.isDate | end.isDateTime]

    return read


def _dateutil() -> Reader:
    parse = import_module("dateutil.parser").parse

    def read(text: str, said: datetime, _language: str) -> Iterable[date]:
        return [parse(text, fuzzy=True, default=said).date()]

    return read


def _flat(found: Any) -> list[date]:
    if isinstance(found, list | tuple):
        return [day for each in found for day in _flat(each)]
    return [found.date() if isinstance(found, datetime) else found] if isinstance(found, date) else []


READERS: dict[str, Callable[[], Reader]] = {
    "user-as-code": _own,
    "dateparser": _dateparser,
    "parsedatetime": _parsedatetime,
    "recurrent": _recurrent,
    "timefhuman": _timefhuman,
    "ctparse": _ctparse,
    "python-dateutil": _dateutil,
}


if __name__ == "__main__":
    main(sys.argv[1:])
