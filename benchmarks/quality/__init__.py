"""Measures the quality of brokerfuzz itself: `python -m benchmarks quality`. Run it before and after a change, and
compare the tables.

The modules use only the public API of brokerfuzz, so that the figures of two versions with different code are
comparable.
"""

from datetime import UTC, datetime

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
Value = int | float | str
Figures = dict[str, dict[str, Value]]
"""Maps the name of a measurement to its values. The key of a value says what the value means."""
