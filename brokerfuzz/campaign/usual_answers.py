"""Decides what an answer shows about the target itself, and not about the message."""

from brokerfuzz.targets.answers import GATEWAY, Answer

UNAUTHENTICATED = frozenset({401, 403, 407, 419})
"""HTTP statuses about missing or expired credentials. Some web frameworks use 419 for a session that has expired."""
ABOUT_THE_CLIENT = UNAUTHENTICATED | {408, 429}
"""HTTP statuses about the client or the connection, also a slow or too frequent request. They say nothing about the
message.
"""
CONFLICT = 409
"""The HTTP status with which services reject an offer whose number they already know. If the message got no new value
(see `FreshValues`), this status says nothing about the message.
"""


def is_usual(answer: Answer) -> bool:
    """Returns False if something other than the message may be the reason for the answer."""
    if answer.kind == "rejected":
        return answer.reached and not is_about_the_client(answer)
    return answer.kind == "accepted"


def is_about_the_client(answer: Answer) -> bool:
    """Returns whether the answer is about the client or the connection."""
    return answer.status in ABOUT_THE_CLIENT or is_unauthenticated(answer)


def is_unauthenticated(answer: Answer) -> bool:
    """A redirect counts too, because its destination may be a login page."""
    is_redirect = answer.status is not None and 300 <= answer.status < 400
    return answer.kind == "rejected" and (is_redirect or answer.status in UNAUTHENTICATED)


def is_server_error(answer: Answer, *, isolated: bool) -> bool:
    """Returns whether the application itself failed. A connection that broke may have another reason, for example a
    restart. If `isolated` is true, each message has a process of its own, so there is no other reason.
    """
    if answer.kind != "crashed":
        return False
    return isolated if answer.status is None else answer.status not in GATEWAY


def has_given_up(answer: Answer) -> bool:
    """Returns whether the target asked brokerfuzz to wait longer than it may wait (see `Answer.pause`)."""
    return not answer.reached and answer.pause is not None
