"""The commands of `uac-bench`."""

import click

from uac_bench.bench_alerts import alerts
from uac_bench.bench_analytical import analytical
from uac_bench.bench_cost import cost
from uac_bench.bench_install import install
from uac_bench.bench_log import log
from uac_bench.bench_project import project
from uac_bench.bench_recall import recall
from uac_bench.bench_serve import serve

__all__ = ["main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def main() -> None:
    """Measure what the package claims, against baselines in the same run."""


for command in (log, project, analytical, alerts, cost, recall, serve, install):
    main.add_command(command)
