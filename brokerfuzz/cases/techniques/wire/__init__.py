"""Bodies that are not JSON (RFC 8259). Most contain a slip, a syntax error that lenient parsers tolerate. There is one module for
each part of the syntax.

A slip is made in a valid message. If possible, a parser that tolerates the slip reads a valid message, so that the target has no
other reason to reject the message.
"""

from brokerfuzz.cases.techniques.wire import arrays_and_objects, bodies, cuts, literals, strings

__all__ = ["arrays_and_objects", "bodies", "cuts", "literals", "strings"]
