import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hand_made_programs import SECONDS, dies, python

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")

HANGS = """
import os, subprocess, sys, time
child = subprocess.Popen(['sleep', '60'])
for pid in (os.getpid(), child.pid):
    open(f'pids/{pid}', 'w').close()
time.sleep(60)
"""
TARGETS = {
    "exec": f"CommandTarget({python(HANGS)!r}, timeout=60)",
    "lines": f"LineTarget({python(HANGS)!r}, timeout=60)",
    "call": "CallTarget('hangs:judge', timeout=60)",
}
CAMPAIGN = (
    "import asyncio\nfrom brokerfuzz.targets import *\nasync def ask(target):\n await target.open()\n await "
    "target.send(b'{}')\nasyncio.run(ask({}))"
)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["SIGKILL", "SIGTERM"])
@pytest.mark.parametrize("target", TARGETS)
def test_programs_and_their_children_end_when_the_campaign_is_killed(
    target: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hangs.py").write_text("def judge(body):\n" + "\n".join(f"    {line}" for line in HANGS.splitlines()))
    (pids := tmp_path / "pids").mkdir()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    with subprocess.Popen(
        [sys.executable, "-c", CAMPAIGN.replace("{}))", TARGETS[target] + "))")], env=environment
    ) as campaign:
        until = time.monotonic() + 6 * SECONDS
        while len(found := [int(path.name) for path in pids.iterdir()]) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        campaign.send_signal(number)
    assert len(found) == 2
    assert all(dies(pid) for pid in found)
