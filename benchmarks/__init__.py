"""Compares brokerfuzz with other tools: `python -m benchmarks`."""
