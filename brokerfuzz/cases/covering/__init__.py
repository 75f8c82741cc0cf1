"""Determines what a message covers: rules, techniques, edges and ambiguities. The message may come from any program."""
