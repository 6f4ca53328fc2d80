"""slotstate: a slot-based dialogue state tracker in which a confirmed slot never gets lost.

The public names are imported when first used: Pydantic alone takes longer to import than all the rest.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slotstate.chat import Chat
    from slotstate.compact import Summariser, ToolPolicy, recall_tool
    from slotstate.compacting import Compaction
    from slotstate.contract import Decision, Prompt, Turn, View
    from slotstate.domains import Domain
    from slotstate.elicit import Missing, Question
    from slotstate.errors import (
        BudgetTooSmall,
        DeadlineExceeded,
        ExtractorError,
        Incomplete,
        InputError,
        InvalidValue,
        MessageConflict,
        MissingExtra,
        NotHeld,
        SchemaError,
        SlotstateError,
        StaleWriter,
        StoreError,
        TemplateError,
        ToolCallsPending,
        UnknownPath,
        ValueChanged,
    )
    from slotstate.events import Usage
    from slotstate.extract import Change, Extraction, Extractor, Request, Suggestion
    from slotstate.jsonschema import domain_from_json_schema
    from slotstate.log import Entry, Store
    from slotstate.prompt import Budget
    from slotstate.slots import DONTCARE, Email, Money, Phone, Slot
    from slotstate.tracker import Tracker

_MODULES = {
    "chat": ("Chat",),
    "compact": (
        "Summariser",
        "ToolPolicy",
        "recall_tool",
    ),
    "compacting": ("Compaction",),
    "contract": (
        "Decision",
        "Prompt",
        "Turn",
        "View",
    ),
    "domains": ("Domain",),
    "elicit": (
        "Missing",
        "Question",
    ),
    "errors": (
        "BudgetTooSmall",
        "DeadlineExceeded",
        "ExtractorError",
        "Incomplete",
        "InputError",
        "InvalidValue",
        "MessageConflict",
        "MissingExtra",
        "NotHeld",
        "SchemaError",
        "SlotstateError",
        "StaleWriter",
        "StoreError",
        "TemplateError",
        "ToolCallsPending",
        "UnknownPath",
        "ValueChanged",
    ),
    "events": ("Usage",),
    "extract": (
        "Change",
        "Extraction",
        "Extractor",
        "Request",
        "Suggestion",
    ),
    "jsonschema": ("domain_from_json_schema",),
    "log": (
        "Entry",
        "Store",
    ),
    "prompt": ("Budget",),
    "slots": (
        "DONTCARE",
        "Email",
        "Money",
        "Phone",
        "Slot",
    ),
    "tracker": ("Tracker",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"slotstate.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])


__all__ = [
    "DONTCARE",
    "Budget",
    "BudgetTooSmall",
    "Change",
    "Chat",
    "Compaction",
    "DeadlineExceeded",
    "Decision",
    "Domain",
    "Email",
    "Entry",
    "Extraction",
    "Extractor",
    "ExtractorError",
    "Incomplete",
    "InputError",
    "InvalidValue",
    "MessageConflict",
    "Missing",
    "MissingExtra",
    "Money",
    "NotHeld",
    "Phone",
    "Prompt",
    "Question",
    "Request",
    "SchemaError",
    "Slot",
    "SlotstateError",
    "StaleWriter",
    "Store",
    "StoreError",
    "Suggestion",
    "Summariser",
    "TemplateError",
    "ToolCallsPending",
    "ToolPolicy",
    "Tracker",
    "Turn",
    "UnknownPath",
    "Usage",
    "ValueChanged",
    "View",
    "domain_from_json_schema",
    "recall_tool",
]
