"""Ways of reading turns with one language model, on the same dialogues."""
