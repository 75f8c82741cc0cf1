"""Messages that any parser of JSON reads alike, so that they can stand as values in a document of JSON."""

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas.json_reader import DEEPEST, read
from brokerfuzz.schemas.nesting import shallow


def has_plain_value(case: Case) -> bool:
    """Whether the message is JSON in UTF-8 that parsers do not differ on, and the verdict is that of the message alone, whatever its headers.

    Not so: properties of one name, numbers that a double cannot hold, NUL or half a surrogate pair in a text, a byte order mark, nesting beyond 64.
    """
    if case.headers:
        return False
    reading = read(case.body)
    if reading.error is not None or reading.encoding is not None or reading.bom or reading.exotic:
        return False
    text = case.body.decode()
    return shallow(text, DEEPEST) == text
