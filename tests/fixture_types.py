import subprocess
from collections.abc import Callable

from click.testing import Result

Run = Callable[..., Result]
Spawn = Callable[..., subprocess.CompletedProcess[bytes]]
Start = Callable[..., subprocess.Popen[bytes]]
Write = Callable[..., str]
