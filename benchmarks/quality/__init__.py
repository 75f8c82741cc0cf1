"""Measures the quality of brokerfuzz itself: `python -m benchmarks quality`. Run it before and after a change, and
compare the tables.

The modules use only the public API of brokerfuzz, so that the figures of two versions with different code are
comparable.
"""
