"""Secrets: what sensitive slots hold, held, were offered or refused is masked wherever it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

import pytest
from pydantic import BaseModel, Field

from slotstate import Chat, InvalidValue, Phone, Slot, Tracker, ValueChanged
from slotstate.contract import MASK
from slotstate.domains import compile_domains
from slotstate.masking import Secrets
from slotstate.state import State, replay
from slotstate.testing import ScriptedExtractor, change

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


class Guest(BaseModel):
    name: str
    code: Annotated[str | None, Field(pattern=r"^\d{4}$"), Slot(sensitive=True)] = None
    phone: Annotated[Phone | None, Slot(sensitive=True)] = None
    card: Annotated[dict[str, str], Slot(sensitive=True)] = {}
    keys: Annotated[list[str], Slot(sensitive=True)] = []
    ill: Annotated[bool | None, Slot(sensitive=True)] = None


class Room(BaseModel):
    pin: Annotated[str | None, Slot(sensitive=True, share="pin")] = None


class Safe(BaseModel):
    pin: Annotated[str | None, Slot(sensitive=True, share="pin")] = None


@pytest.fixture
def chat() -> Chat:
    script = [
        [
            change("guest.code", "set", "1234", "1234"),
            change("guest.phone", "set", "+44 20 7946 0000", "+44 20 7946 0000"),
        ],
        [change("guest.code", "set", "99", "99"), change("guest.code", "set", "5678", "5678")],
        [change("guest.keys", "set", ["k-1", "k-2"], "k-1 and k-2"), change("room.pin", "set", "0420", "0420")],
    ]
    chat = Tracker([Guest, Room, Safe], extractor=ScriptedExtractor(script), clock=lambda: NOW).open("s")
    chat.user("code 1234, phone +44 20 7946 0000")
    chat.assistant("Or 7777?", offers={"guest.code": "7777"})
    chat.user("no, 99, I mean 5678")
    chat.user("k-1 and k-2, and 0420")
    chat.set("guest.ill", True)
    chat.set("guest.card", {"number": "4929 0000", "holder": "Noor"})
    return chat


SECRETS = ["1234", "5678", "7777", "99", "k-1", "0420", "4929 0000", "Noor", "+442079460000", "020 7946"]


def test_every_secret_is_masked_and_nothing_else(chat: Chat) -> None:
    secrets = Secrets(chat.domains, chat.entries, now=NOW)
    for text in SECRETS[:-1]:
        assert secrets.mask(f"it is {text}, you know") == f"it is {MASK}, you know", text
    assert secrets.mask("call +44 20-7946-0000 at 12340") == f"call {MASK} at 12340"
    assert secrets.mask("nothing here, 12 of them") == "nothing here, 12 of them"
    assert secrets.mask("") == ""
    assert (secrets.hides("guest.code"), secrets.hides("guest.name"), secrets.hides("nowhere")) == (True, False, False)


def test_a_long_secret_is_masked_inside_words_too(chat: Chat) -> None:
    assert Secrets(chat.domains, chat.entries, now=NOW).mask("ref4929 0000x") == f"ref{MASK}x"


def test_the_state_alone_tells_what_is_held_offered_and_pending(chat: Chat) -> None:
    secrets = Secrets(chat.domains, now=NOW)
    secrets.learn_state(State())
    assert secrets.mask("1234") == "1234"
    secrets.learn_state(replay(entry.event for entry in chat.entries))
    assert secrets.mask("1234 and 0420") == f"{MASK} and {MASK}"


def test_what_may_be_revealed_is(chat: Chat) -> None:
    secrets = Secrets(chat.domains, chat.entries, now=NOW, reveal=True)
    assert secrets.mask("1234") == "1234"
    assert "1234" in str(chat.prompt(reveal=True).messages)
    assert "1234" not in str(chat.prompt().messages)


def test_a_question_about_a_secret_does_not_tell_it() -> None:
    class Vault(BaseModel):
        pin: Annotated[str, Slot(sensitive=True, confirm="explicit")]

    chat = Tracker(Vault, extractor=ScriptedExtractor(), clock=lambda: NOW).open("s")
    chat.set("vault.pin", "8642")
    question = chat.next_question()
    assert question is not None
    assert "8642" in question.text, "the application sees what it asks"
    assert "8642" not in str(chat.prompt().messages)


def test_what_waits_for_an_answer_and_what_overlaps_is_masked() -> None:
    script = [[change("guest.code", "set", "1111", "one one"), change("guest.code", "set", "2222", "two two")]]
    chat = Tracker(Guest, extractor=ScriptedExtractor(script), clock=lambda: NOW).open("s")
    chat.user("one one two two")
    chat.set("guest.keys", ["blue door", "door key"])
    secrets = Secrets(chat.domains, chat.entries, now=NOW)
    assert secrets.mask("1111 or 2222") == f"{MASK} or {MASK}"
    assert secrets.mask("the blue door key") == f"the {MASK}"


class Two(BaseModel):
    name: Annotated[str | None, Slot(confirm="explicit")] = None
    secret: Annotated[str | None, Field(min_length=4), Slot(sensitive=True)] = None


def test_a_secret_is_masked_in_other_slots_quotes_and_tool_arguments() -> None:
    words = "I am Bob and 秘密四字"
    script = [[change("two.secret", "set", "秘密四字", "秘密四字"), change("two.name", "set", words, words)]]
    chat = Tracker(Two, extractor=ScriptedExtractor(script), clock=lambda: NOW).open("s")
    chat.user(words)
    chat.confirm("two.name")
    chat.tool_call("c", "look", json.dumps({"who": ["秘密四字", 1], "ok": True}))
    chat.tool_call("d", "look", "{秘密四字")
    text = chat.prompt(pending_calls="close").model_dump_json()
    assert "秘密四字" not in text
    assert json.dumps("秘密四字").strip('"') not in text
    assert "I am Bob and" in text


def test_errors_about_a_secret_do_not_tell_it() -> None:
    chat = Tracker(Two, extractor=ScriptedExtractor(), clock=lambda: NOW).open("s")
    chat.set("two.secret", "hunter22")
    for call in (lambda: chat.confirm("two.secret", "other99"), lambda: chat.set("two.secret", "abc")):
        with pytest.raises((ValueChanged, InvalidValue)) as told:
            call()
        assert not any(word in str(told.value) for word in ("hunter22", "other99", "abc"))


def test_secrets_in_texts_of_megabytes_are_found_as_they_are_written() -> None:
    class Pay(BaseModel):
        card: Annotated[str | None, Slot(sensitive=True)] = None

    domains = compile_domains(Pay)
    secrets = Secrets(domains, now=datetime(2026, 5, 4, tzinfo=UTC))
    tracker = Tracker(Pay)
    chat = tracker.open("s")
    chat.set("pay.card", "Rosa Luxemburg Lane 12")
    secrets.learn(chat.entries)
    text = "x" * 50 + "Rosa Luxemburg Lane 12, and again Rosa Luxemburg Lane 12."
    assert secrets.mask_written(text) == "x" * 50 + "•••, and again •••."
    assert secrets.mask_written("nothing here") == "nothing here"


class Home(BaseModel):
    """Where somebody lives."""

    lane: Annotated[str | None, Slot(sensitive=True)] = None
    card: Annotated[str | None, Slot(sensitive=True)] = None


@pytest.mark.parametrize("secret", ["Rosa Luxemburg Lane 12", "4111111111111111"])
@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("form", [str, str.upper, lambda text: " ".join(re.findall(".{1,4}", text))])
def test_no_cut_leaves_part_of_a_secret(secret: str, early: bool, form: Callable[[str], str]) -> None:
    """Wherever the cut falls, and whether the secret was known before the result came or only after it."""
    told = form(secret) if secret.isdecimal() or form is str.upper else secret
    for pad in range(1_060, 1_130, 3):
        chat = Tracker(Home).open("s")
        if early:
            chat.set("home.lane", secret)
        chat.user("hello")
        chat.tool_call("c", "profile", {})
        chat.tool_result("c", "word " * (pad // 5) + "x" * (pad % 5) + f" at {told} now " + "y " * 9_000)
        chat.set("home.lane", secret)
        shown = str(chat.prompt().messages)
        bare = "".join(char for char in shown.casefold() if char.isalnum())
        letters = "".join(char for char in secret.casefold() if char.isalnum())
        assert letters[:4] not in bare, (pad, shown[1_000:1_400])


def test_the_end_of_a_secret_behind_a_cut_is_hidden() -> None:
    chat = Tracker(Home).open("s")
    chat.set("home.lane", "Rosa Luxemburg Lane 12")
    secrets = Secrets(chat.domains, chat.entries, now=datetime(2026, 5, 4, tzinfo=UTC))
    assert secrets.mask("at Rosa Lux[… 12 characters left out]\nburg LANE 12, then") == (
        "at •••[… 12 characters left out]\n•••, then"
    )
    assert secrets.mask("by the 12 of us … a lane") == "by the 12 of us … a lane"
