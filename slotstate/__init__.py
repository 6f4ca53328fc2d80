"""slotstate: a slot-based dialogue state tracker in which a confirmed slot never gets lost."""

from slotstate.chat import Chat
from slotstate.contract import Decision, Prompt, Turn, View
from slotstate.domains import Domain
from slotstate.elicit import Missing, Question
from slotstate.errors import (
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
    UnknownPath,
    ValueChanged,
)
from slotstate.events import Usage
from slotstate.extract import Change, Extraction, Extractor, Request
from slotstate.jsonschema import domain_from_json_schema
from slotstate.log import Entry, Store
from slotstate.slots import DONTCARE, Email, Money, Phone, Slot
from slotstate.tracker import Tracker

__all__ = [
    "DONTCARE",
    "Change",
    "Chat",
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
    "TemplateError",
    "Tracker",
    "Turn",
    "UnknownPath",
    "Usage",
    "ValueChanged",
    "View",
    "domain_from_json_schema",
]
