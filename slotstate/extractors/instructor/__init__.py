"""The instructor extractor: a language model proposes changes, at any provider that `instructor` reaches.

instructor and the provider's package are imported when an extractor is first used.
"""

from slotstate.extractors.instructor.examples import Example
from slotstate.extractors.instructor.extractor import InstructorExtractor

__all__ = ["Example", "InstructorExtractor"]
