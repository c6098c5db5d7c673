"""Import paths of earlier versions: `from uac.client import Client` finds `client.py` here (see `uac/__init__.py`)."""

__all__: list[str] = []
