"""`python -m benchmarks quality` measures brokerfuzz, and `python -m benchmarks headlines` measures its reports.
`python -m benchmarks generators` compares it with similar tools.
"""

import sys

from benchmarks.generators.generator_benchmarks import generators
from benchmarks.headlines import headlines
from benchmarks.quality.command import quality

COMMANDS = {"quality": quality, "headlines": headlines, "generators": generators}

name, *arguments = sys.argv[1:] or [""]
if name not in COMMANDS:
    sys.exit(f"usage: python -m benchmarks {{{','.join(COMMANDS)}}} [-h] [OPTION ...]")
print(COMMANDS[name](arguments))
