"""Bodies that are not JSON (RFC 8259). Most contain a slip, a syntax error that lenient parsers tolerate. There is one module for
each part of the syntax.

A slip is made in a valid message. If possible, the message is valid again for a parser that tolerates the slip, so that the
target cannot reject it for another reason.
"""

from brokerfuzz.cases.techniques.wire import arrays_and_objects, bodies, cuts, literals, strings

__all__ = ["arrays_and_objects", "bodies", "cuts", "literals", "strings"]
