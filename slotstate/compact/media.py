"""Pictures, sounds and files in messages: what is said of them in the prompt, and the payload that is moved out."""

from __future__ import annotations

import binascii
import json
import re
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from slotstate.compact.showing.cuts import before, clean, is_opaque
from slotstate.compact.showing.kinds import kind_of

MediaKind = Literal["json", "table", "log", "text", "binary", "image", "audio"]


class Media(NamedTuple):
    """`text` stands for a part; `payload` are the bytes to move out, None where the part only points to them."""

    text: str
    kind: MediaKind
    media: str | None
    payload: bytes | None


_Part: TypeAlias = Mapping[Any, Any]

_WORD: Final[Mapping[str, str]] = {
    "image_url": "image",
    "input_image": "image",
    "output_image": "image",
    "image": "image",
    "input_audio": "audio",
    "output_audio": "audio",
    "audio_url": "audio",
    "audio": "audio",
    "video_url": "video",
    "input_video": "video",
    "video": "video",
    "input_file": "file",
    "file": "file",
    "document": "file",
    "media": "file",
    "resource": "file",
    "resource_link": "file",
}
"""The types of parts that are no text, and what they are."""
_TYPELESS: Final = {
    "inline_data": "file",
    "inlineData": "file",
    "file_data": "file",
    "fileData": "file",
    "image": "image",
    "document": "file",
    "video": "video",
}
"""Keys of parts that have no type (Gemini, Bedrock)."""
_DATA: Final = ("data", "base64", "blob", "bytes", "file_data", "fileData")
_ADDRESSES: Final = ("url", "image_url", "video_url", "audio_url", "file_url", "file_uri", "fileUri", "uri")
_POINTERS: Final = ("file_id", "fileId", "id")
_TYPES: Final = ("media_type", "mime_type", "mimeType", "mediaType", "format")
_NAMES: Final = ("filename", "name", "title")
_INNER: Final = (
    "source",
    "file",
    "resource",
    "input_audio",
    "audio",
    "image_url",
    "video_url",
    "audio_url",
    *_TYPELESS,
)
_LEVELS: Final = 3
"""Objects inside objects that forms put the data in."""

_MEDIA: Final = re.compile(r"[a-z0-9][a-z0-9.+-]{0,40}/[a-z0-9][a-z0-9.+_-]{0,80}")
_DATA_URL: Final = re.compile(r"\s*data:(?P<head>[^,]{0,300}),", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]{0,20}:\S")
_UNSEEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_PERCENT: Final = re.compile(rb"%([0-9A-Fa-f]{2})")
_FORMATS: Final = {
    **dict.fromkeys(("png", "jpeg", "gif", "webp"), "image/"),
    **dict.fromkeys(("wav", "mp3", "flac", "ogg", "opus", "aac", "pcm16"), "audio/"),
    **dict.fromkeys(("pdf",), "application/"),
    **dict.fromkeys(("mp4", "webm", "mov"), "video/"),
}
_MAGIC: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"ID3", "audio/mp3"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
)
_URL_SHOWN: Final = 200
_BRACKETS: Final = str.maketrans("[]", "()")
_FROM_URL_FORM: Final = bytes.maketrans(b"-_", b"+/")


def describe_media(part: object) -> Media | None:
    """What stands for a content part that is no text, in the forms of OpenAI, Anthropic, Gemini, Bedrock and MCP; None
    for anything else. The payload never stands in the text. URLs do, up to 200 characters; a longer one is the payload
    as well, as a text of type text/uri-list, so that it is found again. Data that cannot be decoded moves out as it is
    written. Never raises.
    """
    what = _what(part) if isinstance(part, Mapping) else None
    if what is None or not isinstance(part, Mapping):
        return None
    fields = _fields(part, _LEVELS)
    name, media = _first(fields, _NAMES), _media_type(_first(fields, _TYPES))
    if (plain := _plain(part, fields)) is not None:
        usual = "application/json" if isinstance(fields.get("content"), list | tuple) else "text/plain"
        return _moved(clean(plain).encode(), what, media or usual, name)
    if (data := _first(fields, _DATA)) is not None:
        return _from_data(data, what, media, name)
    if (url := _first(fields, _ADDRESSES)) is not None:
        return _from_url(url, what, media, name)
    pointer = _first(fields, _POINTERS)
    return Media(_line(name, media or what, pointer), _kind(media, what, None), media, None)


def media_type_of(content: bytes) -> str | None:
    """The type of a content, by how it begins."""
    if content[:4] == b"RIFF" and content[8:12] in (b"WAVE", b"WEBP"):
        return "audio/wav" if content[8:12] == b"WAVE" else "image/webp"
    return next((media for magic, media in _MAGIC if content.startswith(magic)), None)


def _what(part: _Part) -> str | None:
    """What a part is: image, audio, video or file; None for a part that is none of these."""
    kind = part.get("type")
    if isinstance(kind, str):
        return _WORD.get(kind)
    return next((word for key, word in _TYPELESS.items() if isinstance(part.get(key), Mapping)), None)


