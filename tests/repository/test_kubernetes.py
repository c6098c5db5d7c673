"""The manifests for Kubernetes: valid by its own schemas, and without privileges. No cluster is needed to see that."""

from collections.abc import Iterator
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]  # it ships no types
import pytest
from click.testing import CliRunner

from support.paths import ROOT
from uac.interfaces.cli import main as cli

yaml = pytest.importorskip("yaml", reason="comes with the requirements of the documentation")

FOLDER = ROOT / "deploy" / "kubernetes"
KUSTOMIZATION: dict[str, Any] = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
RESOURCES: list[dict[str, Any]] = [
    resource for name in KUSTOMIZATION["resources"] for resource in yaml.safe_load_all((FOLDER / name).read_text())
]
VERSIONS = ("1.31.0", kubernetes_validate.latest_version())


def pods() -> Iterator[dict[str, Any]]:
    for resource in RESOURCES:
        if resource["kind"] == "Deployment":
            yield resource["spec"]["template"]


def containers() -> Iterator[dict[str, Any]]:
    for pod in pods():
        yield from pod["spec"]["containers"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("resource", RESOURCES, ids=lambda one: f"{one['kind']}-{one['metadata']['name']}")
def test_each_resource_is_valid_and_has_no_unknown_field(resource: dict[str, Any], version: str) -> None:
    kubernetes_validate.validate(resource, version.rsplit(".", 1)[0], strict=True)


def test_each_file_of_the_folder_is_applied() -> None:
    names = {path.name for path in FOLDER.iterdir()}
    assert names == {"kustomization.yaml", *KUSTOMIZATION["resources"]}


def test_containers_run_commands_and_options_that_exist() -> None:
    for container in containers():
        program, command, *options = container["args"]
        assert program == "uac"
        help_text = CliRunner().invoke(cli, [command, "--help"]).output
        assert "Error" not in help_text
        for option in options:
            assert not option.startswith("--") or f"{option} " in help_text.replace("\n", " "), option


def test_pods_have_no_privileges_and_bounded_memory() -> None:
    for pod in pods():
        assert pod["spec"]["automountServiceAccountToken"] is False
        assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
    for container in containers():
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert "memory" in container["resources"]["limits"]


def test_selectors_select_their_own_pods() -> None:
    labels = {pod["metadata"]["labels"]["part"]: pod["metadata"]["labels"] for pod in pods()}
    for resource in RESOURCES:
        spec = resource["spec"]
        if resource["kind"] == "Deployment":
            assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]
        selector = spec.get("podSelector", spec.get("selector", {}))
        wanted = selector.get("matchLabels", selector) if isinstance(selector, dict) else {}
        assert any(wanted.items() <= had.items() for had in labels.values()), resource["metadata"]["name"]


def test_secrets_come_from_the_cluster_and_are_not_in_the_files() -> None:
    for container in containers():
        assert container["envFrom"] == [{"secretRef": {"name": "uac"}}]
        assert {entry["name"] for entry in container.get("env", ())} <= {
            "OTEL_METRICS_EXPORTER",
            "OTEL_EXPORTER_PROMETHEUS_HOST",
            "UAC_LEARN",
        }
