"""Bytes that are no JSON (RFC 8259), most of them slips that lenient parsers forgive. A module for each part of the text.

A slip is made in a message that is valid, and where it can be so that the message is valid again once the slip is forgiven: what
takes it does not break off for another reason.
"""

from brokerfuzz.cases.techniques.wire import arrays_and_objects, bodies, cuts, literals, strings

__all__ = ["arrays_and_objects", "bodies", "cuts", "literals", "strings"]
