"""Measuring a tracker: dialogues of corpora in one typed form, metrics as others define them, statistics."""

from slotstate.measuring.dialogues import Act, Call, Corpus, CorpusName, Dialogue, Frame, Marked, Reference, Turn

__all__ = ["Act", "Call", "Corpus", "CorpusName", "Dialogue", "Frame", "Marked", "Reference", "Turn"]
