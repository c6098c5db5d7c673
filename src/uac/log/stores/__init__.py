"""Stores, and the URL that picks one."""

from uac.log.stores.store_address import default_address, open_store

__all__ = ["default_address", "open_store"]
