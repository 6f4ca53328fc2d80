"""Corpora read from files: JSON documents in a folder, or zipped, told apart by what they hold, not by their names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, get_args
from zipfile import BadZipFile, ZipFile

from slotstate.archive import EXPORT_FORMAT
from slotstate.cases import Case, read_cases
from slotstate.domains import Domain, Domains
from slotstate.errors import InputError, near
from slotstate.jsonschema import domain_from_json_schema
from slotstate.loading import load_domains
from slotstate.masking import telling
from slotstate.measuring import crosswoz, multiwoz, sessions, sgd
from slotstate.measuring.dialogues import Corpus, CorpusName, Dialogue, JsonSchema, Reference, Turn

Kinds = Literal["typed", "plain"]
"""How slots are declared: as a developer would, or as the corpus does."""
SPLITS: Final = ("train", "dev", "test")
_SPLITS: Final = {"train": "train", "dev": "dev", "val": "dev", "valid": "dev", "validation": "dev", "test": "test"}
"""How folders and files of a split are called."""
SOURCES: Final[Mapping[CorpusName, str]] = {
    "sgd": "github.com/google-research-datasets/dstc8-schema-guided-dialogue",
    "multiwoz": "github.com/budzianowski/multiwoz and github.com/smartyfh/MultiWOZ2.4",
    "crosswoz": "github.com/thu-coai/CrossWOZ",
}
"""Where to get a corpus."""
_VERSIONED: Final = ("sgd", "multiwoz")
_TITLES: Final[Mapping[str, str]] = {
    "sgd": "SGD",
    "multiwoz": "MultiWOZ",
    "crosswoz": "CrossWOZ",
    "cases": "conversation tests",
    "sessions": "exported sessions",
}


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON document, where it stands, and the split that its folder or its name says, where one does."""

    where: str
    data: Any
    split: str | None = None


def read_corpus(
    name: str,
    data: str | Path,
    *,
    version: str | None = None,
    split: str | None = None,
    schemas: Sequence[str] = (),
    kinds: Kinds = "plain",
) -> Corpus:
    """The corpus `name` ("sgd", "multiwoz", "crosswoz", "cases", "sessions") from a file or a folder.

    version: of SGD "v1" to "v5", a rewording of SGD-X; of MultiWOZ "2.1", "2.2" or "2.4", by default the newest there
    is. split: "train", "dev" or "test", where the folder holds several; by default test. schemas: what `load_domains`
    takes, for exported sessions, which hold none. What a document is shows in what it holds; only the split is told by
    the name of its folder, or of the file (`test.json`, `dev_dials.json`). kinds: whether SGD's slots are declared as
    dates, times, phone numbers and numbers ("typed"), or as the texts and options of its schema ("plain").

    Raises InputError, naming the file, when there is no such corpus or a file is not what it should be.
    """
    readers: Mapping[str, Callable[[Path], Corpus]] = {
        "sgd": lambda path: _sgd(path, version, split, kinds),
        "multiwoz": lambda path: _multiwoz(path, version, split),
        "crosswoz": lambda path: _crosswoz(path, split),
        "cases": _cases,
        "sessions": lambda path: _sessions(path, schemas),
    }
    if name not in readers:
        raise InputError(f"no corpus {name!r}{near(name, readers)}: it is one of {', '.join(get_args(CorpusName))}")
    if split is not None and split not in SPLITS:
        raise InputError(f"no split {split!r}: it is one of {', '.join(SPLITS)}")
    for option, given, able in (("split", split, SOURCES), ("version", version, _VERSIONED)):
        if given is not None and name not in able:
            raise InputError(f"--{option} is for {', '.join(able)}: {name} has no {option}s")
    path = Path(data)
    if not path.exists():
        raise InputError(f"no file or folder {str(path)!r}")
    corpus = readers[name](path)
    if name in SOURCES:
        for dialogue in corpus.dialogues:
            with _as_published(f"{path}, dialogue {dialogue.name}", name):
                _check_texts(dialogue)
    return replace(corpus, dialogues=tuple(_named(corpus.dialogues)))


