"""A log whose reader is slow or gone keeps nobody waiting, and says which lines are missing."""

import io
import logging
import os

from uac.interfaces.service.line_writer import LineHandler, LineWriter

LINE = "x" * 999


def test_lines_come_in_order() -> None:
    stream = io.StringIO()
    writer = LineWriter(stream)
    for number in range(100):
        writer.write_line(str(number))
    assert writer.flush(60)
    assert stream.getvalue().split() == [str(number) for number in range(100)]


def test_a_pipe_that_nobody_reads_keeps_nobody_waiting_and_the_gap_is_told() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as reader, os.fdopen(writing, "w") as stream:
        writer = LineWriter(stream, most=10)
        for _number in range(500):  # many times what the pipe holds
            writer.write_line(LINE)
        assert not writer.flush(0)
        lines, left_out = 0, 0
        while lines + left_out < 500:
            line = reader.readline().strip()
            if line == LINE:
                lines += 1
            else:
                left_out += int(line.split()[0].replace(",", ""))
                assert line.endswith("lines of the log were left out: nobody read it.")
        assert left_out > 300
        assert writer.flush(60)


def test_records_of_logging_are_lines() -> None:
    stream = io.StringIO()
    writer = LineWriter(stream)
    handler = LineHandler(writer)
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    handler.handle(logging.makeLogRecord({"levelname": "WARNING", "msg": "the role %r", "args": ("learning",)}))
    assert writer.flush(60)
    assert stream.getvalue() == "WARNING the role 'learning'\n"
