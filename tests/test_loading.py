from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from slotstate import DONTCARE, InputError, SchemaError, Tracker
from slotstate.domains import Domain
from slotstate.extractors.scripted import ScriptedExtractor
from slotstate.loading import load_domains

ROOT = Path(__file__).resolve().parents[1]
BUNDLED = sorted(path.stem for path in (ROOT / "schemas").iterdir() if path.suffix in {".py", ".yaml"})


def slots(domains: list[Domain]) -> dict[str, list[str]]:
    return {domain.name: list(domain.slots) for domain in domains}


def put(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


# Bundled


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_schema_loads_and_can_be_tracked(name: str) -> None:
    (domain,) = load_domains(name)
    assert domain.name == name
    assert domain.description
    assert all(spec.description and spec.slot.ask for spec in domain.slots.values())
    with Tracker([domain], extractor=ScriptedExtractor()) as tracker:
        assert tracker.open("s").next_question() is not None


def test_there_are_schemas_of_both_kinds() -> None:
    assert {"travel", "support", "restaurant"} <= set(BUNDLED)


@pytest.mark.parametrize("name", ["travel", "support"])
def test_bundled_python_imports_only_what_users_have(name: str) -> None:
    lines = (ROOT / "schemas" / f"{name}.py").read_text(encoding="utf-8").splitlines()
    roots = {line.split()[1].partition(".")[0] for line in lines if line.startswith(("import ", "from "))}
    assert roots <= {"datetime", "typing", "pydantic", "slotstate"}


def test_the_form_of_the_travel_schema_can_be_filled() -> None:
    (domain,) = load_domains("travel")
    with Tracker([domain], extractor=ScriptedExtractor()) as tracker:
        chat = tracker.open("s")
        values = {"origin": "Leeds", "destination": "Bristol", "outbound_on": "2025-03-14", "people": 2}
        for slot, value in values.items():
            chat.set(f"travel.{slot}", value)
        chat.set("travel.seat", DONTCARE)
        chat.set("travel.departs_at", "10:15")
        chat.confirm("travel.origin")
        form = chat.form(domain.model).model_dump()
    assert (form["people"], form["seat"], form["avoid"]) == (2, None, [])


# Python


def test_models_of_a_file_are_domains_unless_they_are_parts(tmp_path: Path) -> None:
    source = """
from typing import Annotated, Optional
from pydantic import BaseModel
from slotstate import Money

class Price(Money):
    pass

class Address(BaseModel):
    street: str

class _Draft(BaseModel):
    text: str

class Base(BaseModel):
    model_config = {"str_strip_whitespace": True}

class Order(Base):
    to: Optional[Address] = None
    pizza: str

class Complaint(Base):
    about: list[Annotated[Address, "where"]]
"""
    found = slots(load_domains(put(tmp_path, "shop.py", source)))
    assert found == {"order": ["to", "pizza"], "complaint": ["about"]}


def test_a_list_named_domains_wins(tmp_path: Path) -> None:
    source = "from pydantic import BaseModel\nclass A(BaseModel):\n    x: str\nclass B(BaseModel):\n    y: str\n"
    source += "DOMAINS = [B]\n"
    assert slots(load_domains(put(tmp_path, "two.py", source))) == {"b": ["y"]}


def test_annotations_may_be_text_and_neighbours_imported(tmp_path: Path) -> None:
    put(tmp_path, "neighbour_of_schema.py", "LIMIT = 3\n")
    source = (
        "from __future__ import annotations\nfrom datetime import date\nfrom pydantic import BaseModel, Field\n"
        "from neighbour_of_schema import LIMIT\n"
        "class Trip(BaseModel):\n    day: date\n    people: int = Field(le=LIMIT)\n"
    )
    before = list(sys.path)
    (domain,) = load_domains(put(tmp_path, "trip.py", source))
    assert domain.slots["day"].kind == "date"
    assert sys.path == before


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = 1\n", "it defines no domain"),
        ("DOMAINS = []\n", "DOMAINS must be a list"),
        ("DOMAINS = 7\n", "DOMAINS must be a list"),
        ("DOMAINS = ['Travel']\n", "is not a Pydantic model"),
        ("class A(:\n", "bad.py:1: invalid syntax"),
        ("x = 1\nraise ValueError('first\\nsecond')\n", "bad.py:2: ValueError: first"),
        ("import sys\nsys.exit('gone')\n", "bad.py:2: SystemExit: gone"),
        ("1/0\n", "bad.py:1: ZeroDivisionError: division by zero"),
        ("import nowhere_to_be_found\n", "bad.py:1: ModuleNotFoundError"),
        ("from pydantic import BaseModel\nclass A(BaseModel):\n    x: complex\n", "a.x: "),
        ("from pydantic import BaseModel\nclass A(BaseModel):\n    x: object()\n", "bad.py:"),
        ("\0", "null bytes"),
    ],
)
def test_bad_python_is_one_line(source: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SchemaError) as raised:
        load_domains(put(tmp_path, "bad.py", source))
    assert said in str(raised.value)
    assert "bad.py" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_class_of_an_importable_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(
        tmp_path,
        "models_beside.py",
        "from pydantic import BaseModel\nclass Trip(BaseModel):\n    day: str\nALL = [Trip]\n",
    )
    monkeypatch.chdir(tmp_path)
    assert slots(load_domains("models_beside:Trip")) == {"trip": ["day"]}
    assert slots(load_domains("models_beside:ALL")) == {"trip": ["day"]}
    with pytest.raises(InputError, match="did you mean 'Trip'"):
        load_domains("models_beside:Tripp")
    with pytest.raises(SchemaError, match="not a Pydantic model class"):
        load_domains("models_beside:__name__")
    assert slots(load_domains("models_beside.py:Trip")) == {"trip": ["day"]}
    with pytest.raises(InputError, match=r"models_beside.py has no 'Tripp'; did you mean 'Trip'"):
        load_domains("models_beside.py:Tripp")
    with pytest.raises(InputError, match=r"no schema file 'models_beyond.py'; did you mean 'models_beside.py'"):
        load_domains("models_beyond.py:Trip")
    with pytest.raises(InputError, match=r"^no schema 'models_beyond:Trip': there is no module 'models_beyond' \(or"):
        load_domains("models_beyond:Trip")


