"""A chat loop with a memory: every line is stored, and what is known about it is sent along to the model.

    python examples/chat.py [STORE]

STORE is a path or an address as for `uac.open_store`; without it the memory is gone when the loop ends. UAC_MODEL names
the model. Without one, the loop prints what it would send, so it runs without a key.
"""

import sys
from collections.abc import Iterable
from contextlib import closing

import uac
from uac.errors import ModelError
from uac.models import chosen_models

TOKENS = 1000  # of memory, sent along with each line


def main() -> None:
    address = sys.argv[1] if len(sys.argv) > 1 else "memory:"
    with closing(uac.open_store(address)) as store:
        memory = uac.Memory(store.log("me"))
        chat(memory, sys.stdin, chosen_models())
        memory.close()


def chat(memory: uac.Memory, lines: Iterable[str], models: uac.Models) -> None:
    """Answer line by line, until the input ends."""
    reported: set[tuple[str, str]] = set()
    for line in lines:
        text = line.strip()
        if not text:
            continue
        known = memory.context(text, tokens=TOKENS)  # before the line is stored, or it would find itself
        memory.remember(text)
        answer(memory, text, known, models)
        for alert in memory.alerts():
            if (alert.constraint, alert.subject) not in reported:
                reported.add((alert.constraint, alert.subject))
                print(f"! {alert.severity}: {alert.message}")


def answer(memory: uac.Memory, text: str, known: uac.Context, models: uac.Models) -> None:
    """Learn from what was said and answer it; a model that cannot be reached loses nothing."""
    if models.for_step("ask") is None:
        print(f"No model is configured (UAC_MODEL). It would be sent {known.tokens} tokens of memory:\n")
        print(known.text)
        print(f"\nand then: {text}")
        return
    try:
        memory.learn(models)
        said = memory.ask(text, models)
    except ModelError as error:
        print(f"(no answer: {error}; what you said is kept)")
        return
    print(said.text if said.is_known else f"I do not know: {said.why}")
    memory.remember(said.text if said.is_known else "I do not know.", role="assistant")


if __name__ == "__main__":
    main()
