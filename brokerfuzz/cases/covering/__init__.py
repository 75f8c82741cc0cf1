"""Determines what a message covers: rules, techniques, edges, ambiguities and pairs of states. Any program may have written the
message.
"""
