"""Small sets in the formats that the suites read, made up here, and a reader that answers requests about them."""

import json
from pathlib import Path
from typing import Any

__all__ = [
    "alerts_sample",
    "analytical_sample",
    "beam_sample",
    "locomo_sample",
    "longmemeval_sample",
    "reader_reply",
    "realmem_sample",
    "reply_to_file",
]

SAID = "My cat is called Mina."
CAT, DOG = "What is my cat's name?", "What is my dog's name?"


def longmemeval_sample(folder: Path) -> Path:
    """A question that can be answered, and one that cannot."""
    item = {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": CAT,
        "answer": "Mina",
        "question_date": "2023/06/01 (Thu) 10:00",
        "answer_session_ids": ["s1"],
        "haystack_session_ids": ["s1"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [[{"role": "user", "content": SAID, "has_answer": True}]],
    }
    unknown = item | {"question_id": "q2_abs", "question": DOG}
    return _written(folder / "longmemeval" / "longmemeval_s.json", [item, unknown])


def beam_sample(folder: Path) -> Path:
    turns = [
        {"id": 0, "role": "user", "content": SAID, "time_anchor": "March-15-2024"},
        {"id": 1, "role": "assistant", "content": "Lovely!"},
    ]
    asked = {
        "information_extraction": [{"question": CAT, "source_chat_ids": [0], "answer": "Mina"}],
        "abstention": [{"question": DOG, "source_chat_ids": []}],
    }
    chat = folder / "beam" / "100K" / "1"
    _written(chat / "chat.json", [{"batch_number": 1, "turns": [turns]}])
    _written(chat / "probing_questions" / "probing_questions.json", asked)
    return folder / "beam"


def realmem_sample(folder: Path) -> Path:
    """The reply that follows a query is its gold."""
    memory = {"session_uuid": "u1", "content": "The cat is Mina"}
    first = {
        "session_identifier": "Pets_1:S1_01",
        "session_uuid": "u1",
        "current_time": "2024-05-01 (Wednesday)",
        "extracted_memory": [memory | {"index": "x", "source_turn": 0}],
        "dialogue_turns": [
            {"speaker": "User", "content": SAID, "is_query": False},
            {"speaker": "Assistant", "content": "Lovely!"},
        ],
    }
    second = {
        "session_identifier": "Pets_1:S1_02",
        "session_uuid": "u2",
        "current_time": "2024-05-03 (Friday)",
        "dialogue_turns": [
            {"speaker": "User", "content": CAT, "is_query": True, "query_id": "q1"},
            {"speaker": "Assistant", "content": "Mina", "memory_used": [memory]},
        ],
    }
    person = {"_metadata": {"person_name": "Ada"}, "dialogues": [first, second]}
    return _written(folder / "realmem" / "Ada_dialogues_256k.json", person)


def locomo_sample(folder: Path) -> Path:
    """The second gold is wrong, and an audit says so."""
    conversation = {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": SAID},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Lovely!"},
        ],
    }
    asked = [
        {"question": CAT, "answer": "Mina", "evidence": ["D1:1"], "category": 4},
        {"question": CAT, "answer": "Rex", "evidence": ["D1:1"], "category": 4},
    ]
    _written(folder / "locomo" / "locomo10.json", [{"sample_id": "conv-1", "conversation": conversation, "qa": asked}])
    return _written(
        folder / "locomo" / "gold_audit.json", [{"question_id": "locomo_0_qa1", "error_type": "HALLUCINATION"}]
    )


def analytical_sample(folder: Path) -> Path:
    """Two questions about the same trips: the reader computes one, and says too much for the other."""
    trips = [{"id": number, "date": f"2024-0{number + 1}-03", "destination": "Oslo"} for number in range(2)]
    case = {"type": "trips", "record_set": "mine", "answer_type": "int", "question_id": "trips_count_2024"}
    cases = [
        case | {"case_id": "count", "question": "How many trips did I take?", "gold": 2, "acceptable": [2]},
        case | {"case_id": "wrong", "question": "How many trips did I plan?", "gold": 5, "acceptable": [5]},
    ]
    return _written(folder / "analytical" / "cases.json", {"record_sets": {"mine": trips}, "cases": cases})


ALLERGIC, PRESCRIBED = "I'm allergic to penicillin.", "I take amoxicillin now."


def alerts_sample(folder: Path) -> Path:
    """A danger that the reader's records show, one that it never hears of, and one of another kind than the suite expects."""
    rubric = {"medicine": ["amoxicillin"], "allergy": ["penicillin"]}
    first = {"session_id": "1", "timestamp": "2025-01-08", "user_text": ALLERGIC}
    last = {"session_id": "2", "timestamp": "2025-03-08", "user_text": PRESCRIBED}
    third = first | {"session_id": "3", "timestamp": "2025-05-08"}
    case = {"suite": "standard", "trigger_session_id": "2", "expected_alert": {"severity": "critical"}}
    scenarios = [
        case | {"id": "seen", "sessions": [first, last], "v21_rubric": rubric},
        case | {"id": "missed", "sessions": [first | {"user_text": "Hello there."}, last], "v21_rubric": rubric},
        case | {"id": "other", "sessions": [last, third], "trigger_session_id": "3", "v21_rubric": {"cat": ["Mina"]}},
    ]
    return _written(folder / "alerts" / "scenarios.json", {"scenarios": scenarios})


def _learned(request: str) -> dict[str, Any]:
    """A fact for each turn that says something, and a record for each fact."""
    given = json.loads(request.split("## Your input\n\n```json\n")[1].split("\n```\n", maxsplit=1)[0])
    noted = {
        ALLERGIC: ("health.Allergy", {"substance": "penicillin"}),
        PRESCRIBED: ("health.Medication", {"name": "amoxicillin"}),
    }
    if request.startswith("# extract"):
        return {
            "facts": [
                {"text": turn["text"], "about": "user", "cites": [{"turn": turn["turn"], "quote": turn["text"]}]}
                for turn in given["turns"]
                if turn["text"] in noted and "context" not in turn
            ]
        }
    records = [(*noted[fact["text"]], fact["fact"]) for fact in given["facts"]]
    return {"patches": [{"op": "put", "type": of, "fields": fields, "cites": [at]} for of, fields, at in records]}


def _written(path: Path, content: Any) -> Path:
    """The folder of the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path.parent


def reader_reply(request: str) -> str:
    """What a careful reader replies: it computes a count, gives the name if it is shown, and compares literally."""
    if request.startswith(("# extract", "# checkpoint")):
        return json.dumps(_learned(request))
    if "# grade" in request:
        return json.dumps({"right": "Rex" not in request, "why": "compared"})
    if "How many trips" in request:
        if '"result"' not in request:
            return json.dumps({"tool": "compute", "code": "len(travel.trips)"})
        return json.dumps({"answer": "2", "known": True, "records": [], "quotes": []})
    is_known = SAID in request and "cat's name" in request
    reply: dict[str, Any] = {"answer": "Mina" if is_known else "", "known": is_known}
    if '"quotes"' in request:
        reply |= {"records": [], "quotes": [{"entry": 1, "quote": SAID}] if is_known else []}
    return json.dumps(reply)


def reply_to_file(request: Path) -> None:
    """Write the reader's reply to the file that a request of an exchange names."""
    Path(str(request).replace(".request.md", ".reply.txt")).write_text(reader_reply(request.read_text()))
