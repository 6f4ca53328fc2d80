"""The recipe of the built-in extractor's models."""
