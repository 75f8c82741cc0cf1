"""Detects messages that all JSON parsers read in the same way. Such messages can be values in a JSON document."""

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas.json_reader import DEEPEST, read
from brokerfuzz.schemas.nesting import shallow


def has_plain_value(case: Case) -> bool:
    """Returns True if the message is JSON in UTF-8 that all parsers read in the same way, and the verdict does not depend on
    headers.

    Parsers differ in how they read duplicate properties, numbers that a double cannot represent, NUL or a lone surrogate in a
    string, a byte order mark, and nesting of more than 64 levels.
    """
    if case.headers:
        return False
    reading = read(case.body)
    if reading.error is not None or reading.encoding is not None or reading.bom or reading.exotic:
        return False
    text = case.body.decode()
    return shallow(text, DEEPEST) == text
