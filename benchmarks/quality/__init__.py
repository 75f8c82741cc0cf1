"""Measures the quality of brokerfuzz itself: `python -m benchmarks quality`. Run it before and after a change, and
compare the tables.

- bugs killed: how many services with one bug each (`benchmarks/fleet`) answer a case wrongly
- valid offers: which share of the edges and of the pairs of states 100 examples cover, and how many are distinct
- validation rules: how many runs of 100 invalid examples break each rule in the contract's list of validation rules
- smallest examples: for how many conditions (`minima`) the example shrinks to what a person would write
- labels: how often the second judge disagrees with the catalogue
- corpus lines: how many lines of the default corpus disappear or appear if the contract changes
- per second: speeds per second of processor time, and compared with a simpler program

The modules use only the public API of brokerfuzz, so that the figures of two versions with different code are
comparable.
"""

from datetime import UTC, datetime

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
Value = int | float | str
Figures = dict[str, dict[str, Value]]
"""Maps the name of a measurement to its values. The key of a value says what the value means."""
