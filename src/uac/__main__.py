"""python -m uac."""

from uac.interfaces.cli import main

__all__: list[str] = []

main(prog_name="uac")
