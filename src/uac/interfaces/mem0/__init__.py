"""The mem0 API over this memory: programs written for mem0 run with one changed import."""

from uac.interfaces.mem0.memory import Added, Adding, AsyncMemory, Change, Invalid, Item, Items, Memory, Message

__all__ = ["Added", "Adding", "AsyncMemory", "Change", "Invalid", "Item", "Items", "Memory", "Message"]
