"""How a text is shown in less room than it takes: what it is, and what of it stays, by its structure."""
