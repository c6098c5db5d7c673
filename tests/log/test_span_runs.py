"""Spans of a block are received as runs and pieces, and come out as they were asked for."""

from hypothesis import given
from hypothesis import strategies as st

from uac.log.block_parts import BlockSpan
from uac.log.stores.span_runs import Run, SpanBytes

SIZE = 60
spans_of_a_block = st.lists(
    st.tuples(st.integers(0, SIZE), st.integers(0, SIZE)).map(lambda ends: (min(ends), max(ends))), max_size=8
)


@given(st.binary(min_size=SIZE, max_size=SIZE), spans_of_a_block, st.integers(1, SIZE))
def test_each_span_has_its_bytes_however_small_the_pieces_are(data: bytes, spans: list[BlockSpan], most: int) -> None:
    received = SpanBytes(3, spans)
    for run in received.runs:
        for piece in run.pieces(most):
            assert piece.number == 3
            assert piece.length <= most
            received.put(piece, data[piece.start : piece.stop])
    assert received.spans() == [data[start:stop] for start, stop in spans]


def test_spans_that_lie_behind_each_other_are_one_run() -> None:
    assert SpanBytes(0, [(40, 48), (0, 8), (10, 16)]).runs == [Run(0, 0, 16, 0), Run(0, 40, 48, 16)]
