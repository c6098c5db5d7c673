"""Stores, and the URL that picks one."""

from uac.log.stores.store_address import data_folder, default_address, open_store

__all__ = ["data_folder", "default_address", "open_store"]
