"""Settings in a file: `brokerfuzz.toml`, or `[tool.brokerfuzz]` in `pyproject.toml`.

`brokerfuzz.schema.json` describes the settings, for editors and for brokerfuzz. `parameters` maps them to options of the command line, which
override the file. The command line looks for a configuration at each start, so importing this package imports nothing slow.
"""

from brokerfuzz.configuration.files import Configuration, find, load
from brokerfuzz.configuration.parameters import PARAMETERS, option_defaults
from brokerfuzz.configuration.pinning import pin_policies
from brokerfuzz.configuration.templates import template, write_template
from brokerfuzz.configuration.validating import schema_text

__all__ = ["PARAMETERS", "Configuration", "find", "load", "option_defaults", "pin_policies", "schema_text", "template", "write_template"]
