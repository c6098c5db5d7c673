"""Programs that run a peer in an environment of its own, where this package is not installed.

Each module imports one peer and the standard library, and is run as a script: `serve_lines` reads requests as lines of
JSON and writes answers as lines of JSON.
"""

__all__: list[str] = []
