"""Benchmarks: ratios taken in one run, on the machine that you have."""
