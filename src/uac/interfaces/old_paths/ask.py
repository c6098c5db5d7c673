"""Moved to `uac.conversation.ask`."""

from uac.conversation.ask import *  # noqa: F403
from uac.conversation.ask import __all__  # noqa: F401
