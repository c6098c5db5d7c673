"""The commands of `uac-bench`."""

import click

from uac.interfaces.cli import collect_rarely
from uac_bench.bench_ablation import bench_ablation
from uac_bench.bench_alerts import bench_alerts
from uac_bench.bench_all import bench_all
from uac_bench.bench_analytical import bench_analytical
from uac_bench.bench_answers import bench_answers
from uac_bench.bench_conversations import bench_conversations
from uac_bench.bench_cost import bench_cost
from uac_bench.bench_dates import bench_dates
from uac_bench.bench_faults import bench_faults
from uac_bench.bench_first_alert import bench_first_alert
from uac_bench.bench_fleet import bench_fleet
from uac_bench.bench_growth import bench_growth
from uac_bench.bench_install import bench_install
from uac_bench.bench_knowledge import bench_knowledge
from uac_bench.bench_leaks import bench_leaks
from uac_bench.bench_log import bench_log
from uac_bench.bench_peers import bench_peers
from uac_bench.bench_project import bench_project
from uac_bench.bench_recall import bench_recall
from uac_bench.bench_report import bench_report
from uac_bench.bench_schema import bench_schema
from uac_bench.bench_serve import bench_serve
from uac_bench.bench_soak import bench_soak
from uac_bench.bench_speed import bench_speed
from uac_bench.bench_start import bench_start
from uac_bench.bench_time import bench_time
from uac_bench.bench_work import bench_work

__all__ = ["bench_commands"]


class _BenchGroup(click.Group):
    """A group whose help has the whole first sentence of each command."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, self.commands[name].get_short_help_str(1000)) for name in self.list_commands(ctx)]
            )


@click.group(
    "uac-bench", cls=_BenchGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
def bench_commands() -> None:
    """Measure what the package claims, against baselines in the same run."""
    collect_rarely()  # as every command of uac does


for command in (
    bench_log,
    bench_project,
    bench_analytical,
    bench_growth,
    bench_alerts,
    bench_schema,
    bench_faults,
    bench_conversations,
    bench_dates,
    bench_time,
    bench_knowledge,
    bench_cost,
    bench_recall,
    bench_peers,
    bench_answers,
    bench_ablation,
    bench_speed,
    bench_all,
    bench_serve,
    bench_soak,
    bench_start,
    bench_install,
    bench_first_alert,
    bench_report,
    bench_work,
    bench_fleet,
    bench_leaks,
):
    bench_commands.add_command(command)
