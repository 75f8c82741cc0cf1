"""Determines what any message covers, from its bytes: rules, techniques, edges, ambiguities and pairs of states."""
