"""The built-in extractor: schema-driven, English and Chinese, rules and models that ship with the package."""

from slotstate.extractors.builtin.combined import BuiltinExtractor
from slotstate.extractors.builtin.extractor import RulesExtractor

__all__ = ["BuiltinExtractor", "RulesExtractor"]
