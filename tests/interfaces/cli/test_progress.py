"""The progress bar of a command: drawn when the work takes long, however few its steps are."""

import pytest

from uac.interfaces.cli import Output, output


def drawn(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, steps: int, seconds: float) -> str:
    """What a terminal shows while ten steps are planned and some are made, each of which takes so long."""
    now = [0.0]
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(output, "monotonic", lambda: now[0])
    with Output(as_json=False).progress("stories", 10) as bar:
        for _step in range(steps):
            now[0] += seconds
            bar.advance()
    return capsys.readouterr().err


def test_a_bar_appears_after_a_second_even_if_there_are_few_steps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "3/10" in drawn(monkeypatch, capsys, steps=3, seconds=20)


def test_work_of_less_than_a_second_has_no_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert drawn(monkeypatch, capsys, steps=9, seconds=0.1) == ""