# YAML and JSON

SCHEMA = "title: shop\ntype: object\nproperties:\n  size:\n    enum: [S, M]\n"


@pytest.mark.parametrize(
    "text", [SCHEMA, "domains:\n- " + SCHEMA.replace("\n", "\n  "), "- " + SCHEMA.replace("\n", "\n  ")]
)
def test_one_schema_or_several(text: str, tmp_path: Path) -> None:
    assert slots(load_domains(put(tmp_path, "shop.yaml", text))) == {"shop": ["size"]}


def test_json_holds_the_same(tmp_path: Path) -> None:
    schema = {"title": "shop", "properties": {"size": {"enum": ["S", "M"], "x-slot": {"aliases": {"S": ["small"]}}}}}
    assert slots(load_domains(put(tmp_path, "shop.json", json.dumps(schema)))) == {"shop": ["size"]}
    assert slots(load_domains(put(tmp_path, "both.json", json.dumps({"domains": [schema]})))) == {"shop": ["size"]}


def test_yaml_is_read_as_its_version_1_2(tmp_path: Path) -> None:
    text = """\
title: shop
properties:
  word: {enum: [yes, no, on, off, y, n, True, 2024-01-01, 12:30, 007, 0o14, 1_000, ~x]}
  number: {enum: [1, -2, 0]}
  yes: {type: boolean, x-slot: {aliases: {true: [ja], false: [nein]}}}
  on: {type: integer, minimum: 1, maximum: 1e2}
  far: {type: number, minimum: .5, maximum: 2.5}
"""
    text = text.replace(", True", "")
    (domain,) = load_domains(put(tmp_path, "shop.yml", text))
    words = ("yes", "no", "on", "off", "y", "n", "2024-01-01", "12:30", "007", "0o14", "1_000", "~x")
    assert domain.slots["word"].options == words
    assert domain.slots["number"].options == (1, -2, 0)
    assert list(domain.slots) == ["word", "number", "yes", "on", "far"]
    assert domain.slots["yes"].slot.aliases == {"true": ["ja"], "false": ["nein"]}


