"""Reads and writes the configuration: `brokerfuzz.toml`, or the section `[tool.brokerfuzz]` of `pyproject.toml`.

The JSON Schema `brokerfuzz.schema.json` describes the settings. `parameters` converts each setting to the value of the
corresponding option. Options on the command line override settings. Importing this package must be fast, because
commands read the configuration when they start.
"""

from brokerfuzz.configuration.files import Configuration, find, load
from brokerfuzz.configuration.parameters import option_defaults, option_of
from brokerfuzz.configuration.pinning import pin_policies
from brokerfuzz.configuration.templates import template, write_template
from brokerfuzz.configuration.validating import schema_text

__all__ = [
    "Configuration",
    "find",
    "load",
    "option_defaults",
    "option_of",
    "pin_policies",
    "schema_text",
    "template",
    "write_template",
]
