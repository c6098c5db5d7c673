"""Other memories' interfaces over this one: code written for them runs with one changed import."""

__all__: list[str] = []
