"""Run every benchmark."""

from benchmarks import import_time, turn_cost

if __name__ == "__main__":
    for benchmark in (import_time, turn_cost):
        print(f"== {benchmark.__name__}")
        benchmark.main([])
