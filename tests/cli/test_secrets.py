"""Nothing that a campaign writes contains a secret, even if the target repeats it in its answers."""

import asyncio
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from click.testing import Result
from hand_made_servers import serving_streams

Run = Callable[..., Result]
Spawn = Callable[..., subprocess.CompletedProcess[bytes]]
PRICING: Final = "offer-pricing-response"
SECRETS = ("s3cr3t-of-the-header", "s3cr3t-of-the-url", "s3cr3t-of-the-query", "s3cr3t-of-the-cookie")
REPORTS = ("r.html", "r.xml", "r.json", "r.ndjson", "r.har", "r.md", "r.py")


async def echoes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers with the complete head of the request. Two answers accept, every third is a crash."""
    turn = 0
    while True:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(length)
        turn += 1
        writer.write(b"HTTP/1.1 %d Said\r\nContent-Length: %d\r\n\r\n%b" % (500 if turn % 3 == 0 else 200, len(head), head))
        await writer.drain()


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.rotated(2)
def test_no_file_and_no_output_contains_a_secret(spawn: Spawn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: str) -> None:
    monkeypatch.chdir(tmp_path)
    header, user, query, cookie = SECRETS
    with serving_streams(echoes) as url:
        full = url.replace("http://", f"http://someone:{user}@") + f"?token={query}"
        args = ("fire", full, "-H", f"Authorization: Bearer {header}", "-H", f"Cookie: session={cookie}", "--message", PRICING)
        kept = (
            "--journal",
            "run.ndjson",
            "--baseline",
            "known.json",
            "--baseline-update",
            *(word for name in REPORTS for word in ("--report", name)),
        )
        done = spawn(*args, "--technique", "one-below", "--workers", workers, "--shrink", "2s", *kept)
        again = spawn("replay", "run.ndjson", *args[1:6])
        away = spawn(*args, "--technique", "no-such-technique")
    assert done.returncode == 0, done.stderr
    said = [done.stdout, done.stderr, again.stdout, again.stderr, away.stderr]
    left = [path.read_bytes() for path in tmp_path.iterdir()]
    assert len(left) == len(REPORTS) + 2
    for secret in SECRETS:
        assert not any(secret.encode() in text for text in said + left), secret
    assert b"${AUTHORIZATION}" in done.stdout


def test_no_error_contains_a_secret(run: Run) -> None:
    _, user, query, _ = SECRETS
    urls = [
        f"http://someone:{user}@127.0.0.1:1/?token={query}",
        f"ftp://someone:{user}@host/",
        f"http://someone:{user}@:99999999/",
        f"someone:{user}@host",
    ]
    for url in urls:
        done = run("fire", url, "-H", f"Authorization: Bearer {SECRETS[0]}", "--message", PRICING)
        assert done.exit_code == 2
        assert not any(secret in done.stdout + done.stderr for secret in SECRETS), done.stderr