def _check_texts(dialogue: Dialogue) -> None:
    """Raises TypeError where something else stands than the text that belongs there: its figures come much later."""
    for number, turn in enumerate(dialogue.turns):
        wrong = [text for text in _texts(turn) if not isinstance(text, str)]
        if wrong:
            raise TypeError(f"turn {number}: {json.dumps(wrong[0], default=repr)[:40]} where a text belongs")


def _texts(turn: Turn) -> Iterator[Any]:
    """Whatever should be a text in a turn."""
    yield turn.text
    for state in (turn.state, *(frame.state for frame in turn.frames)):
        for name, one in (state or {}).items():
            yield from (name, *one.values, *one.canonical)
    for frame in turn.frames:
        yield from frame.requested or ()
        for act in frame.acts:
            yield from (act.act, act.slot, *act.values)


def _named(dialogues: Iterable[Dialogue]) -> Iterator[Dialogue]:
    """The dialogues, each with a name of its own."""
    counts: dict[str, int] = {}
    for dialogue in dialogues:
        count = counts[dialogue.name] = counts.get(dialogue.name, 0) + 1
        yield dialogue if count == 1 else replace(dialogue, name=f"{dialogue.name} ({count})")


# Files


def documents(path: Path, split: str | None = None) -> list[Document]:
    """The JSON documents of a file, a zipped one, or a folder with all below it. Where some are of the split (default:
    test), those of other splits are not read. Raises InputError.
    """
    files = [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())
    splits = {file: _split_of(file, path) for file in files}
    if not any(splits.values()):  # a split's own folder, or a file in it
        own = _SPLITS.get((path.parent if path.is_file() else path).name)
        splits = dict.fromkeys(files, own)
    wanted = split or "test"
    if wanted in splits.values():
        files = [file for file in files if splits[file] in {wanted, None}]
    return [document for file in files for document in _read(file, splits[file], alone=file == path)]


def _split_of(file: Path, below: Path) -> str | None:
    """The split that the folder of a file says, or the first word of its name."""
    folders = file.relative_to(below).parts[:-1] if file != below else ()
    words = (*folders, re.split(r"[^a-z]", file.name.lower())[0])
    return next((_SPLITS[word] for word in words if word in _SPLITS), None)


def _read(file: Path, split: str | None, *, alone: bool) -> Iterator[Document]:
    if file.suffix.lower() == ".json":
        yield Document(str(file), _parsed(file.read_bytes(), str(file)), split)
    elif file.suffix.lower() == ".zip":
        yield from _zipped(file, split)
    elif alone:
        raise InputError(f"{file}: a corpus is a .json file, a .zip file with such files, or their folder")


def _zipped(file: Path, split: str | None) -> Iterator[Document]:
    try:
        with ZipFile(file) as archive:
            for member in archive.namelist():
                if member.endswith(".json") and not member.startswith("__MACOSX/"):
                    yield Document(f"{file}:{member}", _parsed(archive.read(member), f"{file}:{member}"), split)
    except BadZipFile as error:
        raise InputError(f"{file}: not a zip file that can be read ({error})") from None


