"""The prompt assembler beside its peers: cost, what is kept, time. `python -m benchmarks.assembly_peers --help`."""
