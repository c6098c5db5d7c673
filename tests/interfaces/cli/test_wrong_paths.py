"""Paths that cannot be used: the commands say which and why, with their exit code, and never with a traceback."""

from pathlib import Path

import pytest

from support.cli import uac


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UAC_STORE", str(tmp_path / "memory.db"))
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("I am a file.\n")
    Path("latin-1.py").write_bytes(b"\xe4")
    assert uac("put", "ana", "health.Allergy", "substance=penicillin").exit_code == 0
    return tmp_path


@pytest.mark.parametrize("root", ["/", "."])
def test_a_folder_is_not_a_store(root: str) -> None:
    result = uac("users", "--store", root)
    assert (result.exit_code, result.stderr) == (4, f"NotAStore: {root} is a folder. Use a file.\n")


def test_a_data_folder_that_cannot_be_made_is_named_with_the_way_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UAC_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", str(Path("file").absolute()))
    result = uac("add", "ana", "hello")
    assert result.exit_code == 4
    assert result.stderr == (
        f"Unavailable: The folder of the store, {Path('file').absolute()}/uac, cannot be made: Not a directory."
        " Check its permissions, or choose a file with --store or UAC_STORE.\n"
    )


@pytest.mark.parametrize("options", [[], ["--git"]])
def test_a_folder_that_cannot_be_written_is_not_exported_to(options: list[str]) -> None:
    result = uac("export", "ana", "file/project", *options)
    assert (result.exit_code, result.stderr) == (
        3,
        "Refused: export: file/project cannot be written: Not a directory. Check its path and permissions.\n",
    )


def test_a_report_without_a_folder_is_refused_before_anything_is_asked() -> None:
    Path("questions.jsonl").write_text('{"question": "What am I allergic to?", "answer": "penicillin"}\n')
    result = uac("eval", "ana", "questions.jsonl", "--exchange", "replies", "--report", "none/page.html")
    assert (result.exit_code, result.stdout, result.stderr, Path("replies").exists()) == (
        3,
        "",
        "Refused: --report: There is no folder none. Make it, or choose another file.\n",
        False,
    )
    name = f"{'long' * 80}.html"
    result = uac("eval", "ana", "questions.jsonl", "--exchange", "replies", "--report", name)
    assert (result.exit_code, result.stderr) == (
        3,
        f"Refused: --report: {name} cannot be written: File name too long. Check its path and permissions.\n",
    )
    assert "What am I allergic to?" in result.stdout


@pytest.mark.parametrize("arguments", [["constraints", "add", "ana"], ["compute", "ana", "--file"]])
def test_code_that_cannot_be_read_is_refused_with_the_reason_in_words(arguments: list[str]) -> None:
    for name, reason in {
        "none.py": "none.py cannot be read: No such file or directory. Check its path and permissions.",
        "latin-1.py": "latin-1.py: byte 0 is not UTF-8. Save the file as UTF-8.",
    }.items():
        result = uac(*arguments, name)
        assert (result.exit_code, result.stderr.replace("--file: ", "")) == (3, f"Refused: {reason}\n")


def test_a_wrong_setting_is_refused_before_the_text_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_LEARN", "x")
    assert uac("add", "ben", "hello").exit_code == 3
    assert "ben" not in uac("users").stdout
