import json
import re
import signal
import subprocess
from urllib.request import urlopen

from fixture_types import Run, Spawn, Start

SECONDS = 60
BUG = "accepts-zero-order-minimum"


def test_fire_finds_the_bug_that_serve_seeds_and_no_other(start: Start, run: Run) -> None:
    with start("serve", "--port", "0", "--json", "--bug", BUG) as process:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        with urlopen(f"{said['url']}/products", timeout=SECONDS) as response:
            assert response.status == 200
        report = json.loads(run("fire", f"{said['url']}/offers", "--rule", "orderM*", "--json").stdout)
        process.send_signal(signal.SIGINT)
        assert (process.wait(SECONDS), process.stderr and process.stderr.read()) == (0, b"")
    assert said["bugs"] == [BUG]
    assert report["cases"] > 50
    found = {rule["rule"] for finding in report["findings"] for rule in finding["rules"]}
    assert found == {"offer-creation-request/orderMinimum:minimum"}


def test_the_printed_commands_start_the_service_again_with_the_same_bugs_on_the_same_port(run: Run) -> None:
    some = ("--rule", "*orderMinimum:minimum", "--technique", "one-below")
    document = json.loads(run("fire", "--demo", "--bug", BUG, *some, "--json").stdout)
    (port,) = re.findall(r":(\d+)/offers", document["target"])
    for finding in document["findings"]:
        assert f"--port {port} --bug {BUG} -- curl " in finding["reproduce"]
        said = subprocess.run(
            ["sh", "-c", finding["reproduce"]], capture_output=True, text=True, timeout=60, check=True
        )
        assert said.stdout.startswith(f"HTTP/1.1 {finding['got']['status']} ")


def test_a_command_runs_while_the_service_runs(spawn: Spawn) -> None:
    done = spawn("serve", "--port", "0", "--", "sh", "-c", "cat; exit 7", body=b"input")
    assert (done.returncode, done.stdout, done.stderr) == (7, b"input", b"")
    done = spawn("serve", "--port", "0", "--", "no-such-program")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"no-such-program cannot be started" in done.stderr
