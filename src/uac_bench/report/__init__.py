"""The page of `uac-bench report`: five cases that are played while it is built, and the figures of kept runs.

Comes in: a folder of runs (`uac_bench.runs`). Goes out: a folder with one page, its style and script, and the runs.
"""

from uac_bench.report.site import build_site

__all__ = ["build_site"]
