"""Long chats of a user with an assistant, made up or read from files, with questions whose evidence is known."""

__all__: list[str] = []
