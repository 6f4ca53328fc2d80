"""One module a revision, forward only."""
