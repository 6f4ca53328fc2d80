"""Run every benchmark."""

from benchmarks import import_time, parsing_growth, turn_cost

if __name__ == "__main__":
    for benchmark in (import_time, turn_cost, parsing_growth):
        print(f"== {benchmark.__name__}")
        benchmark.main([])
