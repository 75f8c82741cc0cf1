"""Determines from the bytes of any message what the message covers: rules, techniques, edges, ambiguities and pairs of states."""
