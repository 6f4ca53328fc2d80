"""The instructor summariser: a language model says how the summary changes, at any provider that `instructor` reaches.

instructor and the provider's package are imported when a summariser is first used.
"""

from slotstate.summarisers.instructor.summariser import InstructorSummariser

__all__ = ["InstructorSummariser"]
