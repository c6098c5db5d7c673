"""A model by hand: requests are written as files, and replies are read from files beside them.

Any model, person or agent can answer: a request file is the whole message. The same request has the same file name, so
a run that is repeated continues with the replies that have come in, and a folder with all replies repeats it for ever.
"""

import json
import os
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

from uac.errors import Awaited, ModelError, NoModel, Unanswered
from uac.models.requests_and_replies import Reply, Request
from uac.text.token_count import count_tokens

__all__ = ["ExchangeModel"]

POLL_SECONDS = 0.5


class ExchangeModel:
    """Writes `ask-1f0c….request.md` into a folder, and reads the reply from `ask-1f0c….reply.txt`.

    Without a reply after `wait` seconds, `ask` raises Awaited, and `awaited` lists the request. Only the owner may
    read the files: requests and replies contain personal data. `name` is reported as the model's name.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        name: str = "exchange",
        wait: float = 0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._folder = Path(folder)
        self._wait = wait
        self._sleep = sleep
        self.name = name
        self.awaited: dict[str, Path] = {}
        """The request files without a reply so far, by the hash of the request."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise NoModel(f"{self._folder} is not a usable folder: {error.strerror}. Choose another one.") from None

    def ask(self, request: Request) -> Reply:
        stem = f"{request.step}-{request.hash[:20]}"
        reply, request_file = self._folder / f"{stem}.reply.txt", self._folder / f"{stem}.request.md"
        try:
            text = self._wait_for_reply(request, request_file, reply)
        except OSError as error:
            raise ModelError(f"{error.filename}: {error.strerror}. Check the folder's permissions.") from None
        self.awaited.pop(request.hash, None)
        if not text.strip():
            raise Unanswered(f"{reply.name} is empty. Write the reply into it, or delete it.", reason="empty")
        return Reply(
            text=text,
            model=self.name,
            input_tokens=request.tokens,
            output_tokens=count_tokens(text),
            cost=Decimal(0),
        )

    def __repr__(self) -> str:
        return f"ExchangeModel({str(self._folder)!r})"

    def _wait_for_reply(self, request: Request, request_file: Path, reply: Path) -> str:
        if not reply.exists():
            _write_request(request_file, _request_text(request, reply.name))
            self.awaited[request.hash] = request_file
        left = self._wait
        while not reply.exists():
            if left <= 0:
                raise Awaited(
                    f"{request_file.name} has no reply yet. Write the reply to {reply.name} in the same folder."
                )
            self._sleep(min(left, POLL_SECONDS))
            left -= POLL_SECONDS
        return reply.read_text(encoding="utf-8", errors="replace")


def _request_text(request: Request, reply_name: str) -> str:
    """The whole message: instructions, input, the form of the reply, and where to write it."""
    return "\n".join(
        (
            request.prompt.rstrip(),
            "",
            "## Your input",
            "",
            "```json",
            request.content,
            "```",
            "",
            "## The form of your reply",
            "",
            "```json",
            json.dumps(request.schema, ensure_ascii=False),
            "```",
            "",
            f"Write your reply, the JSON object alone, to the file {reply_name} beside this one.",
            "",
        )
    )


def _write_request(path: Path, text: str) -> None:
    """Write the whole file or nothing, so that nobody reads half a request."""
    if path.exists():
        return
    part = path.with_suffix(".part")
    opened = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(opened, "w", encoding="utf-8") as file:
        file.write(text)
    part.replace(path)