def _parsed(content: bytes, where: str) -> Any:
    try:
        return json.loads(content.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise InputError(f"{where}:{error.lineno}: not JSON: {error.msg}") from None
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise InputError(f"{where}: not JSON that can be read ({type(error).__name__})") from None


def _of_split(files: Sequence[Document], split: str | None, path: Path, *, listed: bool = False) -> list[Document]:
    """The documents of a split; without one asked for, those of test, else those that do not say theirs, else all.
    `listed`: lists of the split's dialogues lie beside the documents. Raises InputError when there is no such split.
    """
    known = [file for file in files if file.split == (split or "test")]
    if known:
        return known
    unsaid = [file for file in files if file.split is None]
    if split is not None and not unsaid:
        there = ", ".join(sorted({str(file.split) for file in files}))
        raise InputError(f"{path}: there is no split {split}, but {there}: choose it with --split")
    if split is not None and not listed:
        raise InputError(f"{path}: nothing in it says which split it is: leave out --split {split}")
    return unsaid or list(files)


@contextmanager
def _as_published(where: str, name: str) -> Generator[None]:
    """Whatever is not as it should be becomes one line."""
    try:
        yield
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        said = f"no {error}" if isinstance(error, KeyError) else f"{type(error).__name__}: {error}"
        raise InputError(f"{where}: not {_TITLES[name]} as it is published ({said})") from None


def _nothing(name: CorpusName, path: Path, count: int) -> InputError:
    source = f"; get it from {SOURCES[name]} (docs/evaluation.md)" if name in SOURCES else ""
    return InputError(f"{path}: none of its {count} JSON documents holds dialogues of {_TITLES[name]}{source}")


def _compiled(corpus: CorpusName, schemas: Mapping[str, JsonSchema]) -> Mapping[str, Domain]:
    compiled: dict[str, Domain] = {}
    for name, schema in schemas.items():
        with _as_published(f"the schema of {name}", corpus):
            compiled[name] = domain_from_json_schema(schema)
    return compiled


def _corpus(
    name: CorpusName,
    schemas: Mapping[str, JsonSchema],
    dialogues: Iterable[Dialogue],
    files: Iterable[Document],
    version: str | None = None,
    seen: frozenset[str] | None = None,
) -> Corpus:
    where = tuple(document.where for document in files)
    return Corpus(name, schemas, _compiled(name, schemas), tuple(dialogues), version, seen, where)


# SGD


def _sgd(path: Path, version: str | None, split: str | None, kinds: Kinds) -> Corpus:
    if version not in (None, "original", *sgd.VARIANTS):
        raise InputError(f"no version {version!r} of SGD: leave it out, or give one of {', '.join(sgd.VARIANTS)}")
    variant = version if version in sgd.VARIANTS else None
    found = documents(path, split)
    schemas = [one for document in found if sgd.is_schema(document.data) for one in document.data]
    services = {service["service_name"]: service for service in schemas}
    files = [document for document in found if sgd.is_dialogues(document.data)]
    if not files:
        raise _nothing("sgd", path, len(found))
    files = _of_variant(_of_split(files, split, path), services, variant)
    names = _Naming(services, variant, files[0].where)
    dialogues: list[Dialogue] = []
    for file in files:
        for raw in file.data:
            with _as_published(f"{file.where}, dialogue {_ident(raw)}", "sgd"):
                dialogues.append(sgd.read_dialogue(raw, names))
    return _corpus("sgd", names.schemas(typed=kinds == "typed"), dialogues, files, variant, _seen(path, names))


def _ident(raw: Any) -> str:
    return str(raw.get("dialogue_id", "without dialogue_id")) if isinstance(raw, dict) else "that is no object"


def _of_variant(files: Sequence[Document], services: Mapping[str, Any], variant: str | None) -> list[Document]:
    """The files whose dialogues are of a rewording, else the original ones, which can be told in its words."""

    def service(document: Document) -> str:
        return str(next(iter(document.data[0]["services"]), ""))

    def is_reworded(document: Document) -> bool:
        name = service(document)
        return name in services and name[:-1] in services

    reworded = [one for one in files if is_reworded(one) and service(one).endswith((variant or "v-")[1:])]
    originals = [one for one in files if not is_reworded(one)]
    return (reworded if variant else []) or originals or list(files)


class _Naming(dict[str, sgd.Renaming]):
    """How the services that come up are called; looked up when a dialogue names one."""

    def __init__(self, services: Mapping[str, Any], variant: str | None, where: str) -> None:
        super().__init__()
        self._services = services
        self._variant = (variant or "")[1:]
        self._where = where
        self.originals: dict[str, str] = {}
        """The original name of a service, by the name that it has here."""

    def __missing__(self, name: str) -> sgd.Renaming:
        original, variant = self._service(name), self._variant
        with _as_published(f"the schema of {name}", "sgd"):
            if variant and (name + variant in self._services or not name.endswith(variant)):
                self[name] = sgd.renaming(original, self._service(name + variant))
            else:
                self[name] = sgd.same_words(original)
        own = variant and self[name].service == name  # the dialogues are in the words of the rewording already
        self.originals[self[name].service] = name[:-1] if own else name
        return self[name]

    def _service(self, name: str) -> Any:
        if name not in self._services:
            raise InputError(f"{self._where}: no schema of its service {name!r}: schema.json belongs beside it")
        return self._services[name]

    def schemas(self, *, typed: bool) -> Mapping[str, JsonSchema]:
        """The schemas of all services of this version, those that no dialogue names included."""
        for name in self._services:
            reworded = name[-1] in "12345" and name[:-1] in self._services
            if not reworded and (name + self._variant in self._services or name.endswith(self._variant)):
                self[name]
        made: dict[str, JsonSchema] = {}
        for service in (one.service for one in self.values()):
            with _as_published(f"the schema of {service}", "sgd"):
                original = self._services.get(self.originals[service])
                made[service] = sgd.service_schema(self._services[service], original, typed=typed)
        return made


def _seen(path: Path, names: _Naming) -> frozenset[str]:
    """The services of the training split: as its schema says where it is there, else as the corpus is known."""
    schema = path / "train" / "schema.json"
    told = _parsed(schema.read_bytes(), str(schema)) if schema.is_file() else None
    known = {service["service_name"] for service in told or ()} if sgd.is_schema(told) else sgd.SEEN
    return frozenset(name for name, original in names.originals.items() if original in known)


# MultiWOZ


def _multiwoz(path: Path, version: str | None, split: str | None) -> Corpus:
    if version is not None and version not in multiwoz.VERSIONS:
        raise InputError(f"no version {version!r} of MultiWOZ: it is one of {', '.join(multiwoz.VERSIONS)}")
    found = documents(path, split)
    files = [
        one
        for one in found
        if multiwoz.is_data(one.data)
        or multiwoz.is_dials(one.data)
        or (multiwoz.is_frames(one.data) and not sgd.is_dialogues(one.data))
    ]
    if not files:
        raise _nothing("multiwoz", path, len(found))
    listed = _listed(path, split)
    files = _of_split(files, split, path, listed=listed is not None)
    told: list[tuple[str | None, Document]] = []
    for file in files:
        with _as_published(file.where, "multiwoz"):
            told.append((multiwoz.told_version(file.data), file))
    chosen, files = _of_version(told, version, path)
    dialogues: list[Dialogue] = []
    for file in files:
        with _as_published(file.where, "multiwoz"):
            dialogues += [one for one in multiwoz.read_dialogues(file.data) if listed is None or one.name in listed]
    services = next((one.data for one in found if _is_multiwoz_schema(one.data)), ())
    return _corpus("multiwoz", multiwoz.schemas(services), dialogues, files, chosen)


def _of_version(
    told: Sequence[tuple[str | None, Document]], version: str | None, path: Path
) -> tuple[str | None, list[Document]]:
    """The files of a version, by default of the newest; of those that do not say theirs, the user's word is taken."""
    versions = {one for one, _ in told}
    wanted = version or max(versions, key=lambda one: one or "")
    if wanted not in versions and None not in versions:
        there = ", ".join(sorted(filter(None, versions)))
        raise InputError(f"{path}: there is no MultiWOZ {version}, but {there}: choose it with --version")
    return wanted, [one for said, one in told if said == wanted] or [one for said, one in told if said is None]


def _is_multiwoz_schema(data: Any) -> bool:
    return sgd.is_schema_list(data) and {"hotel", "train"} <= {service["service_name"] for service in data}


def _listed(path: Path, split: str | None) -> frozenset[str] | None:
    """The names of a split's dialogues, where lists of them lie beside the corpus; None for all."""
    wanted = {"dev": "val"}.get(split or "test", split or "test")
    folder = path if path.is_dir() else path.parent
    lists = [one for one in folder.rglob(f"{wanted}ListFile*") if one.is_file()]
    if not lists:
        return None
    return frozenset(
        line.strip().removesuffix(".json") for one in lists for line in one.read_text().split("\n") if line
    )


# CrossWOZ, conversation tests, sessions


def _crosswoz(path: Path, split: str | None) -> Corpus:
    found = documents(path, split)
    files = [one for one in found if crosswoz.is_dialogues(one.data)]
    if not files:
        raise _nothing("crosswoz", path, len(found))
    files = _of_split(files, split, path)
    with _as_published(files[0].where, "crosswoz"):
        schemas = crosswoz.schemas(raw for file in files for raw in file.data.values())
    dialogues: list[Dialogue] = []
    for file in files:
        for name, raw in file.data.items():
            with _as_published(f"{file.where}, dialogue {name}", "crosswoz"):
                dialogues.append(crosswoz.read_dialogue(name, raw))
    return _corpus("crosswoz", schemas, dialogues, files)


_CASE_FILES: Final = (".jsonl", ".yaml", ".yml", ".json", ".ndjson")


def _cases(path: Path) -> Corpus:
    files = [path] if path.is_file() else sorted(one for one in path.rglob("*.cases.*") if one.suffix in _CASE_FILES)
    if not files:
        raise InputError(f"{path}: it holds no conversation tests: name a file, or a folder with files *.cases.yaml")
    cases = [case for file in files for case in read_cases(file)]
    where = tuple(str(file) for file in files)
    return Corpus("cases", {}, {}, tuple(map(case_dialogue, cases)), files=where)


def case_dialogue(case: Case) -> Dialogue:
    """A conversation test as a dialogue, without what it says of parts of a composite and of values ruled out."""
    whole = {path: case.domains.resolve(path) for path in case.expected}
    listed = {spec.path: case.expected[path] for path, (spec, inner) in whole.items() if inner is None}
    state = {path: Reference((sessions.written(value),)) for path, value in listed.items() if value is not None}
    last = max((index for index, turn in enumerate(case.turns) if turn.role == "user"), default=-1)
    turns = [
        Turn(
            "user" if turn.role == "user" else "assistant",
            turn.text,
            state=state if index == last else None,
            listed=frozenset(listed) if index == last else None,
            asks=turn.asks,
            offers=turn.offers,
        )
        for index, turn in enumerate(case.turns)
    ]
    said = (*case.expected.items(), *((path, value) for path, values in case.excluded.items() for value in values))
    return Dialogue(case.name, tuple(case.domains), tuple(turns), case.now, case.timezone, case.domains, said=said)


def _sessions(path: Path, schemas: Sequence[str]) -> Corpus:
    if not schemas:
        raise InputError("exported sessions hold no schema: name theirs with --schema")
    domains = Domains(domain for name in schemas for domain in load_domains(name))
    found = documents(path)
    files = [one for one in found if sessions.is_export(one.data)]
    if not files:
        raise _nothing("sessions", path, len(found))
    _check_exports(files)
    told = [raw for file in files for raw in file.data["sessions"]]
    dialogues = tuple(_with_secrets(sessions.read_session(raw, domains), domains) for raw in told)
    if told:
        sessions.check_judged(told, dialogues, domains)
    return Corpus("sessions", {}, dict(domains), dialogues, files=tuple(one.where for one in files))


def _check_exports(files: Iterable[Document]) -> None:
    """Raises InputError for an export of another format, or a session that would count twice."""
    found: dict[tuple[str, str], str] = {}
    for file in files:
        told = file.data.get("format", EXPORT_FORMAT)
        if told != EXPORT_FORMAT or isinstance(told, bool):
            of = json.dumps(told)[:20]
            raise InputError(f"{file.where}: an export of format {of}, this slotstate reads {EXPORT_FORMAT}: update it")
        for name in (str(raw["session"]) for raw in file.data["sessions"] if "session" in raw):
            key = str(file.data.get("tenant")), name
            if key in found:
                raise InputError(f"session {name!r} is in {found[key]} and in {file.where}: leave one of them out")
            found[key] = file.where


def _with_secrets(dialogue: Dialogue, domains: Domains) -> Dialogue:
    """The dialogue with those entries of its log only that tell what sensitive slots hold or held."""
    return replace(dialogue, log=tuple(filter(telling(domains, dialogue.now), dialogue.log)))


__all__ = ["SOURCES", "SPLITS", "Kinds", "case_dialogue", "documents", "read_corpus"]
