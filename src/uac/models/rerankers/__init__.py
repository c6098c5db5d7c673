"""Rerankers, chosen by the settings; by default none."""

from uac.models.rerankers.reranker_settings import chosen_reranker

__all__ = ["chosen_reranker"]
