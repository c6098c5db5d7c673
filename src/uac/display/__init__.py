"""Shows the library's results to people: tables, charts and notebook output.

Input: records, hits, alerts, explanations. Output: text, HTML and SVG in which stored text cannot become markup.
"""

from uac.display.html import Markup, Part, element, fragment
from uac.display.plots import Plot
from uac.display.tables import Table, table

__all__ = ["Markup", "Part", "Plot", "Table", "element", "fragment", "table"]
