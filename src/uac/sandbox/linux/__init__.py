"""CPython confined by the Linux kernel: the sandbox's second engine, and a second layer of defence for the first."""

__all__: list[str] = []
