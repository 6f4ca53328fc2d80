"""Domains by name: what `--schema` takes, read from Python, YAML or JSON files, from a module, or bundled."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, cast, get_args
from zlib import crc32

from pydantic import BaseModel

from slotstate.domains import Domain, compile_domain
from slotstate.errors import InputError, SchemaError, SlotstateError, near
from slotstate.jsonschema import domain_from_json_schema
from slotstate.resources import folder
from slotstate.slots import Money

if TYPE_CHECKING:
    import yaml

SUFFIXES: Final = (".py", ".yaml", ".yml", ".json")
_FORMS: Final = "a bundled name, a .py, .yaml or .json file, FILE.py:Class or package.module:Class"


def load_domains(name: str) -> list[Domain]:
    """The domains that `name` stands for: bundled, a `.py`, `.yaml` or `.json` file, or `package.module:Class`.

    Of a Python file, its list DOMAINS counts, else every model that it defines and that is no part of another one. Only
    name Python that you trust: it is run. Raises InputError when there is no such thing, and SchemaError, naming the
    file and where possible the line, when it declares no domain that works.
    """
    path = Path(name)
    if path.suffix.lower() in SUFFIXES:
        return _file(path)
    if ":" in name:
        return _imported(name)
    bundled = _bundled()
    if name in bundled:
        return _file(bundled[name])
    beside = next((str(path) + suffix for suffix in SUFFIXES if Path(str(path) + suffix).is_file()), None)
    hint = f"; did you mean {beside!r}?" if beside else near(name, bundled)
    raise InputError(f"no schema is called {name!r}{hint} (or give {_FORMS})")


def parse_documents(path: Path) -> Iterator[tuple[object, int]]:
    """The documents of a JSON Lines, JSON or YAML file, each with the line that it starts at.

    The items of a JSON list, and of a list in YAML, count as documents. Raises InputError, SchemaError, naming file and
    line, for what cannot be read.
    """
    text = _text(path, "file")
    match path.suffix.lower():
        case ".jsonl" | ".ndjson":
            lines = enumerate(text.split("\n"), start=1)  # not splitlines: U+2028 may stand inside a JSON string
            yield from ((_json(line, path, number)[0], number) for number, line in lines if line.strip())
        case ".json":
            document, _ = _json(text, path)
            yield from _items(document, _json_lines(text))
        case _:
            for document, lines_of_items in _yaml_documents(text, path):
                yield from _items(document, lines_of_items)


def _items(document: object, lines: Sequence[int]) -> Iterable[tuple[object, int]]:
    """A document, or the items of a list, with their lines."""
    return zip(cast(list[object], document) if isinstance(document, list) else [document], lines, strict=True)


@contextmanager
def importable(directory: Path) -> Generator[None]:
    """Modules in `directory` can be imported meanwhile, as when Python is started there."""
    entry = str(directory)
    sys.path.insert(0, entry)
    try:
        yield
    finally:
        if entry in sys.path:
            sys.path.remove(entry)


def _bundled() -> Mapping[str, Path]:
    files = sorted(folder("schemas").iterdir())
    return {path.stem: path for path in files if path.suffix in SUFFIXES and not path.stem.startswith("_")}


def _file(path: Path) -> list[Domain]:
    if path.suffix.lower() == ".py":
        return _from_module(_executed(path), str(path))
    text = _text(path)
    declared, lines = _json(text, path) if path.suffix.lower() == ".json" else _yaml(text, path)
    return [_declared(one, path, lines) for one in _several(declared, path)]


def _text(path: Path, what: str = "schema") -> str:
    kind = "" if what == "file" else f"{what} "
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"no {kind}file {str(path)!r}{_beside(path)}") from None
    except UnicodeDecodeError as error:
        raise SchemaError(f"{path}: a {what} must be UTF-8 text ({error.reason} at byte {error.start})") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"cannot read the {what} {str(path)!r}: {reason}") from None


def _beside(path: Path) -> str:
    """A hint at a file of a similar name in the same folder."""
    suffixes = {path.suffix, *SUFFIXES}
    files = [str(one) for one in path.parent.glob("*") if one.suffix in suffixes] if path.parent.is_dir() else []
    close = get_close_matches(str(path), files, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


# Python


def _executed(path: Path) -> ModuleType:
    """The module that the file at `path` makes. Whatever it raises becomes one line."""
    text = _text(path)
    module = ModuleType(f"_slotstate_schema_{path.stem}_{crc32(str(path.resolve()).encode()):08x}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # where Pydantic looks up annotations that are text
    try:
        with importable(path.resolve().parent):
            exec(compile(text, str(path), "exec"), module.__dict__)
    except SyntaxError as error:
        raise SchemaError(f"{path}:{error.lineno or 1}: {error.msg}") from None
    except (Exception, SystemExit) as error:
        raise SchemaError(f"{path}{_line(error, path)}: {_said(error)}") from None
    return module


def _line(error: BaseException, path: Path) -> str:
    """`:12` for the last line of the file that was at work when the error was raised."""
    found, trace = "", error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            found = f":{trace.tb_lineno}"
        trace = trace.tb_next
    return found


def _said(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _imported(name: str) -> list[Domain]:
    module_name, _, attribute = name.rpartition(":")
    module = _executed(Path(module_name)) if module_name.endswith(".py") else _module(module_name, name)
    names = [key for key, value in vars(module).items() if _is_model(value) or isinstance(value, Domain)]
    if not hasattr(module, attribute):
        raise InputError(f"no schema {name!r}: {module_name} has no {attribute!r}{near(attribute, names)}")
    found: Any = getattr(module, attribute)
    return _compiled(_listed(found) or [found], name)


def _module(module_name: str, name: str) -> ModuleType:
    """The module of that name; `name` is what was asked for. Raises InputError."""
    try:
        with importable(Path.cwd()):
            return importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        missing = isinstance(error, ModuleNotFoundError) and f"{module_name}.".startswith(f"{error.name}.")
        said = f"there is no module {module_name!r}" if missing else _said(error)
        raise InputError(f"no schema {name!r}: {said} (or give {_FORMS})") from None


def _from_module(module: ModuleType, where: str) -> list[Domain]:
    stated: Any = getattr(module, "DOMAINS", None)
    if stated is not None:
        if not _listed(stated):
            raise SchemaError(f"{where}: DOMAINS must be a list of models, with at least one")
        return _compiled(_listed(stated), where)
    models = {
        value: None for value in vars(module).values() if _is_model(value) and value.__module__ == module.__name__
    }
    parts = {part for model in models for part in _parts(model)}
    whole = [
        model
        for model in models
        if model not in parts
        and not model.__name__.startswith("_")
        and (model.model_fields or not model.__subclasses__())
    ]
    if not whole:
        raise SchemaError(f"{where}: it defines no domain: write class Name(BaseModel) with fields")
    return _compiled(whole, where)


def _listed(value: Any) -> list[Any]:
    return list(cast(list[Any], value)) if isinstance(value, list | tuple) else []


def _is_model(value: object) -> bool:
    return (
        isinstance(value, type)
        and issubclass(value, BaseModel)
        and value is not BaseModel
        and not issubclass(value, Money)
    )


def _parts(model: type[BaseModel]) -> Iterator[Any]:
    """Every type that stands somewhere in the annotations of the model's own fields."""
    todo: list[Any] = [info.annotation for info in model.model_fields.values()]
    while todo:
        part = todo.pop()
        todo += get_args(part)
        if isinstance(part, type):
            yield part


