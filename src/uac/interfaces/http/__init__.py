"""The memory of many users as a service over HTTP."""

from uac.interfaces.http.app import make_app

__all__ = ["make_app"]
