"""Determines what a message covers: rules, techniques, edges, ambiguities and pairs of states. The message may come
from any program.
"""
