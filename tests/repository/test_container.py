"""The container file and the compose file: no engine is needed to see that they are sound."""

import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from support.paths import ROOT
from uac.interfaces.cli import main as cli

yaml = pytest.importorskip("yaml", reason="comes with the requirements of the documentation")

DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE = (ROOT / "compose.yaml").read_text()
HADOLINT = shutil.which("hadolint", path=f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin")


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    """The services with the variables' defaults in place; a variable that must be set is 'given'."""
    text = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", COMPOSE)
    text = re.sub(r"\$\{\w+:\?[^}]*\}", "given", text)
    assert "${" not in text
    found: dict[str, Any] = yaml.safe_load(text)["services"]
    return found


def instructions(name: str) -> list[str]:
    """The arguments of the instructions of that name, with continued lines joined."""
    joined = DOCKERFILE.replace("\\\n", " ")
    return [line.removeprefix(name).strip() for line in joined.splitlines() if line.startswith(f"{name} ")]


@pytest.mark.skipif(HADOLINT is None, reason="hadolint is not installed: make test installs it on Linux, x86-64")
def test_the_linter_finds_nothing_in_the_container_file() -> None:
    assert HADOLINT is not None
    done = subprocess.run([HADOLINT, "Dockerfile"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_images_are_official_and_pinned_to_a_version(services: dict[str, Any]) -> None:
    bases = [line.split()[0] for line in instructions("FROM")]
    built = "user-as-code:local"
    images = [*bases, *(service["image"] for service in services.values() if service["image"] != built)]
    assert images
    for image in images:
        assert re.fullmatch(r"(python|postgres):\d+\.\d+(\.\d+)?-[a-z-]+", image), image


def test_the_container_runs_as_an_unprivileged_user_and_says_whether_it_is_ready() -> None:
    (user,) = instructions("USER")
    assert int(user) >= 10000
    assert DOCKERFILE.index("\nUSER ") < DOCKERFILE.index("\nCMD ")
    (health,) = instructions("HEALTHCHECK")
    assert "/readyz" in health


def test_files_that_are_copied_exist_and_nothing_else_is_sent_to_the_builder() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    allowed = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    copied = {name for line in instructions("COPY") if not line.startswith("--from") for name in line.split()[:-1]}
    assert ignored[0] == "*"
    assert copied == allowed
    assert [name for name in copied if not (ROOT / name).exists()] == []
    named = set(re.findall(r"requirements/\w+\.txt", DOCKERFILE))
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_no_secret_is_written_down_and_the_password_must_be_given(services: dict[str, Any]) -> None:
    assert services["postgres"]["environment"]["POSTGRES_PASSWORD"] == "given"  # noqa: S105
    for name, value in services["service"]["environment"].items():
        if name.endswith(("KEY", "PASSWORD")):
            assert value in (None, "", "given"), name
    assert "uac:given@" in services["service"]["environment"]["UAC_STORE"]
    assert not re.search(r"\b(ARG|ENV)\b.*(KEY|PASSWORD|SECRET|TOKEN)", DOCKERFILE)


def test_only_this_machine_reaches_the_service_and_no_service_has_more_rights_than_it_needs(
    services: dict[str, Any],
) -> None:
    published = {name: service["ports"] for name, service in services.items() if "ports" in service}
    assert published == {"service": [{"target": 8311, "published": "8311", "host_ip": "127.0.0.1"}]}
    for name in ("service", "worker"):
        service = services[name]
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
        assert service["security_opt"] == ["no-new-privileges:true"]
    assert [name for name, service in services.items() if not ("healthcheck" in service or name == "service")] == []


def test_every_command_and_setting_exists(services: dict[str, Any]) -> None:
    used = [services["worker"]["command"][1]]
    used += [command.split('"')[3] for command in instructions("CMD")]
    used += [services["worker"]["healthcheck"]["test"][2], services["service"]["command"][1]]
    assert {"serve", "work"} == set(used)
    assert [name for name in used if name not in cli.commands] == []
    help_text = (ROOT / "docs" / "reference" / "commands.md").read_text()
    options = [word for word in services["service"]["command"] if word.startswith("--")]
    assert [option for option in options if f"  {option}" not in help_text] == []
    settings = (ROOT / "docs" / "reference" / "settings.md").read_text()
    named = set(re.findall(r"\bUAC_[A-Z_]+\b", COMPOSE + DOCKERFILE)) - {"UAC_PORT"}  # the compose file's own
    assert [name for name in sorted(named) if name not in settings] == []


# --- packages that are removed from the image ---


def closure(package: str, extra: str = "") -> set[str]:
    """The distributions that a package requires here, by name, with those that they require; without wordllama's."""
    found: set[str] = set()
    left = [(package, extra)]
    while left:
        name, wanted = left.pop()
        try:
            lines = requires(name) or []
        except PackageNotFoundError:
            continue  # for another platform
        for line in lines:
            required = Requirement(line)
            if required.marker and not required.marker.evaluate({"extra": wanted}):
                continue
            required_name = canonicalize_name(required.name)
            if required_name not in found and required_name != "wordllama":
                found.add(required_name)
                left += [(required_name, one) for one in required.extras or {""}]
    return found


def test_packages_that_the_image_leaves_out_are_required_by_wordllama_alone() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    needed = set().union(*(closure("user-as-code", extra) for extra in ("", *extras) if extra != "fleet"))
    assert listed("unused.txt") & needed == set()
    assert "fleet" not in DOCKERFILE  # Ray needs two of them
    assert listed("unused.txt") <= listed("run.txt")


def listed(name: str) -> set[str]:
    """The packages in a file of requirements."""
    lines = (ROOT / "requirements" / name).read_text().splitlines()
    return {canonicalize_name(line.partition("==")[0]) for line in lines if line and line[0] not in "#-"}
