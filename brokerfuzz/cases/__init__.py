"""Generates and filters cases: messages with their verdicts. The cases come from the catalogue or are random."""
