"""Conformance suites for those who write their own store, sandbox or model. They need pytest and hypothesis."""

from uac.testing.model import ModelContract
from uac.testing.recall import RecallContract
from uac.testing.sandbox import SandboxContract
from uac.testing.store import StoreContract

__all__ = ["ModelContract", "RecallContract", "SandboxContract", "StoreContract"]
