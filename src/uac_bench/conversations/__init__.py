"""Made-up lives with their truth, played through a memory by models that remember nothing."""

__all__: list[str] = []
