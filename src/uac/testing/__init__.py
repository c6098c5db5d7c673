"""Conformance suites for those who write their own store. They need pytest and hypothesis."""

from uac.testing.store import StoreContract

__all__ = ["StoreContract"]
