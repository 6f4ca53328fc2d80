"""The built-in extractor: schema-driven, English and Chinese, without a model."""

from slotstate.extractors.builtin.extractor import BuiltinExtractor

__all__ = ["BuiltinExtractor"]
