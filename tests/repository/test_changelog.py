"""Changelog fragments are well-formed, and the tool puts them where they belong."""

import pytest

from tools.changelog import assemble, fragments, problems


def test_every_fragment_is_well_formed() -> None:
    assert [problem for name, text in fragments().items() for problem in problems(name, text)] == []


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("Log Fix.md", "- It works.\n", "lower-case words"),
        ("log-fix.md", "It works.\n", "start with a bullet"),
        ("log-fix.md", "- It works\n  now.\nAnd more.\n", "start a bullet or continue one"),
        ("log-fix.md", "- It works\n", "full stop"),
        ("log-fix.md", f"- It {'really ' * 20}works.\n", "120 characters"),
        ("log-fix.md", "- It works.\n\n", "one newline"),
    ],
)
def test_a_fragment_that_cannot_be_used_is_reported_with_the_reason(name: str, text: str, problem: str) -> None:
    assert any(problem in line for line in problems(name, text))


def test_fragments_go_to_the_top_of_unreleased_and_a_version_names_the_section() -> None:
    changelog = "# Changelog\n\n## Unreleased\n\n- Old.\n\n## 0.1.0\n\n- First.\n"
    entries = {"a.md": "- A.\n", "b.md": "- B,\n  wrapped.\n"}
    assert assemble(changelog, entries) == (
        "# Changelog\n\n## Unreleased\n\n- A.\n- B,\n  wrapped.\n- Old.\n\n## 0.1.0\n\n- First.\n"
    )
    assert assemble(changelog, entries, "0.2.0") == (
        "# Changelog\n\n## Unreleased\n\n## 0.2.0\n\n- A.\n- B,\n  wrapped.\n- Old.\n\n## 0.1.0\n\n- First.\n"
    )