def _compiled(declared: Sequence[Any], where: str) -> list[Domain]:
    try:
        return [one if isinstance(one, Domain) else compile_domain(one) for one in declared]
    except SlotstateError as error:
        raise SchemaError(f"{where}: {error}") from None


# YAML and JSON


def _several(declared: Any, path: Path) -> Sequence[Any]:
    """One JSON Schema, a list of them, or an object with a list under `domains`."""
    found: Any = declared
    if isinstance(found, dict) and "domains" in found and "properties" not in found:
        found = cast(Any, found["domains"])
    if isinstance(found, dict):
        return [found]
    if not isinstance(found, list) or not found:
        raise SchemaError(f"{path}: it must hold a JSON Schema with title and properties, or a list of them")
    return cast(Sequence[Any], found)


def _declared(schema: Any, path: Path, lines: Mapping[str, int]) -> Domain:
    if not isinstance(schema, dict):
        raise SchemaError(f"{path}: a domain must be a JSON Schema object, not {type(schema).__name__}")
    try:
        return domain_from_json_schema(cast(dict[str, Any], schema))
    except SchemaError as error:
        raise SchemaError(f"{path}{_known_line(str(error), lines)}: {error}") from None
    except RecursionError:
        raise SchemaError(f"{path}: it contains itself; a slot needs a fixed shape: flatten it") from None
    except Exception as error:
        raise SchemaError(f"{path}: not a JSON Schema that can be read ({_said(error)})") from None


def _known_line(message: str, lines: Mapping[str, int]) -> str:
    """`:12`, the line of the innermost property that the message starts with."""
    where = message.partition(":")[0]
    while where:
        if where in lines:
            return f":{lines[where]}"
        where = where.rpartition(".")[0]
    return ""


