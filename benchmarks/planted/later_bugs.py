"""Bugs that were planted after the strategies were tuned. They were run once."""

from benchmarks.planted.bugs import Bug

LATER_BUGS: list[Bug] = []
