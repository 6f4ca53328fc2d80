"""What slotstate costs, measured. Run all: python -m benchmarks. Figures go into docs/benchmarks.md."""
