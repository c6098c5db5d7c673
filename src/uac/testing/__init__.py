"""Conformance suites for your own store, sandbox or model (they need pytest and hypothesis), and a scripted model."""

from uac.models.scripted import ScriptedModel
from uac.testing.model import ModelContract
from uac.testing.recall import RecallContract
from uac.testing.sandbox import SandboxContract
from uac.testing.store import StoreContract

__all__ = ["ModelContract", "RecallContract", "SandboxContract", "ScriptedModel", "StoreContract"]
