"""CPython confined by the Linux kernel: the second engine of the sandbox, and the second wall around the first."""

__all__: list[str] = []
