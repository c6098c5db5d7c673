"""The examples run: the chat loop, the configuration for MCP, and the notebook."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import anyio
import nbformat
import pytest
from mcp import Client, StdioServerParameters
from nbclient import NotebookClient

from support.fake_vendor_server import fails, loopback, well
from support.mcp_client import LONG, Agent, environment
from support.paths import EXAMPLES
from support.warm_start import warm_folder
from uac import Memory, Observation, installed_packs, open_store

HEALTH = [pack for pack in installed_packs() if pack.name == "health"]


def chat(*lines: str, store: Path, **settings: str) -> str:
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / "chat.py"), str(store)],
        input="".join(f"{line}\n" for line in lines),
        env={"PATH": os.defpath, "HOME": str(store.parent), "LANG": "C.UTF-8", "UAC_EMBEDDER": "none", **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=LONG,
    )
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def said(store: Path) -> list[tuple[str, str]]:
    """Who said what, as the log has it."""
    opened = open_store(store, create=False)
    entries = [stored.entry for stored in opened.log("me").read()]
    opened.close()
    return [(entry.role, entry.text) for entry in entries if isinstance(entry, Observation)]


class TestChat:
    def test_without_a_model_it_keeps_each_line_and_tells_what_it_would_send(self, tmp_path: Path) -> None:
        store = tmp_path / "chat.db"
        told = chat("I am allergic to penicillin.", "", "What am I allergic to?", store=store)
        assert said(store) == [("user", "I am allergic to penicillin."), ("user", "What am I allergic to?")]
        first, second = told.split("No model is configured (UAC_MODEL). It would be sent ")[1:]
        assert "penicillin" not in first.partition("\nand then: ")[0]
        assert '1 "I am allergic to penicillin."' in second
        assert second.endswith("and then: What am I allergic to?\n")

    def test_what_was_said_yesterday_goes_along_today(self, tmp_path: Path) -> None:
        store = tmp_path / "chat.db"
        chat("My sister Ida lives in Oslo.", store=store)
        assert '1 "My sister Ida lives in Oslo."' in chat("Where does Ida live?", store=store)

    def test_alerts_that_stand_are_told_once(self, tmp_path: Path) -> None:
        store = tmp_path / "chat.db"
        opened = open_store(store)
        memory = Memory(opened.log("me"), packs=HEALTH)
        memory.put("health.Allergy", {"substance": "Penicillin"})
        memory.put("health.Medication", {"name": "Amoxicillin"})
        memory.close()
        opened.close()
        told = chat("Hello", "Good night", store=store)
        assert [line[:40] for line in told.splitlines() if line.startswith("!")] == [
            "! critical: Amoxicillin is a penicillin,"
        ]

    def test_a_model_answers_from_memory_and_its_answer_is_kept(self, tmp_path: Path) -> None:
        store = tmp_path / "chat.db"
        with loopback() as server:
            quote = {"entry": 1, "quote": "My sister Ida lives in Oslo"}
            answered = {"answer": "Ida lives in Oslo.", "known": True, "records": [], "quotes": [quote]}
            server.will(well(), well(), well(json.dumps(answered)))
            model = {"UAC_MODEL": "served", "UAC_MODEL_URL": f"{server.address}/v1", "UAC_MODEL_KEY": "a-key"}
            told = chat("My sister Ida lives in Oslo. Where does Ida live?", store=store, **model)
        assert told == "Ida lives in Oslo.\n"
        assert said(store)[-1] == ("assistant", "Ida lives in Oslo.")

    def test_a_model_that_gives_no_answer_loses_nothing(self, tmp_path: Path) -> None:
        store = tmp_path / "chat.db"
        with loopback() as server:
            server.will(fails(401, "wrong key"))
            model = {"UAC_MODEL": "served", "UAC_MODEL_URL": f"{server.address}/v1", "UAC_MODEL_KEY": "a-key"}
            told = chat("Hello", store=store, **model)
        assert told.startswith("(no answer: ")
        assert told.endswith("; what you said is kept)\n")
        assert said(store) == [("user", "Hello")]


def test_an_agent_remembers_through_the_configuration_for_mcp(tmp_path: Path) -> None:
    configuration = json.loads((EXAMPLES / "mcp.json").read_text())
    (server,) = configuration["mcpServers"].values()
    settings = environment(UAC_STORE=str(tmp_path / "memory.db"))
    settings["PATH"] = f"{warm_folder()}:{settings['PATH']}"

    async def remember() -> dict[str, Any]:
        with anyio.fail_after(LONG):
            async with Client(StdioServerParameters(**server, env=settings)) as client:
                return await Agent(client).call("remember", turns=[{"text": "I am allergic to penicillin."}])

    assert anyio.run(remember)["positions"] == [1]


def stored() -> Any:
    return nbformat.read(EXAMPLES / "notebook.ipynb", as_version=4)  # type: ignore[no-untyped-call]  # it has no types


class TestNotebook:
    @pytest.fixture(scope="class")
    @staticmethod
    def ran(tmp_path_factory: pytest.TempPathFactory) -> Any:
        """The notebook after all its cells have run, in a kernel of its own."""
        place = tmp_path_factory.mktemp("notebook")
        client = NotebookClient(
            stored(), timeout=LONG, kernel_name="python3", resources={"metadata": {"path": str(place)}}
        )
        return client.execute()

    def test_it_is_stored_without_outputs(self) -> None:
        book = stored()
        nbformat.validate(book)
        code = [cell for cell in book.cells if cell.cell_type == "code"]
        assert [(cell.outputs, cell.execution_count) for cell in code] == [([], None)] * len(code)

    def test_every_value_is_shown_as_html(self, ran: Any) -> None:
        shown = [out for cell in ran.cells if cell.cell_type == "code" for out in cell.outputs]
        assert {out.output_type for out in shown} == {"execute_result"}
        assert [out for out in shown if "text/html" not in out.data] == []

    def test_it_shows_an_alert_an_aggregate_and_the_words_behind_a_value(self, ran: Any) -> None:
        pages = [out.data["text/html"] for cell in ran.cells if cell.cell_type == "code" for out in cell.outputs]
        texts = [" ".join(ET.fromstring(f"<div>{page}</div>").itertext()) for page in pages]  # noqa: S314  # our own
        assert "finance.Transaction 29 health.Allergy 1 health.Measurement 12 travel.Trip 4" in texts[0]
        assert "critical drug_allergy amoxicillin / penicillin" in texts[1]
        assert "info long_trip kyoto|2026-03-20 You are away for 15 days" in texts[2]
        assert texts[3].startswith("name value EUR 1787.40 USD 1480 complete; finance.transactions: 29")
        assert "the dentist must never give me any" in " ".join(texts)

    def test_its_plots_tell_what_they_show(self, ran: Any) -> None:
        drawn = [
            out.data["image/svg+xml"]
            for cell in ran.cells
            for out in cell.get("outputs", [])
            if "image/svg+xml" in out.data
        ]
        told = [ET.fromstring(svg)[1].text for svg in drawn]  # noqa: S314  # our own
        assert told == [
            "amount by month and category; EUR, 27 values, highest 2025-05: travel: 655.4, lowest 2025-02: dining: 64.5; USD, 2 values, highest 2025-08: travel: 1,480, lowest 2025-08: dining: 340",
            "amount by category; EUR, 3 values, highest groceries: 3,588.4, lowest dining: 1,154.9; USD, 2 values, highest travel: 1,480, lowest dining: 340",
            "value over day; value, 12 values, highest 2025-01-01: 72.4, lowest 2025-11-01: 70.5",
            "rows by month; 5 values, highest 2025-02: 1, lowest 2025-02: 1",
        ]
