"""For users' tests: a scripted extractor, and property tests of the promises on their own domains."""

from slotstate.extractors.scripted import ScriptedExtractor, change

__all__ = ["ScriptedExtractor", "change"]
