"""Results of the library for people: tables, charts and notebook output.

Comes in: records, hits, alerts, explanations. Goes out: text, HTML and SVG in which stored text cannot become markup.
"""

from uac.display.plots import Plot
from uac.display.tables import Table, table

__all__ = ["Plot", "Table", "table"]