def _fields(part: _Part, levels: int) -> dict[str, object]:
    """The fields of a part and of the objects in it where forms put the data, the inner ones first."""
    fields = {key: value for key, value in part.items() if isinstance(key, str)}
    for key in (*_INNER, *_TYPELESS) if levels else ():
        if isinstance(inner := part.get(key), Mapping):
            fields = {**fields, **_fields(inner, levels - 1)}
    return fields


def _first(fields: Mapping[str, object], keys: tuple[str, ...]) -> str | bytes | None:
    """The first of these fields that says something."""
    for key in keys:
        value = fields.get(key)
        if isinstance(value, bytearray | memoryview):
            value = bytes(value)
        if isinstance(value, str | bytes) and value:
            return value
    return None


def _plain(part: _Part, fields: Mapping[str, object]) -> str | None:
    """A document's text, where the part holds it as such."""
    content = fields.get("content")
    if isinstance(content, list | tuple):
        try:
            return json.dumps(content, ensure_ascii=False, default=repr, skipkeys=True)
        except (ValueError, RecursionError):  # it holds itself
            return None
    data = fields.get("data") if fields.get("type") == "text" else None
    inner = None if "text" in part else fields.get("text")
    return next((text for text in (data, content, inner) if isinstance(text, str) and text), None)


def _from_data(data: str | bytes, what: str, media: str | None, name: str | bytes | None) -> Media:
    if isinstance(data, bytes):
        return _moved(data, what, media, name)
    if _DATA_URL.match(data):
        return _from_url(data, what, media, name)
    return _decoded(data, what, media, name, encoded=True)


def _decoded(data: str, what: str, media: str | None, name: str | bytes | None, *, encoded: bool) -> Media:
    """The bytes that a text stands for."""
    try:
        raw = _PERCENT.sub(lambda found: bytes([int(found[1], 16)]), clean(data).encode())
        return _moved(_from_base64(raw) if encoded else raw, what, media, name)
    except ValueError:
        return _moved(clean(data).encode(), what, media, name, flaw="cannot be decoded")


def _from_base64(raw: bytes) -> bytes:
    """The bytes that base64 stands for, also in its form for URLs, over several lines and without its padding."""
    packed = b"".join(raw.split()).translate(_FROM_URL_FORM).rstrip(b"=")
    return binascii.a2b_base64(packed + b"=" * (-len(packed) % 4), strict_mode=True)


def _from_url(given: str | bytes, what: str, media: str | None, name: str | bytes | None) -> Media:
    url = given.decode("utf-8", "replace") if isinstance(given, bytes) else given
    if head := _DATA_URL.match(url):
        kind, *options = head["head"].lower().split(";")
        encoded = "base64" in (option.strip() for option in options)
        return _decoded(url[head.end() :], what, _media_type(kind) or media, name, encoded=encoded)
    if not _ADDRESS.match(url) and is_opaque(url):
        return _decoded(url, what, media, name, encoded=True)
    url = _UNSEEN.sub(" ", clean(url)).strip()
    if len(url) <= _URL_SHOWN:
        return Media(_line(name, media or what, url), _kind(media, what, None), media, None)
    shown = url[: before(url, _URL_SHOWN - 1)] + "…"
    return Media(_line(name, media or what, shown), "text", "text/uri-list", url.encode())


def _moved(content: bytes, what: str, media: str | None, name: str | bytes | None, *, flaw: str | None = None) -> Media:
    media = media or media_type_of(content)
    return Media(_line(name, media or what, _size(len(content)), flaw), _kind(media, what, content), media, content)


def _media_type(given: str | bytes | None) -> str | None:
    """A type such as image/png, also for the short names of formats."""
    said = given.strip().lower() if isinstance(given, str) else ""
    said = f"{_FORMATS.get(said, '')}{said}"
    return said if _MEDIA.fullmatch(said) else None


def _kind(media: str | None, what: str, content: bytes | None) -> MediaKind:
    main = media.split("/")[0] if media else what
    if main == "image":
        return "image"
    if main == "audio":
        return "audio"
    readable = main in {"text", "file"} or (media is not None and media.endswith(("json", "xml", "yaml")))
    return kind_of(content) if readable and content is not None else "binary"


def _line(*parts: str | bytes | None) -> str:
    """A description in brackets, which what it holds cannot close."""
    texts = (part.decode("utf-8", "replace") if isinstance(part, bytes) else part or "" for part in parts)
    shown = (_UNSEEN.sub(" ", clean(text)).translate(_BRACKETS).strip() for text in texts)
    return f"[{', '.join(text[: before(text, _URL_SHOWN)] for text in shown if text)}]"


def _size(count: int) -> str:
    if count < 1_000:
        return f"{count} {'byte' if count == 1 else 'bytes'}"
    return f"{count / 1_000:.0f} KB" if count < 999_500 else f"{count / 1_000_000:,.1f} MB"
