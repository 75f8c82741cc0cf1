import asyncio
import os
import shutil
import subprocess

import pytest
from hand_made_servers import read_request, response, serving, serving_streams

from brokerfuzz.targets import HttpTarget

SHELLS = [shell for shell in ("bash", "sh") if shutil.which(shell)]
BODIES = {
    "json": b'{"number":"1","offerType":"Direct Mail"}',
    "empty": b"",
    "quotes": b'{"number":"it\'s $HOME `id` \\\\ !!"}',
    "text beyond ascii": '{"number":"é漢😀"}'.encode(),
    "an at sign first": b"@/etc/hostname",
    "a dash first": b"-d x",
    "percent signs": b"100%s %d\n",
    "line ends": b'{\r\n\t"number": "1"\n}\n\n',
    "no text": bytes(range(256)),
    "nul": b"\x00\x00",
    "invisible marks": '{"number":"a\u202eb\u200b"}'.encode(),
    "long": b'{"number":"' + b"x" * 300_000 + b'"}',
}


@pytest.mark.skipif(not SHELLS or not shutil.which("curl"), reason="needs a shell and curl")
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_command_sends_the_message_byte_for_byte(shell: str, body: bytes) -> None:
    seen: list[bytes] = []

    async def behave(received: bytes, writer: asyncio.StreamWriter) -> None:
        seen.append(received)
        writer.write(response(422))

    with serving(behave) as url:
        line = HttpTarget(f"{url}?a=[1]&b={{2}}").reproduction(body)
        said = subprocess.run(
            [shell],
            input=line,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NO_PROXY": "*"},
            timeout=20,
        )
    assert seen == [body]
    assert "422" in said.stdout
    assert line.isprintable()


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_secrets_come_from_the_environment() -> None:
    heads: list[bytes] = []

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await read_request(reader))[0].lower())
        writer.write(response(200))

    with serving_streams(converse) as url:
        headers = [("X-Api-Key", "hunter3"), ("X-Tenant", "5"), ("X-Empty", "")]
        line = HttpTarget(url.replace("://", "://me:hunter2@"), headers=headers, method="PUT").reproduction(b"{}")
        variables = {**os.environ, "X_API_KEY": "hunter3", "TARGET_USER": "me:hunter2", "NO_PROXY": "*"}
        subprocess.run(["sh", "-c", line], env=variables, stdout=subprocess.DEVNULL, check=True, timeout=20)
    assert "hunter" not in line
    (head,) = heads
    assert head.startswith(b"put /offers ")
    for part in (b"authorization: basic bwu6ahvudgvymg==", b"x-api-key: hunter3", b"x-tenant: 5", b"x-empty:"):
        assert part in head
