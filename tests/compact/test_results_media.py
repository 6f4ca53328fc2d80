"""Pictures, sounds and files: described in a line, their payload moved out and never in the text."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.compact.media import describe_media, media_type_of

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 132
CSV = b"a,b\n1,2\n3,4\n5,6\n7,8"
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt " + bytes(2_000_000)
PDF = b"%PDF-1.7\n\xe2\xe3\xcf\xd3\n" + bytes(600)


def packed(content: bytes) -> str:
    return base64.b64encode(content).decode()


PDF_URL = f"data:application/pdf;base64,{packed(PDF)}"
DATA_URL = f"data:image/png;base64,{packed(PNG)}"


@pytest.mark.parametrize(
    ("part", "text", "kind", "media", "payload"),
    [
        ({"type": "image_url", "image_url": {"url": DATA_URL}}, "[image/png, 34 KB]", "image", "image/png", PNG),
        ({"type": "image_url", "image_url": DATA_URL}, "[image/png, 34 KB]", "image", "image/png", PNG),
        ({"type": "input_image", "image_url": DATA_URL}, "[image/png, 34 KB]", "image", "image/png", PNG),
        ({"type": "image_url", "image_url": {"url": packed(PNG)}}, "[image/png, 34 KB]", "image", "image/png", PNG),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": packed(PNG)}},
            *("[image/png, 34 KB]", "image", "image/png", PNG),
        ),
        (
            {"type": "image", "data": packed(PNG), "mimeType": "image/png"},
            *("[image/png, 34 KB]", "image", "image/png", PNG),
        ),
        (
            {"inline_data": {"mime_type": "image/png", "data": PNG}},
            *("[image/png, 34 KB]", "image", "image/png", PNG),
        ),
        (
            {"inlineData": {"mimeType": "audio/ogg", "data": bytearray(b"OggS123")}},
            *("[audio/ogg, 7 bytes]", "audio", "audio/ogg", b"OggS123"),
        ),
        ({"image": {"format": "png", "source": {"bytes": PNG}}}, "[image/png, 34 KB]", "image", "image/png", PNG),
        (
            {"type": "input_audio", "input_audio": {"data": packed(WAV), "format": "wav"}},
            *("[audio/wav, 2.0 MB]", "audio", "audio/wav", WAV),
        ),
        ({"type": "audio", "data": packed(WAV)}, "[audio/wav, 2.0 MB]", "audio", "audio/wav", WAV),
        ({"type": "audio", "data": packed(b"hm")}, "[audio, 2 bytes]", "audio", None, b"hm"),
        (
            {"type": "file", "file": {"filename": "plan [1].pdf", "file_data": PDF_URL}},
            *("[plan (1).pdf, application/pdf, 614 bytes]", "binary", "application/pdf", PDF),
        ),
        (
            {"type": "document", "title": "Notes", "source": {"type": "text", "data": "a b"}},
            *("[Notes, text/plain, 3 bytes]", "text", "text/plain", b"a b"),
        ),
        (
            {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "a"}]}},
            *("[application/json, 31 bytes]", "json", "application/json", b'[{"type": "text", "text": "a"}]'),
        ),
        (
            {"type": "document", "source": {"type": "content", "content": "a b"}},
            *("[text/plain, 3 bytes]", "text", "text/plain", b"a b"),
        ),
        (
            {"type": "resource", "resource": {"uri": "file:///a.json", "mimeType": "application/json", "text": "[1]"}},
            *("[application/json, 3 bytes]", "json", "application/json", b"[1]"),
        ),
        (
            {"type": "image_url", "image_url": {"url": "data:image/svg+xml,%3Csvg%2F%3E"}},
            *("[image/svg+xml, 6 bytes]", "image", "image/svg+xml", b"<svg/>"),
        ),
        (
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}},
            *("[image, https://example.org/a.png]", "image", None, None),
        ),
        (
            {"fileData": {"mimeType": "video/mp4", "fileUri": "gs://films/a.mp4"}},
            *("[video/mp4, gs://films/a.mp4]", "binary", "video/mp4", None),
        ),
        ({"type": "input_file", "file_id": "file-7"}, "[file, file-7]", "binary", None, None),
        ({"type": "input_file", "file_data": CSV}, "[file, 19 bytes]", "table", None, CSV),
        ({"type": "image", "data": "?"}, "[image, 1 byte, cannot be decoded]", "image", None, b"?"),
        ({"type": "image", "data": "\u4e2d"}, "[image, 3 bytes, cannot be decoded]", "image", None, "\u4e2d".encode()),
        ({"type": "image", "data": "", "title": "a\nb"}, "[a b, image]", "image", None, None),
        ({"type": "image_url", "image_url": 7}, "[image]", "image", None, None),
        ({"type": "image_url", "image_url": {"url": "\ud800\0 x"}}, "[image, \ufffd\ufffd x]", "image", None, None),
        ({"type": "video_url", "video_url": {"url": b"s3://\xff"}}, "[video, s3://\ufffd]", "binary", None, None),
        ({"type": "image", "format": "odd; x=\n", "data": packed(b"x")}, "[image, 1 byte]", "image", None, b"x"),
    ],
)
def test_forms(part: dict[str, Any], text: str, kind: str, media: str | None, payload: bytes | None) -> None:
    assert describe_media(part) == (text, kind, media, payload)


@pytest.mark.parametrize(
    "part",
    [
        *(None, 5, "image", [], {}, {"type": "text", "text": "x"}, {"text": "x"}, {"type": None}, {"type": ["image"]}),
        *({"type": "tool_use", "id": "1"}, {"image": "https://example.org"}, {"inline_data": None}),
    ],
)
def test_other_parts_are_left_alone(part: object) -> None:
    assert describe_media(part) is None


def test_a_long_address_is_found_again() -> None:
    url = "https://example.org/" + "a/" * 400
    found = describe_media({"type": "image_url", "image_url": {"url": url}})
    assert found
    assert found.text.startswith("[image, https://example.org/a/a")
    assert 200 < len(found.text) < 220
    assert (found.kind, found.media, found.payload) == ("text", "text/uri-list", url.encode())


def test_what_holds_itself_does_not_raise() -> None:
    part: dict[str, Any] = {"type": "document"}
    part["source"] = part
    part["content"] = [part]
    assert describe_media(part) == ("[file]", "binary", None, None)


@given(st.binary(min_size=60, max_size=3_000), st.sampled_from(["plain", "url-safe", "lines", "no padding"]))
def test_base64_in_every_spelling(content: bytes, spelling: str) -> None:
    text = packed(content)
    match spelling:
        case "url-safe":
            text = base64.urlsafe_b64encode(content).decode()
        case "lines":
            text = base64.encodebytes(content).decode()
        case "no padding":
            text = text.rstrip("=")
    for part in ({"type": "image", "data": text}, {"type": "image_url", "image_url": {"url": f"DATA:;base64,{text}"}}):
        found = describe_media(part)
        assert found
        assert found.payload == content
        assert text[:40] not in found.text
        assert len(found.text) < 60


NAMES = st.sampled_from(
    "type source data url image_url file file_data input_audio format filename inline_data text content".split()
)
TYPES = st.sampled_from(["image", "image_url", "input_audio", "file", "document", "base64", "text", "url", DATA_URL])
JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.integers() | st.text() | st.binary() | TYPES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.text() | st.integers(), inner, max_size=6),
    max_leaves=20,
)


@given(JUNK)
def test_nothing_raises_and_a_line_is_a_line(part: Any) -> None:
    found = describe_media(part)
    if found is not None:
        assert found.text.startswith("[")
        assert found.text.endswith("]")
        assert len(found.text) < 700
        assert len(found.text.splitlines()) == 1
        assert "\0" not in found.text
        json.dumps(found.text).encode()
        found.text.encode()


def test_types_by_the_first_bytes() -> None:
    assert media_type_of(b"RIFF\0\0\0\0WEBPVP8 ") == "image/webp"
    assert media_type_of(b"\xff\xd8\xff\xe0") == "image/jpeg"
    assert media_type_of(b"RIFF\0\0\0\0AVI ") is None
    assert media_type_of(b"") is None
