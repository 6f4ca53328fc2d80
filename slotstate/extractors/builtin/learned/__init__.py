"""The learned part of the built-in extractor: models shipped as data, read with numpy alone."""
