"""Embedders, chosen by the settings. Modules that need numpy, or more, are imported on demand."""

from uac.models.embedders.embedder_settings import chosen_embedder, chosen_local_embedder, why_no_embedder

__all__ = ["chosen_embedder", "chosen_local_embedder", "why_no_embedder"]
