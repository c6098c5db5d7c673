"""A reply that waits in the database of jobs is as erasable as the words it was made from."""

from support.scripted_model import heard
from uac.interfaces.work.sealed_replies import open_reply, seal_reply
from uac.models.requests_and_replies import Reply

REPLY = Reply(text='{"facts": ["penicillin"]}', model="scripted", input_tokens=3)


def test_a_sealed_reply_opens_until_an_entry_that_it_quotes_is_erased() -> None:
    memory = heard("I'm allergic to penicillin.", "I live in Bern.")
    sealed = seal_reply(memory.log, (1, 2), REPLY, "cut off")
    assert "penicillin" not in sealed
    assert open_reply(memory.log, (1, 2), sealed) == (REPLY, "cut off")
    memory.log.erase([1], why="asked")
    assert open_reply(memory.log, (1, 2), sealed) is None


def test_a_reply_of_one_user_does_not_open_with_another_log() -> None:
    memory, other = heard("I live in Bern."), heard("I live in Bern.")
    assert open_reply(other.log, (1,), seal_reply(memory.log, (1,), REPLY, "")) is None
