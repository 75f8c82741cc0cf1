"""Settings in a file: `brokerfuzz.toml`, or `[tool.brokerfuzz]` of `pyproject.toml`.

What it may say is in `brokerfuzz.schema.json`, for editors and for us alike; `parameters` says what that is on the command line, which outranks
it. The command line looks for a configuration whenever it starts: importing this room imports nothing slow.
"""

from brokerfuzz.configuration.files import Configuration, find, load
from brokerfuzz.configuration.parameters import PARAMETERS, option_defaults
from brokerfuzz.configuration.pinning import pin_policies
from brokerfuzz.configuration.templates import template, write_template
from brokerfuzz.configuration.validating import schema_text

__all__ = ["PARAMETERS", "Configuration", "find", "load", "option_defaults", "pin_policies", "schema_text", "template", "write_template"]
