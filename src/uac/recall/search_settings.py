"""The ideas of the search that can be switched off, so that a benchmark can say what each of them gives."""

import msgspec

__all__ = ["ALL_IDEAS", "SearchSettings"]


class SearchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a search does beside matching words, meaning, people and times. All of it by default."""

    addressed: bool = True
    """Tell questions about the assistant's words from those that only address it; else any "you" is about it."""
    outlines: bool = True
    """Recognise questions that need every mention."""
    short_tail: bool = True
    """Within a budget, shorten all but the best matches."""
    memory_vectors: bool = True
    """Compare vectors apart from what they have in common, with the turns beside, rare words of the question first."""
    thread: bool = True
    """Let the last words of the running conversation count."""
    asides: bool = True
    """Let sentences that ask nothing count for less."""
    best_turns: bool = True
    """Search by meaning again, for what the best turns are about."""
    answers: bool = True
    """Let the assistant's answer to a turn add to its score."""
    fading_times: bool = True
    """Let the time of a turn count for less if it matches in no other way."""


ALL_IDEAS = SearchSettings()
