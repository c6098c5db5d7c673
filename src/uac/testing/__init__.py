"""Conformance suites for those who write their own store or sandbox. They need pytest and hypothesis."""

from uac.testing.sandbox import SandboxContract
from uac.testing.store import StoreContract

__all__ = ["SandboxContract", "StoreContract"]
