"""Compaction beside its peers: what is lost, what survives, what it costs. `python -m benchmarks.compaction_peers`."""
