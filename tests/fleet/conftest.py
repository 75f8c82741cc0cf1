"""Makes `benchmarks` importable from wherever the tests are started; last on the path, so that an installed brokerfuzz stays what is tested."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))
