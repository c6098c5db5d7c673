"""Views: the one description of each answer, for HTTP, the client, MCP and the command line.

Values of the library come in (an alert, a record, a hit), and frozen dataclasses of plain JSON values go out. HTTP uses
them as response models, the client decodes into them, MCP derives its output schemas from them, and `--json` prints
them. A field that is added to a view appears in all four.
"""

__all__: list[str] = []
