"""Writes lines of a log in a thread of its own: a reader who is slow or gone keeps no request waiting."""

import atexit
import logging
import queue
import threading
from typing import TextIO

__all__ = ["LineHandler", "LineWriter"]

MOST_LINES = 10_000
"""Lines that wait for a reader. Further ones are left out, and counted."""

FLUSH_SECONDS = 1.0
"""Seconds that the process waits at its end for lines to be written."""


class LineWriter:
    """Lines on their way to a stream, such as a pipe that another program reads."""

    def __init__(self, stream: TextIO, most: int = MOST_LINES) -> None:
        self._stream = stream
        self._lines: queue.Queue[str] = queue.Queue(most)
        self._lock = threading.Lock()
        self._left_out = 0
        self._idle = threading.Event()
        self._idle.set()
        threading.Thread(target=self._write_lines, name="uac-log", daemon=True).start()
        atexit.register(self.flush)

    def write_line(self, line: str) -> None:
        """Never waits: if too many lines wait already, this one is counted in place of being written."""
        with self._lock:
            self._idle.clear()
            try:
                self._lines.put_nowait(line)
            except queue.Full:
                self._left_out += 1

    def flush(self, seconds: float = FLUSH_SECONDS) -> bool:
        """Wait until all lines are written, for at most this time; whether they are."""
        return self._idle.wait(seconds)

    def _write_lines(self) -> None:
        while True:
            line = self._lines.get()
            with self._lock:
                left_out, self._left_out = self._left_out, 0
            if left_out:
                line = f"{line}\n{left_out:,} lines of the log were left out: nobody read it."
            try:
                self._stream.write(f"{line}\n")
                self._stream.flush()
            except (OSError, ValueError):  # the reader has gone, or the stream is closed: there is nobody to tell
                self._idle.set()
                return
            with self._lock:
                if self._lines.empty() and not self._left_out:
                    self._idle.set()


class LineHandler(logging.Handler):
    """Hands records of `logging` to a LineWriter."""

    def __init__(self, writer: LineWriter) -> None:
        super().__init__()
        self._writer = writer

    def emit(self, record: logging.LogRecord) -> None:
        self._writer.write_line(self.format(record))
