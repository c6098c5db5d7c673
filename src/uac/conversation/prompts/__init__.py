"""The prompts: one Markdown file for each step that asks a model."""

from functools import lru_cache
from pathlib import Path
from typing import Literal

from uac.models.requests_and_replies import Step

__all__ = ["PROMPTS", "prompt_text"]

PROMPTS = Path(__file__).parent


@lru_cache(maxsize=16)
def prompt_text(name: Step | Literal["alone", "constraint", "grade", "remember"]) -> str:
    """The instructions of a step, as they are sent; `constraint` are those for the code of a rule, which a checkpoint
    request has if a fact may state one; `remember` are those for all steps in one call. `alone` and `grade` are for an
    evaluation: to answer without memory, and to compare an answer with the expected one."""
    return (PROMPTS / f"{name}.md").read_text(encoding="utf-8")
