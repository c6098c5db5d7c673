"""The sandbox and the small pack of these tests."""

from pathlib import Path

import pytest

from uac.packs import (
    load_pack,
)
from uac.packs.files import Pack
from uac.packs.template import write_template
from uac.sandbox import shared_sandbox
from uac.sandbox.port import Sandbox


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return shared_sandbox()


@pytest.fixture
def legal(tmp_path: Path) -> Pack:
    """The pack that the template gives."""
    write_template(tmp_path / "legal")
    return load_pack(tmp_path / "legal")
