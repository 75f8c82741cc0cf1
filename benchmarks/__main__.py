"""`python -m benchmarks quality` measures brokerfuzz, and `python -m benchmarks headlines` measures its reports.
`python -m benchmarks kills` ends campaigns and resumes them. `python -m benchmarks generators` compares brokerfuzz with
similar tools, and `python -m benchmarks schema-suite` uses the schemas of the JSON Schema Test Suite as contracts.
"""

import sys

from benchmarks.generators import generators
from benchmarks.headlines import headlines
from benchmarks.kills import kills
from benchmarks.quality.command import quality
from benchmarks.schema_suite import schema_suite

COMMANDS = {
    "quality": quality,
    "headlines": headlines,
    "kills": kills,
    "generators": generators,
    "schema-suite": schema_suite,
}

name, *arguments = sys.argv[1:] or [""]
if name not in COMMANDS:
    sys.exit(f"usage: python -m benchmarks {{{','.join(COMMANDS)}}} [-h] [OPTION ...]")
print(COMMANDS[name](arguments))
