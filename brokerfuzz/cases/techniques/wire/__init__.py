"""Defines techniques that create bodies that are not JSON (RFC 8259), with one module for each part of the syntax.

Most techniques make a slip: a small syntax error that lenient parsers tolerate. For most slips, a parser that tolerates the
error reads a valid message. Then the syntax error is the only reason to reject the body.
"""

from brokerfuzz.cases.techniques.wire import arrays_and_objects, bodies, cuts, literals, strings

__all__ = ["arrays_and_objects", "bodies", "cuts", "literals", "strings"]
