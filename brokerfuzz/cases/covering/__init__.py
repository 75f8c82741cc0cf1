"""Determines what a message covers: rules, techniques, edges, ambiguities and pairs of states. The message can come from anywhere."""
