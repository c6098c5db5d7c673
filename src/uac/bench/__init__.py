"""The command `uac-bench`: what the package claims about itself, measured."""

import click

from uac.bench.alerts import alerts
from uac.bench.analytical import analytical
from uac.bench.cost import cost
from uac.bench.log import log
from uac.bench.newcomer import install
from uac.bench.project import project
from uac.bench.recall import recall
from uac.bench.serving import serve

__all__ = ["main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def main() -> None:
    """Measure what the package claims, against baselines in the same run."""


for command in (log, project, analytical, alerts, cost, recall, serve, install):
    main.add_command(command)
