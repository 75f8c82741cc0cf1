"""Parses the JSON files that people name, such as contracts and reports."""

import json
from typing import Any

from brokerfuzz.schemas.json_parser import parse


def parsed_document(contents: bytes, **options: Any) -> Any:
    """Returns the value of a file. `options` are those of `json.loads`. Raises `ValueError` with the place of the first
    error.
    """
    try:
        return json.loads(contents, parse_constant=_reject, **options)
    except RecursionError:
        raise ValueError("the data is nested too deeply") from None
    except UnicodeDecodeError as problem:
        raise ValueError(f"byte {problem.start + 1:,} is not {problem.encoding.upper()}") from None
    except ValueError:
        parse(contents.decode(json.detect_encoding(contents)))  # its errors are the same in every version of Python
        raise


def _reject(constant: str) -> float:
    """Python also accepts NaN and Infinity, but JSON does not."""
    raise ValueError(constant)
