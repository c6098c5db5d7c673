"""The environment variables that `uac` reads, and the page that lists them (docs/reference/settings.md).

`tests/repository/test_settings.py` fails if the source uses a `UAC_*` variable that is not here, if one here is no
longer used, or if `uac doctor` knows other names (`setting_names.py`). `make golden` writes the page again.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["GROUPS", "PAGE", "page", "settings", "used"]

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "reference" / "settings.md"

INTRODUCTION = """# Settings

Every environment variable that `uac` reads. `make golden` generates this page from `tools/settings.py`."""


class Setting(NamedTuple):
    name: str
    default: str
    meaning: str


class Group(NamedTuple):
    title: str
    introduction: str
    settings: tuple[Setting, ...]


GROUPS = (
    Group(
        "Store and rules",
        "See [the log](../concepts/log.md#stores), [packs](../concepts/packs.md) and "
        "[constraints](../concepts/constraints.md).",
        (
            Setting(
                "UAC_STORE",
                "`uac/memory.db` in `XDG_DATA_HOME`",
                "Address of the store: a path, `sqlite:///path` or `postgresql://…`. `--store` overrides it.",
            ),
            Setting("XDG_DATA_HOME", "`~/.local/share`", "Folder of the default store."),
            Setting("UAC_PACKS", "`all`", "Packs to use: `all`, `none`, or names such as `health,travel`."),
            Setting(
                "UAC_UNREVIEWED",
                "`mark`",
                "What a constraint written by a model may do before a person approves it: `raise`, `mark` or `wait`.",
            ),
            Setting("UAC_ZONE", "the machine's zone", "Time zone in which constraints count days: `Europe/Berlin`."),
            Setting(
                "UAC_NOW",
                "the clock",
                "Time to use instead of the clock, for everything that a command dates: `2026-03-01T12:00+01:00`.",
            ),
            Setting(
                "UAC_BACKUP_PASSPHRASE",
                "asked at the terminal",
                "Passphrase of encrypted backups, for `uac backup --encrypt` and `uac restore`.",
            ),
            Setting("NO_COLOR", "", "If set, output has no colours."),
        ),
    ),
    Group(
        "Models",
        "See [from conversation to records](../concepts/conversation.md).\n"
        "Vendors' clients read their own keys, such as `ANTHROPIC_API_KEY` and `OPENAI_API_KEY`.",
        (
            Setting(
                "UAC_MODEL",
                "none",
                "Model for all steps: `vendor:model`, or the name of a model at `UAC_MODEL_URL`.",
            ),
            Setting(
                "UAC_MODEL_EXTRACT", "`UAC_MODEL`", "Model that turns conversation into facts; `none` for no model."
            ),
            Setting("UAC_MODEL_CHECKPOINT", "`UAC_MODEL`", "Model that turns facts into records; `none` for no model."),
            Setting("UAC_MODEL_ASK", "`UAC_MODEL`", "Model that answers questions; `none` for no model."),
            Setting("UAC_MODEL_JUDGE", "none", "Model that gives `uac learn` a second opinion on each fact."),
            Setting("UAC_MODEL_URL", "", "Address of a server with a common API: `http://localhost:11434/v1`."),
            Setting("UAC_MODEL_KEY", "", "Key for the server at `UAC_MODEL_URL`. It is sent to no other server."),
            Setting(
                "UAC_LEARN",
                "`auto`",
                "`manual`: `uac add`, `uac serve` and `uac mcp` do not call the model by themselves. `work`: `uac add` "
                "and `uac serve` enqueue jobs for workers (`uac work`), on PostgreSQL.",
            ),
            Setting("UAC_MODEL_TIMEOUT", "`120`", "Seconds that one reply may take."),
            Setting(
                "UAC_PRICE",
                "the built-in price list",
                "USD for a million tokens of input and of output: `0.25/2.00`.",
            ),
            Setting("UAC_BUDGET_CALL", "no limit", "Limit for one call: `20000 tokens` or `0.50 USD`."),
            Setting("UAC_BUDGET_DAY", "no limit", "Limit for one user and day."),
            Setting("UAC_BUDGET_USER", "no limit", "Limit for one user in total."),
            Setting("UAC_RECORD", "", "File to which replies are recorded."),
            Setting("UAC_REPLIES", "", "File or folder of recorded replies to use instead of calling a model."),
        ),
    ),
    Group(
        "Recall",
        "See [recall](../concepts/recall.md).",
        (
            Setting(
                "UAC_EMBEDDER",
                "`static`",
                "Compares meanings: `static`, `minilm`, `minilm:folder`, `none`, `openai:model`, or a model's name"
                " at `UAC_EMBEDDER_URL`.",
            ),
            Setting("UAC_EMBEDDER_URL", "", "Address of a server of embeddings."),
            Setting("UAC_EMBEDDER_KEY", "", "Key for that server."),
            Setting("UAC_EMBEDDER_DIMENSION", "the model's own", "Length of shortened vectors, such as `256`."),
            Setting("UAC_EMBEDDER_QUERY_PREFIX", "", "Text put before each question."),
            Setting("UAC_EMBEDDER_TEXT_PREFIX", "", "Text put before each passage."),
            Setting("UAC_RERANKER", "none", "Model that orders the best hits, at `UAC_RERANKER_URL`."),
            Setting("UAC_RERANKER_URL", "", "Address of the reranker's server."),
            Setting("UAC_RERANKER_KEY", "", "Key for that server."),
        ),
    ),
    Group(
        "MCP and HTTP",
        "See [MCP](../guides/mcp.md) and [HTTP](../guides/http.md). The keys of `uac serve` are in the store "
        "(`uac keys`).",
        (
            Setting(
                "UAC_MCP_KEY", "", "Key that clients of `uac mcp --http` must send. Without it, a key is generated."
            ),
            Setting(
                "FORWARDED_ALLOW_IPS",
                "none",
                "Addresses of proxies whose `X-Forwarded-…` headers are trusted, such as `127.0.0.1`.",
            ),
            Setting(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "",
                "Where telemetry is sent, with OpenTelemetry's other settings; without them there is none.",
            ),
            Setting(
                "OTEL_METRICS_EXPORTER",
                "",
                "`prometheus` serves metrics at `OTEL_EXPORTER_PROMETHEUS_PORT` (9464) of each process.",
            ),
        ),
    ),
)


def settings() -> Iterator[Setting]:
    for group in GROUPS:
        yield from group.settings


def used() -> set[str]:
    """The `UAC_*` variables that the source names, apart from the list of them. 'UAC_MODEL…' is a family."""
    return {
        name
        for path in (ROOT / "src").rglob("*.py")
        if path.name != "setting_names.py"
        for name in re.findall(r"\bUAC_[A-Z_]+\b(?!…)", path.read_text(encoding="utf-8"))
    }


def page() -> str:
    parts = [INTRODUCTION]
    for title, introduction, rows in GROUPS:
        table = [f"| `{name}` | {default} | {meaning} |" for name, default, meaning in rows]
        head = ["| setting | default | meaning |", "| --- | --- | --- |"]
        parts.append("\n".join([f"## {title}\n\n{introduction}\n", *head, *table]))
    return "\n\n".join(parts) + "\n"