def test_yaml_anchors_and_merges_work(tmp_path: Path) -> None:
    text = (
        "title: shop\nproperties:\n  a: &text {type: string, description: one}\n"
        "  b: {<<: *text, description: two}\n  c: *text\n"
    )
    (domain,) = load_domains(put(tmp_path, "shop.yaml", text))
    assert [spec.description for spec in domain.slots.values()] == ["one", "two", "one"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it must hold a JSON Schema"),
        ("just words", "it must hold a JSON Schema"),
        ("- 1\n", "a domain must be a JSON Schema object"),
        ("domains: []\n", "it must hold a JSON Schema"),
        ("title: shop\n", "needs type: object and properties"),
        ("title: a\ntitle: b\n", "bad.yaml:2: 'title' stands twice"),
        ("title: a\nproperties:\n  x: {type: string}\n  y: {}\n  x: {type: string}\n", "bad.yaml:5: 'x' stands twice"),
        ("? [a]\n: b\n", "bad.yaml:1: a key must be text"),
        ("title: [a\n", "bad.yaml:2:"),
        ("title: !!python/object/apply:os.system [ls]\n", "bad.yaml:1: could not determine a constructor"),
        ("--- 1\n--- 2\n", "bad.yaml:2:"),
        ("title: x\n\ty: 1\n", "bad.yaml:2:"),
        ("title: a\nproperties: &p\n  x: {type: object, properties: *p}\n", "bad.yaml"),
        ("title: shop\nproperties:\n  size:\n    type: string\n  price:\n    type: strin\n", "bad.yaml:5: shop.price"),
        (
            "title: shop\nproperties:\n  to:\n    type: object\n    properties:\n      no: {}\n",
            "bad.yaml:6: shop.to.no",
        ),
        (
            "title: shop\nproperties:\n  size: {type: string, x-slot: {aks: x}}\n",
            "bad.yaml:3: shop.size: x-slot has no",
        ),
        ("title: shop\nproperties:\n  size: {enum: [true, false]}\n", "put yes and no in quotes"),
        ("title: \x01\n", "bad.yaml"),
    ],
)
def test_bad_yaml_is_one_line_with_its_place(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SchemaError) as raised:
        load_domains(put(tmp_path, "bad.yaml", text))
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{\n'a'", "bad.json:2: not JSON"),
        ('{"title": "a", "title": "b"}', "'title' stands twice"),
        ("[" * 100_000, "not JSON that can be read"),
        ('{"title": "a", "properties": {"x": {"type": "string", "pattern": "("}}}', "bad.json"),
        ('{"title": "a", "required": 5, "properties": {"x": {"type": "string"}}}', "bad.json"),
    ],
)
def test_bad_json_is_one_line_with_its_place(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SchemaError) as raised:
        load_domains(put(tmp_path, "bad.json", text))
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


# Names


def test_what_is_not_there_is_said_with_a_near_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "shop.yaml", SCHEMA)
    with pytest.raises(InputError, match="did you mean 'travel'"):
        load_domains("travle")
    with pytest.raises(InputError, match="known: restaurant, support, travel"):
        load_domains("")
    with pytest.raises(InputError, match=r"did you mean 'shop\.yaml'"):
        load_domains("shop")
    with pytest.raises(InputError, match=r"did you mean 'shop\.yaml'"):
        load_domains("shp.yaml")
    with pytest.raises(InputError, match=r"no schema file 'nowhere/x\.py'"):
        load_domains("nowhere/x.py")


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "latin.json").write_bytes(b'{"title": "caf\xe9"}')
    with pytest.raises(InputError, match="cannot read the schema"):
        load_domains(str(tmp_path / "folder.yaml"))
    with pytest.raises(SchemaError, match="must be UTF-8"):
        load_domains(str(tmp_path / "latin.json"))
    with pytest.raises(InputError, match="cannot read the schema"):
        load_domains("a\0b.json")


def test_yaml_is_imported_only_when_used() -> None:
    code = (
        "import sys; from slotstate.loading import load_domains; load_domains('travel'); print('yaml' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
