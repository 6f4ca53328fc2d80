"""Where templates come from: a folder over the bundled sets, what is refused, reloading, fingerprints."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slotstate.errors import TemplateError
from slotstate.templating import bundled_sets, load_template
from tests.templating.conftest import Write, complaint, scene, section, slot

EXTENDS = '{% extends "default/prompt.jinja" %}'


def error_of(name: object) -> str:
    with pytest.raises(TemplateError) as caught:
        load_template(str(name))
    assert "\n" not in str(caught.value)
    return str(caught.value)


# Over the bundled sets


def test_the_bundled_sets_are_there_by_name() -> None:
    assert bundled_sets() == ("default", "zh")
    assert (load_template("default").locale, load_template("zh").locale) == ("en", "zh")


def test_a_file_of_the_same_name_replaces_a_part_of_the_set(write: Write) -> None:
    template = write(EXTENDS, {"system.jinja": "Be kind.\n"})
    assert template.render("system", scene()) == "Be kind."
    for name in ("slots", "note", "summary", "quotes"):
        assert template.render(name, scene()) == load_template("default").render(name, scene())
    assert template.options == load_template("default").options
    assert template.locale == "en"


def test_every_part_of_a_set_can_be_replaced(write: Write) -> None:
    parts = ["system", "slots", "domain", "value", "question", "summary", "quotes", "note"]
    for part in parts:
        template = write(EXTENDS, {f"{part}.jinja": f"MY {part}"}, reload=True)
        shown = " ".join(template.render(name, scene()) for name in ("system", "slots", "summary", "quotes", "note"))
        assert f"MY {part}" in shown
        Path(template.name, f"{part}.jinja").unlink()


def test_a_part_can_print_the_one_that_it_replaces(write: Write) -> None:
    template = write(EXTENDS, {"system.jinja": '{% include "default/system.jinja" %}\nBe kind.'})
    assert template.render("system", scene()) == load_template("default").render("system", scene()) + "\nBe kind."


def test_a_domain_can_have_a_file_of_its_own(write: Write) -> None:
    template = write(EXTENDS, {"domains/support.jinja": "HELP: {{ domain.slots[0].value | data }}\n"})
    shown = template.render("slots", scene()).splitlines()
    assert shown[0] == '- travel.origin: "Oslo" (confirmed)'
    assert shown[-2].startswith('HELP: "A-17')
    shown = template.render(
        "slots", scene(domains=[{"name": "travel", "description": "", "slots": [slot("a", 1, "filled")]}])
    ).splitlines()
    assert shown[0] == "- travel.a: 1"


def test_a_set_in_chinese_is_extended_in_the_same_way(write: Write) -> None:
    template = write('{% extends "zh/prompt.jinja" %}', {"quotes.jinja": "引文"})
    assert template.locale == "zh"
    assert template.render("quotes", scene()) == "引文"
    assert "未知" in template.render("slots", scene())


def test_parts_of_a_set_can_be_used_without_extending_it(write: Write) -> None:
    template = write(
        section('{% include "zh/quotes.jinja" %}', "quotes") + section('{% include "value.jinja" ignore missing %}')
    )
    assert template.render("quotes", scene()) == load_template("zh").render("quotes", scene())
    assert template.locale == "en"


def test_other_sets_are_out_of_reach_unless_they_are_named(write: Write) -> None:
    template = write(section('{% include name ~ "/quotes.jinja" %}'))
    assert complaint(lambda: template.render("slots", {"name": "zh"})).endswith(
        "no file 'zh/quotes.jinja': put it beside prompt.jinja"
    )


def test_a_folder_may_hold_folders(write: Write) -> None:
    files = {
        "a/b/c.jinja": "C{% include './d.jinja' %}",
        "d.jinja": "D",
        ".git/x.jinja": "{% broken",
        "notes.txt": "{% broken",
    }
    assert write(section("{% include 'a/b/c.jinja' %}"), files).render("slots", {}) == "CD"


# Refused


@pytest.mark.parametrize("name", ["../x.jinja", "/etc/passwd", "a/../../x", "..\\x", "C:x", "zh/../../../etc/passwd"])
def test_what_leads_outside_of_the_folder_is_refused(write: Write, name: str) -> None:
    prompt = section("{% include " + repr(name) + " %}")
    told = complaint(lambda: write(prompt))
    assert told.startswith('prompt.jinja:1: section "slots": ')
    assert told.endswith("leads outside of the template's folder: name a file inside it, with / for folders")
    template = write(section("{% include x %}"), reload=True)
    told = complaint(lambda: template.render("slots", {"x": name}))
    assert told.endswith("leads outside of the template's folder: name a file inside it, with / for folders")


def test_a_link_out_of_the_folder_is_refused(write: Write, tmp_path: Path) -> None:
    (tmp_path / "secret.jinja").write_text("secret")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "link.jinja").symlink_to(tmp_path / "secret.jinja")
    told = complaint(lambda: write(section("a")))
    assert told == "link.jinja leads outside of its folder: copy the file into it"


def test_links_inside_of_the_folder_are_followed_and_broken_ones_left_out(write: Write, tmp_path: Path) -> None:
    (tmp_path / "mine" / "..data").mkdir(parents=True)
    (tmp_path / "mine" / "..data" / "real").write_text("R")
    (tmp_path / "mine" / "link.jinja").symlink_to(tmp_path / "mine" / "..data" / "real")
    (tmp_path / "mine" / "broken.jinja").symlink_to(tmp_path / "nowhere")
    assert write(section("{% include 'link.jinja' %}")).render("slots", {}) == "R"


def test_what_is_no_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert error_of("nowhere/at/all") == (
        "no template 'nowhere/at/all': use a bundled one or a folder that holds prompt.jinja"
    )
    assert error_of("defalt").endswith("holds prompt.jinja; did you mean 'default'?")
    assert error_of("") == f"prompt.jinja is missing: put your sections there, or {EXTENDS}"
    (tmp_path / "file").write_text("x")
    assert error_of(tmp_path / "file") == f"{tmp_path}/file is a file: pass the folder that holds it"
    assert error_of(tmp_path) == f"{tmp_path}/prompt.jinja is missing: put your sections there, or {EXTENDS}"
    (tmp_path / "prompt.jinja").mkdir()
    assert error_of(tmp_path).startswith(f"{tmp_path}/prompt.jinja is a folder, not a file: ")
    assert error_of("a\0b").startswith("no template 'a\\x00b': ")
    assert error_of("x" * 5000).startswith("template 'xxx")


def test_a_folder_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", refused)
    assert error_of(tmp_path) == f"template '{tmp_path}' cannot be read: Permission denied"


def test_files_that_are_no_utf_8(tmp_path: Path) -> None:
    (tmp_path / "prompt.jinja").write_bytes(b"{% section 'slots' %}\nCaf\xe9{% endsection %}")
    assert error_of(tmp_path) == f"{tmp_path}/prompt.jinja:2: not UTF-8: save the file as UTF-8"
    (tmp_path / "prompt.jinja").write_bytes("\ufeff{% section 'slots' %}\r\nCafé\r\n{% endsection %}".encode())
    assert load_template(str(tmp_path)).render("slots", {}) == "Café"


def test_files_that_are_too_large(tmp_path: Path) -> None:
    (tmp_path / "prompt.jinja").write_text("é" * 100_001, encoding="utf-8")
    assert (
        error_of(tmp_path) == f"{tmp_path}/prompt.jinja:1: longer than 100000 characters: split it into several files"
    )
    (tmp_path / "prompt.jinja").write_text("字" * 400_000, encoding="utf-8")
    assert error_of(tmp_path).endswith("longer than 100000 characters: split it into several files")
    (tmp_path / "prompt.jinja").write_text(section("x" * 99_900))
    assert load_template(str(tmp_path)).render("slots", {}) == "x" * 99_900


def test_a_folder_with_too_many_files(tmp_path: Path) -> None:
    for number in range(1_001):
        (tmp_path / f"{number}.txt").touch()
    assert error_of(tmp_path) == f"{tmp_path} holds more than 1000 files: give the template a folder of its own"


# Reloading, fingerprints


def test_without_reload_a_template_stays_what_it_was(write: Write) -> None:
    template = write(section("a"))
    again = write(section("b"))
    assert template.render("slots", {}) == "a"
    assert again.render("slots", {}) == "b"
    assert write(section("b")) is again


def test_with_reload_changes_are_seen_at_once(write: Write) -> None:
    template = write(section("{% include 'a.jinja' %}"), {"a.jinja": "1"}, reload=True)
    folder = Path(template.name)
    assert template.render("slots", {}) == "1"
    before = template.fingerprint
    times = (folder / "a.jinja").stat()
    (folder / "a.jinja").write_text("2")
    os.utime(folder / "a.jinja", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert template.render("slots", {}) == "2"
    assert template.fingerprint != before
    (folder / "prompt.jinja").write_text(
        '{% section "slots" max=7 %}{% endsection %}{% section "note" %}n{% endsection %}'
    )
    assert template.options["slots"].max == 7
    assert template.has("note")


def test_with_reload_a_broken_file_is_told_and_its_repair_seen(write: Write) -> None:
    template = write(section("a"), reload=True)
    file = Path(template.name, "prompt.jinja")
    file.write_text("{% broken")
    assert complaint(lambda: template.render("slots", {})).startswith("prompt.jinja:1: ")
    file.write_text(section("b"))
    assert template.render("slots", {}) == "b"


def test_the_fingerprint_is_of_every_file_that_can_be_used(write: Write, tmp_path: Path) -> None:
    seen = {load_template("default").fingerprint, load_template("zh").fingerprint}
    files = {"a.jinja": "1", "domains/x.jinja": "2"}
    seen.add(write(EXTENDS, files, reload=True).fingerprint)
    for change in ({"a.jinja": "2"}, {"domains/x.jinja": "3"}, {"b.jinja": ""}):
        seen.add(write(EXTENDS, {**files, **change}, reload=True).fingerprint)
    seen.add(write(section("a"), files, reload=True).fingerprint)
    assert len(seen) == 7
    (tmp_path / "mine").rename(tmp_path / "other")
    assert load_template(str(tmp_path / "other")).fingerprint in seen


def test_the_fingerprint_names_a_file_and_its_text_apart(write: Write) -> None:
    one = write(section("a"), {"a.jinja": "b.jinja"}, reload=True).fingerprint
    Path(write(section("a"), reload=True).name, "a.jinja").unlink()
    assert one != write(section("a"), {"b.jinja": "a.jinja"}, reload=True).fingerprint


def test_the_same_name_in_another_folder_is_another_template(
    write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write(section("a"))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine").mkdir()
    (tmp_path / "other" / "mine" / "prompt.jinja").write_text(section("b"))
    shown = []
    for folder in (tmp_path, tmp_path / "other"):
        monkeypatch.chdir(folder)
        shown.append(load_template("mine").render("slots", {}))
    assert shown == ["a", "b"]


def test_any_number_of_templates_can_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "prompt.jinja").write_text(section("a"))
    for number in range(70):
        link = tmp_path / f"{number}"
        link.symlink_to(tmp_path, target_is_directory=True)
        assert load_template(str(link)).render("slots", {}) == "a"
    assert load_template(tmp_path).name == str(tmp_path)  # type: ignore[arg-type]
