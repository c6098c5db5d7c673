"""Books, films, series, games and music."""


@many("title", "kind")
class Title:
    """A book, film, series or game: wanted, under way or finished."""

    title: str
    kind: Literal["book", "film", "series", "game", "music", "podcast"]
    by: str | None
    "The author, director or artist."
    state: Literal["wanted", "started", "finished", "given up"] | None
    started: date | None
    finished: date | None
    rating: str | None
    "As the user said: 4 of 5, loved it."
    recommended_by: str | None
    who: list[str]
    "Those who read or watched it with the user."
    notes: str | None