def _json(text: str, path: Path, first: int = 1) -> tuple[object, Mapping[str, int]]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise SchemaError(f"{path}: {twice!r} stands twice in one object: remove one of them")
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=unique), {}
    except json.JSONDecodeError as error:
        raise SchemaError(f"{path}:{error.lineno + first - 1}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"{path}: not JSON that can be read ({_said(error)})") from None


def _json_lines(text: str) -> Sequence[int]:
    """Where the items of a JSON list start, line by line; of another document, its first line. The text is valid."""
    decoder = json.JSONDecoder()
    white = re.compile(r"[\s,]*")

    def after(position: int) -> int:
        return cast(re.Match[str], white.match(text, position)).end()

    at = after(0)
    if not text.startswith("[", at):
        return [text.count("\n", 0, at) + 1]
    lines: list[int] = []
    line, seen = 1, 0
    at = after(at + 1)
    while not text.startswith("]", at):
        line, seen = line + text.count("\n", seen, at), at
        lines.append(line)
        at = after(decoder.raw_decode(text, at)[1])
    return lines


def _yaml(text: str, path: Path) -> tuple[object, Mapping[str, int]]:
    """What the YAML says, read as YAML 1.2 does, and the lines of its properties."""
    with _yaml_errors(path):
        loader: Any = _loader()(text)
        root = loader.get_single_node()
        declared: Any = None if root is None else loader.construct_document(root)
        return declared, {} if root is None else dict(_lines(root))


def _yaml_documents(text: str, path: Path) -> list[tuple[object, Sequence[int]]]:
    """The documents of a YAML stream, each with its first line, or with the lines of its items where it is a list."""
    documents: list[tuple[object, Sequence[int]]] = []
    with _yaml_errors(path):
        loader: Any = _loader()(text)
        while loader.check_node():
            node = loader.get_node()
            starts = node.value if node.id == "sequence" else [node]
            documents.append((loader.construct_document(node), [one.start_mark.line + 1 for one in starts]))
    return documents


@contextmanager
def _yaml_errors(path: Path) -> Generator[None]:
    import yaml

    try:
        yield
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f":{mark.line + 1}" if mark is not None else ""
        raise SchemaError(f"{path}{line}: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SchemaError(f"{path}: not YAML that can be read ({_said(error)})") from None


def _loader() -> type[yaml.SafeLoader]:
    """PyYAML's safe loader with the scalars of YAML 1.2: only true and false are booleans, numbers have no leading
    zero, and dates, times, yes, no, on and off stay text. Keys are text, and none may stand twice.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own name

        def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
            node: yaml.MappingNode = super().compose_mapping_node(anchor)
            seen: set[str] = set()
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    raise yaml.MarkedYAMLError(problem="a key must be text", problem_mark=key.start_mark)
                if key.value in seen:
                    problem = f"{key.value!r} stands twice in one mapping: remove one of them"
                    raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
                seen.add(key.value)
                if key.tag != "tag:yaml.org,2002:merge":
                    key.tag = "tag:yaml.org,2002:str"
            return node

    whole, power = r"[-+]?(?:0|[1-9][0-9]*)", r"(?:[eE][-+]?[0-9]+)?"
    for tag, pattern, first in (
        ("tag:yaml.org,2002:bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
        ("tag:yaml.org,2002:null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
        ("tag:yaml.org,2002:int", whole, "-+0123456789"),
        ("tag:yaml.org,2002:float", rf"{whole}(?:\.[0-9]*)?{power}|[-+]?\.[0-9]+{power}", "-+.0123456789"),
        ("tag:yaml.org,2002:merge", r"<<", "<"),
    ):
        cast(Any, Loader).add_implicit_resolver(tag, re.compile(f"(?:{pattern})\\Z"), list(first))
    return Loader


def _lines(node: yaml.Node, above: str = "") -> Iterable[tuple[str, int]]:
    """(path of a property, its line) as the schema errors write paths."""
    import yaml

    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _lines(item)
    if not isinstance(node, yaml.MappingNode):
        return
    inner = {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}
    if "domains" in inner:
        yield from _lines(inner["domains"])
    title = inner.get("title")
    name = above or (title.value if isinstance(title, yaml.ScalarNode) else "")
    properties = inner.get("properties")
    if not name or not isinstance(properties, yaml.MappingNode):
        return
    for key, value in properties.value:
        where = f"{name}.{key.value}"
        yield where, key.start_mark.line + 1
        yield from _lines(value, where)
