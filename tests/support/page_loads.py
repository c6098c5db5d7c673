"""The addresses that a browser requests for a page."""

import re
from html.parser import HTMLParser


class Loads(HTMLParser):
    """The addresses that a browser asks for when it shows a page: not those that a reader may follow."""

    LINKED = frozenset("stylesheet icon preload prefetch preconnect dns-prefetch modulepreload manifest".split())

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._in_style = tag == "style"
        self.found += loads_of_style(given.get("style", ""))
        self.found += [part.split()[0] for part in given.get("srcset", "").split(",") if part.strip()]
        if tag == "link" and self.LINKED & set(given.get("rel", "").split()):
            self.found.append(given["href"])
        elif tag != "a":
            names = ("src", "data", "poster", "xlink:href", *(("href",) if tag in {"use", "image"} else ()))
            self.found += [given[name] for name in names if name in given]

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.found += loads_of_style(data)


def loads_of_page(markup: str) -> list[str]:
    parser = Loads()
    parser.feed(markup)
    return parser.found


def loads_of_style(style: str) -> list[str]:
    found = re.findall(r"""url\(\s*(["']?)(.*?)\1\s*\)|@import\s+(["'])(.*?)\3""", style)
    return [url or imported for _quote, url, _mark, imported in found]
