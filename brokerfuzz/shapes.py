"""Checks values from JSON files with a JSON Schema."""

import json
from typing import Any

from jsonschema_rs import Validator

from brokerfuzz.errors import shortened

_LONGEST = 400


def problem_in(value: Any, expected: Validator) -> str | None:
    """Returns what is wrong with a value, such as `/sites: 5 is not of type "object"`, or None."""
    try:
        problem = next(expected.iter_errors(value), None)
    except ValueError:
        return "it is nested too deeply, or contains text that is not valid Unicode"
    if problem is None:
        return None
    where = "".join(f"/{step}" for step in problem.instance_path)
    options = problem.kind.as_dict().get("options")
    if options:
        reason = f"{json.dumps(problem.instance)} is not one of {', '.join(map(json.dumps, options))}"
    else:
        reason = problem.message
    return shortened(" ".join(f"{where}: {reason}".split()) if where else reason, _LONGEST)
