from uac.cli.main import main

__all__ = ["main"]
