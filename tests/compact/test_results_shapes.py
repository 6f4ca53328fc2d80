"""What results are, and which of their parts are shown first."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from random import Random

import pytest

from slotstate.compact.results import fold, kind_of, preview

REF = "blob:0123456789abcdef"

SHIPMENTS = [
    {
        "id": f"sh-{at}",
        "weight": at / 7,
        "history": ["packed", "loaded", "on its way"] * 9,
        "remark": "Leave it with the neighbour. " * 12,
        "status": "delivered" if at % 5 else "lost",
    }
    for at in range(120)
]
DEPARTURES = "\n".join(["stop\tline\tdue", *(f"Market {at}\t{at % 9}\t{at % 60} min" for at in range(400))])
PODS = "\n".join(["UNIT            LOAD      SINCE", *(f"unit-{at:<11}{'loaded':<10}{at}d" for at in range(300))])
SIZES = "\n".join(["   Count   Bytes Path", *(f"{at:>8}{at * 31:>8} /srv/{at}" for at in range(300))])
DRAWN = "\n".join(
    ["+----+-------+", "| id | color |", "+----+-------+", *(f"| {at:<2} | green |" for at in range(200))]
)
MARKDOWN = "\n".join(["| id | color |", "|:---|------:|", *(f"| {at} | red |" for at in range(200))])
RULED = "\n".join(["id   color", "---- -----", *(f"{at:<4} blue" for at in range(200))])
STEPS = "\n".join(f"2031-04-05T06:07:{at % 60:02}Z INFO step {at} of the import is done" for at in range(2_000))
PROSE = "The ferry leaves at nine, and it is rarely late. Bring a coat! " * 200


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("json", json.dumps(SHIPMENTS)),
        ("json", "\ufeff " + json.dumps({"a": [1, 2]}, indent=2) + "\n"),
        ("json", json.dumps("a text that a tool encoded once more")),
        ("json", '{"a": 1}\n\n \n["b"]\n'),
        ("json", '{"load": NaN, "peak": 1e999}'),
        ("json", '{"digits": ' + "7" * 9_000 + "}"),
        ("json", b'{"a": "\xe4\xb8\xad"}'),
        ("table", DEPARTURES),
        ("table", DEPARTURES.replace("\t", ",")),
        ("table", DEPARTURES.replace("\t", ";") + "\r\n"),
        ("table", PODS),
        ("table", SIZES),
        ("table", DRAWN),
        ("table", MARKDOWN),
        ("table", RULED),
        ("table", "at,level\n" + "\n".join(f"2031-04-05 06:07:{at % 60:02},{at}" for at in range(99))),
        ("table", 'a,b\n"1\n2",3\n"4\n5",6\n"7,8",9\n"10","11"'),
        ("log", STEPS),
        ("log", "\n".join(f"2031-04-05 06:07:08,{at:03} INFO step {at}" for at in range(100, 300))),
        ("log", "\n".join(f"Apr  5 06:07:08 host unit[{at}]: started" for at in range(100))),
        ("log", "\n".join(f"2031年4月5日 06:07:08 第{at}步完成" for at in range(100))),
        ("log", "\n".join(f"src/main.c:{at}:7: warning: unused variable 'x{at}'" for at in range(100))),
        ("log", "\n".join(f"worker {at} | INFO | fetched a page" for at in range(100))),
        ("log", 'It went on.\nTraceback (most recent call last):\n  File "a.py", line 3, in f\nKeyError: 3'),
        ("text", PROSE),
        ("text", "我们明天去北京，后天回来。" * 300),
        ("text", "Dear all,\nwe meet at ten, as agreed.\nBring the plans, please.\nYours, Kim"),
        ("text", "x" * 10_000),
        ("text", "12345"),
        ("text", ""),
        ("text", "[" * 300 + "]" * 300),
        ("text", '{"broken": [1, 2'),
        ("text", '"He came," she said, "and he left."'),
        ("text", "to  be or\nnot to  be\nis the  question\nthat  he asks"),
        ("text", "first  second  third\n----\n----"),
        ("text", "one\nthe other  word and\n  another  thing\nor  more"),
        ("text", '{"a": 1}\n{"a": '),
        ("text", "word\n" * 50),
        ("text", "| not | much |\n| of a | table |"),
        ("text", "a | b\n===\n---\n"),
        ("text", "hello".encode("utf-16")),
        ("binary", "PK\x03\x04" + "\0\x01\x02" * 400),
        ("binary", "all is well " * 2_000 + "\0" * 30_000 + "all is well " * 2_000),
        ("binary", b"\x89PNG\r\n\x1a\n\xff\xff"),
        ("binary", Random(1).randbytes(5_000).decode("latin-1")),
        ("binary", Random(1).randbytes(5_000).decode(errors="replace")),
        ("binary", b"\xff\xfe\x00"),
    ],
)
def test_kinds(kind: str, content: str | bytes) -> None:
    assert kind_of(content) == kind


def test_what_tells_most_stays_of_an_object() -> None:
    record = {
        "text": "words " * 500,
        **{f"field{at}": "x" * 60 for at in range(40)},
        "order_id": 4711,
        "error": "no seat",
    }
    shown = json.loads(fold(json.dumps(record), 600, REF))
    assert shown["order_id"] == 4711
    assert shown["error"] == "no seat"
    assert "more keys: " in shown["…"]


def test_numbers_stay_as_they_are_written() -> None:
    text = '{"price": 1.10, "huge": 1e400, "long": 12345678901234567890.5, "none": NaN, "pad": "' + "x " * 999 + '"}'
    shown = preview(text, 600, REF)
    assert '"price":1.10,"huge":1e400,"long":12345678901234567890.5,"none":"NaN"' in shown


def test_a_number_too_long_to_show_is_left_out() -> None:
    shown = json.loads(preview(json.dumps({"a": 1, "b": 2}).replace("2", "2" * 9_000), 300, REF))
    assert shown["a"] == 1
    assert shown["…"].startswith("1 more key: b; ")


def test_arrays_say_how_many_they_hold() -> None:
    shown = json.loads(preview(json.dumps(SHIPMENTS), 2_000, REF))
    assert [record["id"] for record in shown[:3]] == ["sh-0", "sh-1", "sh-2"]
    assert shown[-1].startswith(f"… {120 - len(shown) + 1} more items; [")
    folded = json.loads(fold(json.dumps(shown), 400, REF))
    assert folded[-1].startswith(f"… {120 - len(folded) + 1} more items; [")


def test_small_parts_leave_their_room_to_large_ones() -> None:
    shown = preview(json.dumps({"a": 1, "b": "short", "log": PROSE}), 1_000, REF)
    assert json.loads(shown)["b"] == "short"
    assert len(shown) > 850


def test_many_long_texts_share_what_room_there_is() -> None:
    shown = json.loads(fold(json.dumps(dict.fromkeys(("one", "two", "three"), PROSE)), 230, REF))
    assert [text.endswith("…") and PROSE.startswith(text[:-1]) for text in list(shown.values())[:3]] == [True] * 3


def test_a_key_that_looks_like_a_mark_is_kept() -> None:
    shown = json.loads(preview(json.dumps({"…": "theirs", "pad": "x " * 900}), 400, REF))
    assert shown["…"] == "theirs"
    assert REF in shown["……"]
    folded = json.loads(fold(json.dumps(shown, ensure_ascii=False), 300, REF))
    assert folded["…"] == "theirs"


def test_keys_beyond_the_first_thousands_are_counted() -> None:
    shown = json.loads(preview(json.dumps({f"key {at}": at for at in range(9_000)}), 1_000, REF))
    assert shown["…"].startswith(f"{9_000 - len(shown) + 1:,} more keys: key ")


def test_objects_with_only_long_keys_are_a_count() -> None:
    shown = json.loads(preview(json.dumps({"k" * 5_000: {}, "m" * 5_000: 1}), 300, REF))
    assert list(shown) == ["…"]
    assert shown["…"].startswith("2 more keys: kkkk")


def test_deep_values_become_their_keys() -> None:
    deep: object = {"end": "words " * 200, "id": 5}
    for level in range(30):
        deep = {"level": level, "down": deep, "other": ["x " * 90] * 3}
    assert json.loads(preview(json.dumps(deep), 700, REF))["level"] == 29


@pytest.mark.parametrize("levels", [40, 63, 64, 65, 5_000])
def test_nesting_is_read_the_same_everywhere(levels: int) -> None:
    text = "[" * levels + '"' + "x " * 300 + '"' + "]" * levels
    assert kind_of(text) == ("json" if levels <= 64 else "text")
    assert len(preview(text, 300, REF)) <= 300


def test_structure_is_kept_inside_texts_of_json() -> None:
    wrapped = [{"type": "text", "text": json.dumps(SHIPMENTS)}, {"type": "text", "text": STEPS}]
    inner, log, _ = json.loads(preview(json.dumps(wrapped), 3_000, REF))
    assert json.loads(inner["text"])[0]["id"] == "sh-0"
    assert all(line in STEPS or line.startswith("[…") for line in log["text"].split("\n"))


def test_json_is_unwrapped_only_so_far() -> None:
    value: object = SHIPMENTS
    for _ in range(5):
        value = {"body": json.dumps(value)}
    assert len(preview(json.dumps(value), 900, REF)) <= 900


def test_encoded_data_takes_no_room() -> None:
    picture = base64.b64encode(Random(2).randbytes(20_000)).decode()
    shown = json.loads(preview(json.dumps({"shot": picture, "said": PROSE}), 1_000, REF))
    assert len(shown["shot"]) < 80
    assert len(shown["said"]) > 600
    assert len(preview(picture, 1_000, REF)) < 200


def test_binary_inside_json_is_described() -> None:
    shown = json.loads(preview(json.dumps({"raw": "\x01\x02" * 900, "id": 3}), 300, REF))
    assert shown["raw"] == "[binary, 1,800 characters]"
    assert shown["id"] == 3


def test_a_log_shows_its_errors_and_both_ends() -> None:
    lines = STEPS.split("\n")
    lines[900] = "2031-04-05T06:07:08Z ERROR disk /dev/sdb is full"
    lines[1_100:1_105] = [f"2031-04-05T06:07:08Z ERROR retry {at} failed" for at in range(1, 6)]
    lines[1_200] = "2031-04-05T06:07:08Z INFO 0 errors so far, mirrors and terrors checked"
    lines[1_300] = "2031-04-05T06:07:08Z WARN 磁盘操作失败，稍后再试"
    lines[1_400] = "ValueError: no port given"
    shown = preview("\n".join(lines), 1_000, REF).split("\n")
    assert shown[0] == lines[0]
    assert shown[-2] == lines[-1]
    assert {lines[900], lines[1_100], lines[1_300], lines[1_400]} <= set(shown)
    assert not {lines[1_101], lines[1_200]} & set(shown)


def test_a_fold_of_a_log_shows_its_error() -> None:
    lines = STEPS.split("\n")
    lines[900] = "2031-04-05T06:07:08Z ERROR disk /dev/sdb is full"
    first = preview("\n".join(lines), 2_000, REF)
    assert lines[900] in fold(first, 600, REF)


def test_a_line_that_is_too_long_becomes_a_mark() -> None:
    lines = STEPS.split("\n")
    lines[0] = "2031-04-05T06:07:08Z DEBUG payload [" + "z" * 200_000
    shown = preview("\n".join(lines), 1_000, REF).split("\n")
    assert shown[0].startswith("[… a line of 200,036 characters: 2031-04-05T06:07:08Z DEBUG payload (zz")
    assert shown[1] == lines[1]


def test_a_log_of_few_endless_lines_is_cut_like_text() -> None:
    text = "\n".join(f"2031-04-05 06:07:0{at} INFO " + "page " * 20_000 for at in range(5))
    shown = preview(text, 1_000, REF)
    assert shown.startswith("2031-04-05 06:07:00 INFO page page")
    assert len(shown) > 900


def test_rows_hold_line_ends_inside_quotes() -> None:
    text = "\n".join(["id,note", *(f'{at},"first\nsecond {at}"' for at in range(300))])
    shown = preview(text, 500, REF)
    assert shown.startswith('id,note\n0,"first\nsecond 0"\n')
    assert '\n299,"first\nsecond 299"\n[' in shown


def test_lines_with_windows_ends_are_whole() -> None:
    shown = preview("\r\n".join(DEPARTURES.split("\n")), 500, REF)
    assert set(shown.split("\n")[:4]) <= set(DEPARTURES.split("\n"))


def test_json_lines_show_their_errors() -> None:
    events = [json.dumps({"n": at, "level": "info", "text": "word " * 20}) for at in range(400)]
    events[200] = json.dumps({"n": 200, "level": "error", "text": "lost the connection"})
    shown = preview("\n".join(events), 1_200, REF).split("\n")
    assert events[200] in shown
    assert json.loads(shown[-1])["…"].endswith("recall it for more]")


def test_marks_in_a_preview_are_counted_as_what_they_stand_for() -> None:
    for text, unit in ((PODS, "rows"), (STEPS, "lines"), (PROSE, "characters")):
        folded = fold(preview(text, 2_000, REF), 500, REF)
        missing = sum(int(part.split("[… ")[1].replace(",", "")) for part in folded.split(f" {unit} left out]")[:-1])
        shown = folded.replace(f" {unit} left out]", "").split("\n")
        size = sum(len(line) if unit == "characters" else 1 for line in shown[:-1] if not line.startswith("[… "))
        whole = len(text.strip()) if unit == "characters" else text.count("\n") + 1
        assert abs(size + missing - whole) <= 4 * (unit == "characters")


def test_marks_inside_records_are_no_lines() -> None:
    records = [json.dumps({"n": at, "text": PROSE[:900]}) for at in range(50)]
    folded = fold(preview("\n".join(records), 2_000, REF), 400, REF).split("\n")
    shown = [json.loads(line) for line in folded[:-1]]
    counted = sum(int(line["…"].split()[0]) if "n" not in line else 1 for line in shown)
    assert counted == 50


def test_a_table_of_few_endless_rows_keeps_its_header() -> None:
    rows = [f"{at},{'wide ' * 900},{at}" for at in range(3)]
    shown = preview("\n".join(["id,text,count", *rows]), 2_000, REF).split("\n")
    assert shown[0] == "id,text,count"
    assert [line[:30] for line in shown[1:4]] == ["[… a row of 4,504 characters: "] * 3


def test_a_table_inside_json_is_shortened_only_when_it_does_not_fit() -> None:
    table = "\n".join(["a,b", *(f"{at},{at}" for at in range(120))])
    for more in range(90, 400, 30):
        shown = json.loads(preview(json.dumps({"table": table}), len(table) + more, REF))
        assert shown["table"] == table or " rows left out]\n" in shown["table"]
        assert shown["table"].startswith("a,b\n0,0\n")


def test_an_error_that_does_not_fit_leaves_its_room_to_the_next() -> None:
    lines = STEPS.split("\n")
    lines[500] = "2031-04-05T06:07:08Z ERROR " + "long story " * 15
    lines[900] = "2031-04-05T06:07:08Z ERROR short one"
    lines[950] = "2031-04-05T06:07:08Z ERROR " + "long story too " * 11
    shown = fold("\n".join(lines), 500, REF)
    assert lines[900] in shown.split("\n")
    assert "story" not in shown


def test_what_cannot_be_read_is_described() -> None:
    assert preview(b"\x89\xff\xfd" * 500, 200, REF) == f"[binary, 1,500 bytes in {REF}; recall it for more]"
    assert preview("\0" * 500, 200, REF) == f"[binary, 500 characters in {REF}; recall it for more]"


def test_a_text_of_json_is_shortened_and_folded() -> None:
    first = preview(json.dumps(PROSE), 800, REF)
    folded = json.loads(fold(first, 300, REF))
    assert PROSE.startswith(folded.partition("\n[")[0])
    assert folded.endswith("recall it for more]")
    assert json.loads(fold(first, 130, REF)).startswith(("The ferry", "["))


def test_a_text_full_of_quotes_fits_as_json_writes_it() -> None:
    for times in (180, 4_000):
        shown = preview(json.dumps({"said": '"' * times, "id": 8}), 370, REF)
        assert len(shown) <= 370
        assert json.loads(shown)["id"] == 8
        assert '""""""' in json.loads(shown)["said"]


def test_texts_that_take_too_much_to_write_are_left_out() -> None:
    value = {**{f"raw{at}": "\x01" * 300 for at in range(4)}, "id": 8}
    shown = json.loads(preview(json.dumps(value), 260, REF))
    assert shown.pop("id") == 8
    count, _, names = shown.pop("…").partition(" more keys: ")
    assert int(count) == 4 - len(shown) > 1
    assert not shown.keys() & set(names.partition(";")[0].split(", "))


def test_what_was_shortened_enough_stays_as_it_is() -> None:
    for text in (PROSE, STEPS, PODS, json.dumps(SHIPMENTS), json.dumps(PROSE), "short"):
        shown = preview(text, 1_000, REF)
        assert preview(shown, 1_000, REF) == fold(shown, len(shown), REF) == shown


def test_no_cut_goes_through_an_earlier_mark() -> None:
    words = "word " * 400
    first = preview(json.dumps({"text": words, "id": 1}), 300, REF)
    for size in range(130, 300):
        text = json.loads(fold(first, size, REF)).get("text", "…")
        assert text.count("[") == text.count(" characters left out]")
        assert words.startswith(text.split("\n[…")[0].removesuffix("…"))


def test_marks_of_another_kind_are_told_without_a_count() -> None:
    note = "[99,999 characters in blob:0123456789abcdef; recall it for more]"
    body = f"{PROSE[:900]}\n[… 1,200 lines left out]\n{PROSE[:900]}\n{note}"
    assert "\n[… characters left out]\n" in fold(body, 500, REF)


HUGE = 50_000_000
RECORD = json.dumps(SHIPMENTS[0])


@pytest.mark.parametrize(
    "make",
    [
        lambda: f"[{','.join([RECORD] * (HUGE // len(RECORD)))}]",
        lambda: "\n".join([RECORD] * (HUGE // len(RECORD))),
        lambda: "\n".join([STEPS] * (HUGE // len(STEPS))),
        lambda: "x" * HUGE,
        lambda: "\n" * HUGE,
        lambda: "[" * HUGE,
        lambda: '"' * HUGE,
        lambda: "error " * (HUGE // 6),
    ],
)
def test_fifty_megabytes(make: Callable[[], str]) -> None:
    """What takes more than linear time does not end in anyone's patience."""
    shown = preview(make(), 2_000, REF)
    assert len(shown) <= 2_000
    assert shown.endswith((f"in {REF}; recall it for more]", f'in {REF}; recall it for more]"]', '"}'))
    assert len(fold(shown, 600, REF)) <= 600
