"""`python -m benchmarks quality` measures brokerfuzz, and `python -m benchmarks headlines` measures its reports.
`python -m benchmarks kills` ends campaigns and resumes them, and `python -m benchmarks generators` compares brokerfuzz
with similar tools.
"""

import sys

from benchmarks.generators import generators
from benchmarks.headlines import headlines
from benchmarks.kills import kills
from benchmarks.quality.command import quality

COMMANDS = {
    "quality": quality,
    "headlines": headlines,
    "kills": kills,
    "generators": generators,
}

name, *arguments = sys.argv[1:] or [""]
if name not in COMMANDS:
    sys.exit(f"usage: python -m benchmarks {{{','.join(COMMANDS)}}} [-h] [OPTION ...]")
print(COMMANDS[name](arguments))
