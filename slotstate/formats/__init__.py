"""The prompt in the forms that providers take, whether they would take it, and a repair when they would not."""

from __future__ import annotations

from slotstate.formats.blocks import AnthropicPrompt, anthropic, anthropic_tools
from slotstate.formats.chat import openai
from slotstate.formats.checking import Problem, check
from slotstate.formats.plaintext import plain
from slotstate.formats.repairing import Repaired, repair
from slotstate.formats.rules import CODES, PROVIDERS, Provider

__all__ = [
    "CODES",
    "PROVIDERS",
    "AnthropicPrompt",
    "Problem",
    "Provider",
    "Repaired",
    "anthropic",
    "anthropic_tools",
    "check",
    "openai",
    "plain",
    "repair",
]
