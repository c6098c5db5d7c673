"""The prompts: one Markdown file for each step that asks a model."""

from functools import lru_cache
from pathlib import Path

from uac.models.requests_and_replies import Step

__all__ = ["PROMPTS", "prompt_text"]

PROMPTS = Path(__file__).parent


@lru_cache(maxsize=16)
def prompt_text(name: Step) -> str:
    """The instructions of a step, as they are sent."""
    return (PROMPTS / f"{name}.md").read_text(encoding="utf-8")
