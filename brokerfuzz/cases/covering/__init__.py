"""Determines from the bytes of any message what it covers: rules, techniques, edges, ambiguities and pairs of states."""
