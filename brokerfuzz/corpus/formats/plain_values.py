"""Detects messages that all JSON parsers read in the same way."""

import json

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas.json_parser import parse
from brokerfuzz.schemas.json_reader import read


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
    try:
        return bool(json.loads(text) == parse(text))  # `parse` empties arrays and objects that are nested too deeply
    except RecursionError:
        return False
