"""Moved to `uac.conversation.learning`."""

from uac.conversation.learning import *  # noqa: F403
from uac.conversation.learning import __all__  # noqa: F401
