"""Tests of the prompt: budget, layout, epochs, promises."""
