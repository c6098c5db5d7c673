"""A chat exported from WhatsApp, of an Android phone or an iPhone: one observation for each message with words."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import NamedTuple
from zoneinfo import ZoneInfo

from uac.errors import Refused
from uac.importing.files import TOO_LONG, BadLine, ByteSource, Progress, Skipped, read_text_lines
from uac.importing.message_files import CONVERSATION, MessageItem, MessageOptions, ReadMessage, check_me, digest_key
from uac.importing.whatsapp_times import DateOrder, LineStart, WrittenDate, find_date_order, match_line_start
from uac.schema.entries import MAX_BYTES, Observation

__all__ = ["is_whatsapp_chat", "read_whatsapp"]

FIRST_LINES = 20  # in which a chat shows itself

_MARKS = "\u200e\u200f\u202a\u202b\u202c\u2068\u2069"
_AROUND_NAMES = f"{_MARKS}~ \u00a0\u202f"

# An invisible mark comes before everything that WhatsApp itself writes on an iPhone.
_ATTACHED_ON_IPHONE = re.compile("\u200e<[^<>\n]*>")
_ATTACHED_ON_ANDROID = re.compile(
    r"\u200e?(?:(?:IMG|VID|PTT|AUD|STK|DOC)-\d{8}-WA\d+\.\w+|[^\n]{1,255}\.\w{2,5}) "
    r"\((?:file attached|Datei angehängt|archivo adjunto|fichier joint|arquivo anexado|file allegato|"
    r"bestand bijgevoegd|файл добавлен|dosya ekli|plik załączony|bifogad fil)\)(?:\n|\Z)"
)
_MEDIA = frozenset(
    (
        "<Media omitted>",
        "<Medien ausgeschlossen>",
        "<Multimedia omitido>",
        "<Archivo omitido>",
        "<Médias omis>",
        "<Mídia oculta>",
        "<Arquivo de mídia oculto>",
        "<Ficheiro não revelado>",
        "<Media omessi>",
        "<Media weggelaten>",
        "<Без медиафайлов>",
        "<Medya dahil edilmedi>",
        "<pominięto multimedia>",
        "<Media har utelämnats>",
        "<メディアは含まれていません>",
        "<省略多媒体文件>",
    )
)
_DELETED = frozenset(
    (
        "This message was deleted",
        "You deleted this message",
        "Diese Nachricht wurde gelöscht",
        "Du hast diese Nachricht gelöscht",
        "Se eliminó este mensaje",
        "Eliminaste este mensaje",
        "Ce message a été supprimé",
        "Vous avez supprimé ce message",
        "Mensagem apagada",
        "Você apagou esta mensagem",
        "Questo messaggio è stato eliminato",
        "Hai eliminato questo messaggio",
    )
)


class _Written(NamedTuple):
    """A message as it is in the file; without a speaker it is a line of WhatsApp itself."""

    number: int
    start: LineStart
    speaker: str
    text: str
    is_too_long: bool


@dataclass(slots=True)
class _Block:
    """The lines of one message."""

    number: int
    start: LineStart
    lines: list[str]
    size: int


def is_whatsapp_chat(path: ByteSource) -> bool:
    lines = (line for _number, line in read_text_lines(path, lambda _size: None))
    return any(line is not None and match_line_start(line) for line in islice(lines, FIRST_LINES))


def read_whatsapp(path: ByteSource, title: str, options: MessageOptions, progress: Progress) -> Iterator[MessageItem]:
    """The messages of a chat. Raises Refused if the zone, the order of dates, or the user is not known."""
    if options.zone is None:
        raise Refused(f"{path.name} has times without a zone. Use --zone with the phone's, such as Europe/Berlin.")
    speakers: set[str] = set()
    order = find_date_order(path.name, _survey_chat(path, speakers), options.dates)
    check_me(path.name, options.me, speakers, "speakers")
    return _read_messages(path, title, order, options.zone, options.me, progress)


def _survey_chat(path: ByteSource, speakers: set[str]) -> Iterator[WrittenDate]:
    """All dates of the file; adds everybody who said something to `speakers`."""
    for message in _read_written(path, lambda _size: None):
        if isinstance(message, _Written):
            if message.speaker and not isinstance(_words_of(message), str):
                speakers.add(message.speaker)
            yield message.start.date


def _read_messages(
    path: ByteSource, title: str, order: DateOrder, zone: ZoneInfo, me: str, progress: Progress
) -> Iterator[MessageItem]:
    repeated: Counter[str] = Counter()
    for message in _read_written(path, progress):
        if not isinstance(message, _Written):
            yield message
            continue
        try:
            said = datetime.combine(message.start.date.in_order(order), message.start.clock(), zone)
        except ValueError as error:
            yield BadLine(message.number, f"has a time that does not exist: {error}. Correct it.")
            continue
        if message.is_too_long:
            yield BadLine(message.number, TOO_LONG)
            continue
        words = _words_of(message) if message.speaker else "system line"
        if isinstance(words, str):
            yield Skipped(message.number, words)
            continue
        (text, attached) = words
        if attached:
            yield Skipped(message.number, "attached file")
        # The place in the file is no part of the key: an export holds only the latest messages of a long chat.
        key = digest_key("whatsapp", title, said.replace(tzinfo=None).isoformat(), message.speaker, text)
        repeated[key] += 1
        observation = Observation(
            text=text,
            said=said,
            zone=zone.key,
            role="user" if message.speaker == me else "person",
            speaker=message.speaker,
            session=f"whatsapp:{title}",
            source="import:whatsapp",
            key=key if repeated[key] == 1 else f"{key}:{repeated[key]}",
        )
        yield ReadMessage(message.number, observation)
    yield CONVERSATION


def _words_of(message: _Written) -> tuple[str, bool] | str:
    """The words of a message and whether a file is attached; or what it is, if it has no words of a person."""
    text = _ATTACHED_ON_IPHONE.sub("", message.text)
    attached = _ATTACHED_ON_ANDROID.match(text)
    text = text[attached.end() :] if attached else text
    has_file = text != message.text
    bare = text.strip()
    if not bare or bare in _MEDIA:
        return "media message"
    if bare.strip(f"{_MARKS}.") in _DELETED:
        return "deleted message"
    if bare.startswith("\u200e"):
        return "system line"
    return (text.rstrip() if has_file else text), has_file


def _read_written(path: ByteSource, progress: Progress) -> Iterator[_Written | BadLine | Skipped]:
    block: _Block | None = None
    for number, line in read_text_lines(path, progress):
        text = None if line is None else line.rstrip("\r\n")
        start = None if text is None else match_line_start(text)
        if start is not None and text is not None:
            if block:
                yield _written_message(block)
            block = _Block(number, start, [text[start.end :]], len(text))
        elif block is not None:
            block.size += MAX_BYTES if text is None else len(text) + 1
            if text is not None and block.size < MAX_BYTES:
                block.lines.append(text)
        elif text is None or text.strip():
            yield BadLine(number, "comes before the first message, and has no time. Remove it.")
        else:
            yield Skipped(number, "blank line")
    if block:
        yield _written_message(block)


def _written_message(block: _Block) -> _Written:
    first, *more = block.lines
    name, colon, words = first.partition(": ")
    if not colon and first.endswith(":"):  # the words begin on the next line
        name, colon, words = first[:-1], ":", ""
    # A new subject of a group is quoted, and may contain a colon.
    speaker = name.strip(_AROUND_NAMES) if colon and not re.search('["“”«»„]', name) else ""
    text = "\n".join([words, *more]).rstrip("\n")
    return _Written(block.number, block.start, speaker, text, block.size >= MAX_BYTES)
