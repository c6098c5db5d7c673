"""The commands of `uac-bench`."""

import click

from uac.interfaces.cli import collect_rarely
from uac_bench.bench_alerts import bench_alerts
from uac_bench.bench_analytical import bench_analytical
from uac_bench.bench_conversations import bench_conversations
from uac_bench.bench_cost import bench_cost
from uac_bench.bench_dates import bench_dates
from uac_bench.bench_first_alert import bench_first_alert
from uac_bench.bench_install import bench_install
from uac_bench.bench_knowledge import bench_knowledge
from uac_bench.bench_log import bench_log
from uac_bench.bench_project import bench_project
from uac_bench.bench_recall import bench_recall
from uac_bench.bench_serve import bench_serve
from uac_bench.bench_start import bench_start
from uac_bench.bench_time import bench_time

__all__ = ["bench_commands"]


@click.group("uac-bench", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def bench_commands() -> None:
    """Measure what the package claims, against baselines in the same run."""
    collect_rarely()  # as every command of uac does


for command in (
    bench_log,
    bench_project,
    bench_analytical,
    bench_alerts,
    bench_conversations,
    bench_dates,
    bench_time,
    bench_knowledge,
    bench_cost,
    bench_recall,
    bench_serve,
    bench_start,
    bench_install,
    bench_first_alert,
):
    bench_commands.add_command(command)
