"""Detects messages that all JSON parsers read in the same way."""

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas.json_reader import DEEPEST, read
from brokerfuzz.schemas.nesting import shallow


def has_plain_value(case: Case) -> bool:
    """Returns whether all parsers read the message in the same way, and its verdict does not depend on headers.

    Parsers differ on duplicate properties, numbers that a double cannot represent, and NUL and lone surrogates in
    strings. They also differ on a byte order mark and on more than 64 nested levels.
    """
    if case.headers:
        return False
    reading = read(case.body)
    if reading.error is not None or reading.exotic:
        return False
    text = case.body.decode()
    return shallow(text, DEEPEST) == text
