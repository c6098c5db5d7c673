"""The routes of the HTTP service, one module per subject.

`name=` in a route keeps its operation id in the OpenAPI document, from which clients may have been generated.
"""

__all__: list[str] = []
