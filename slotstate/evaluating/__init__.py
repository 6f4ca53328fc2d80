"""Evaluation: corpora read from files, dialogues played through a tracker, replies of models kept, and the report."""

from slotstate.evaluating.corpora import read_corpus

__all__ = ["read_corpus"]
