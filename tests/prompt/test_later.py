"""What a prompt says of itself is written out when somebody looks: it must read as if it had been there all along."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
from pydantic import BaseModel

from slotstate import Budget, Change, Tracker
from slotstate.chat import Chat
from slotstate.contract import Prompt, Run
from slotstate.testing import ScriptedExtractor


class Trip(BaseModel):
    """A trip."""

    origin: str | None = None


LONG = "Somebody wondered about the path along the river, the lamps in the courtyard and the coffee after the walk. "


def talk(turns: int = 12) -> Chat:
    """A conversation whose slots change, long enough for an epoch to begin."""
    places = [f"Town {name}" for name in "ABCDEFGHIJKLMNOP"]
    script = [[Change("set", "trip.origin", places[at], places[at])] for at in range(turns)]
    chat = Tracker([Trip], extractor=ScriptedExtractor(script), budget=Budget(context=4_000)).open("s")
    for at in range(turns):
        chat.user(f"From {places[at]}, please. {LONG}")
        chat.prompt()
        chat.assistant(f"Noted. {LONG}")
    chat.user(LONG)
    return chat


LOOKS: dict[str, Callable[[Prompt], Any]] = {
    "ledger": lambda prompt: prompt.ledger,
    "cache": lambda prompt: prompt.cache,
    "dump": lambda prompt: prompt.model_dump(),
    "json": lambda prompt: prompt.model_dump_json(),
    "equal": lambda prompt: prompt == prompt.model_copy(),
    "repr": repr,
    "fields": dict,
    "vars": vars,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda prompt: pickle.loads(pickle.dumps(prompt)),
    "within another model": lambda prompt: Run(state={}, turns=[], prompt=prompt).model_dump_json(),
}


@pytest.mark.parametrize("look", LOOKS)
def test_whatever_looks_first_sees_all_of_it(look: str) -> None:
    chat = talk()
    seen, other = chat.prompt(), chat.prompt()
    LOOKS[look](seen)
    assert seen == other
    assert Prompt.model_validate_json(seen.model_dump_json()) == seen
    assert sum(line.tokens or 0 for line in seen.ledger if line.action != "dropped") == seen.tokens
    assert seen.cache is not None
    assert set(vars(seen)) == set(Prompt.model_fields) == seen.model_fields_set


@pytest.mark.parametrize("look", [look for look in LOOKS if "cop" in look or look == "pickle"])
def test_copies_are_whole(look: str) -> None:
    prompt = talk().prompt()
    copied = LOOKS[look](prompt)
    assert isinstance(copied, Prompt)
    assert copied.model_dump() == prompt.model_dump()


def test_what_happens_afterwards_changes_nothing_in_it() -> None:
    chat, other = talk(), talk()
    late, soon = chat.prompt(), other.prompt()
    told = soon.model_dump()
    for _ in range(5):
        chat.assistant(LONG, usage={"prompt_tokens": 900, "prompt_tokens_details": {"cached_tokens": 512}})
        chat.user(LONG)
        chat.set("trip.origin", "Elsewhere")
        chat.prompt().messages[0]["content"] = "changed by its reader"
    chat.compact()
    assert late.model_dump() == told


def test_what_a_reader_changes_changes_no_other_prompt() -> None:
    chat, other = talk(), talk()
    mine = chat.prompt()
    for message in mine.messages:
        message["content"] = "changed by its reader"
    mine.messages.clear()
    mine.ledger.clear()
    assert mine.cache is not None
    mine.cache["breakpoints"].clear()
    assert chat.prompt() == other.prompt()


def test_it_stays_frozen() -> None:
    prompt = talk().prompt()
    with pytest.raises(ValueError, match="frozen"):
        prompt.cache = None
    with pytest.raises(AttributeError):
        _ = prompt.nothing  # type: ignore[attr-defined]


def test_two_threads_look_at_once() -> None:
    chat = talk()
    for _ in range(20):
        prompt, seen = chat.prompt(), list[Any]()
        threads = [Thread(target=lambda: seen.append((prompt.ledger, prompt.cache))) for _ in range(4)]  # noqa: B023
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(seen) == 4
        assert all(one == seen[0] for one in seen)


def test_what_another_worker_wrote_stands_in_the_next_prompt() -> None:
    """Also where this one would have gone on without a word to the log."""
    chat = talk()
    chat.prompt()
    beside = chat._tracker.open("s")
    beside.assistant("The ferry is cancelled.")
    beside.user("Then by train.")
    said = [message["content"] for message in chat.prompt().messages]
    assert said[-2] == "The ferry is cancelled."
    assert said[-1].startswith("Then by train.")
