"""Speed beside the peers, memory, and coverage of the intervals: `python -m benchmarks`."""
