"""Defines techniques that create bodies that are not JSON (RFC 8259), with one module for each part of the syntax.

Most techniques make a slip: a small syntax error that lenient parsers tolerate. Apart from the syntax error, the
message is usually valid. So a target that accepts the body has not noticed the error.
"""

from brokerfuzz.cases.techniques.wire import arrays_and_objects, bodies, cuts, literals, strings

__all__ = ["arrays_and_objects", "bodies", "cuts", "literals", "strings"]
