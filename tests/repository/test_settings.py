"""docs/reference/settings.md lists every setting, and each setting that it lists is used."""

import pytest

from tools.settings import PAGE, page, settings, used
from uac.interfaces.cli.setting_names import SETTING_NAMES


def test_every_setting_in_the_source_is_listed_and_every_listed_one_is_used() -> None:
    assert {setting.name for setting in settings() if setting.name.startswith("UAC_")} == used()


def test_doctor_knows_every_setting() -> None:
    assert tuple(setting.name for setting in settings() if setting.name.startswith("UAC_")) == SETTING_NAMES


def test_every_setting_is_listed_once_with_a_meaning_that_is_a_sentence() -> None:
    names = [setting.name for setting in settings()]
    assert len(names) == len(set(names))
    assert [setting.name for setting in settings() if not setting.meaning.endswith(".")] == []


def test_the_page_is_made_from_the_table(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--golden"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()
