"""Schemas that change while conversations live: a log is read under the present one, and nothing of it is lost."""

from slotstate.evolution.digests import reading_digest
from slotstate.evolution.fitting import Fit, fit
from slotstate.evolution.reader import Reader
from slotstate.evolution.reports import KeptAside, kept_aside
from slotstate.evolution.writing import completed

__all__ = ["Fit", "KeptAside", "Reader", "completed", "fit", "kept_aside", "reading_digest"]
