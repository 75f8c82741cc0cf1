"""Reads and writes the configuration: `brokerfuzz.toml`, or the section `[tool.brokerfuzz]` of `pyproject.toml`.

The JSON Schema `brokerfuzz.schema.json` describes the settings, and `parameters` maps each setting to an option. Options on the
command line override settings. Importing this package must be fast, because commands read the configuration when they start.
"""

from brokerfuzz.configuration.files import Configuration, find, load
from brokerfuzz.configuration.parameters import PARAMETERS, option_defaults
from brokerfuzz.configuration.pinning import pin_policies
from brokerfuzz.configuration.templates import template, write_template
from brokerfuzz.configuration.validating import schema_text

__all__ = ["PARAMETERS", "Configuration", "find", "load", "option_defaults", "pin_policies", "schema_text", "template", "write_template"]
