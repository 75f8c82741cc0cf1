import asyncio
import json
import socket
import time
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from fixture_types import Run, Start
from hand_made_servers import answers, read_request, response, serving, serving_streams
from pricing_reader import PRICING, lenient
from waiting import happens

SOME: Final = ("--message", PRICING, "--rule", "*totalExtendedPrice:minimum")
PASSWORD: Final = "hunter2-and-more"
BASIC: Final = b64encode(f"me:{PASSWORD}".encode())


@pytest.fixture
def demanding() -> Iterator[tuple[str, list[bytes]]]:
    """Yields the URL of a server, and the head of each request, with which the server answers."""
    heads: list[bytes] = []

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, _ = await read_request(reader)
            heads.append(head)
            writer.write(response(200, head))
            await writer.drain()

    with serving_streams(converse) as url:
        yield url, heads


@pytest.fixture(autouse=True)
def _variables(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROKER_PASSWORD", PASSWORD)
    monkeypatch.delenv("BROKER_UNSET", raising=False)


def test_the_configuration_inserts_variables_too(run: Run, demanding: tuple[str, list[bytes]], folder: Path) -> None:
    url, heads = demanding
    (folder / "brokerfuzz.toml").write_text(
        f'url = "{url.replace("://", "://me:${BROKER_PASSWORD}@")}"\n[headers]\nX-A = "${{BROKER_PASSWORD}}"\n'
    )
    assert run("fire", *SOME).exit_code == 1
    assert all(BASIC in head and f"x-a: {PASSWORD}".encode() in head.lower() for head in heads)


def test_configured_credentials_are_not_used_for_another_target(
    run: Run, demanding: tuple[str, list[bytes]], folder: Path
) -> None:
    url, heads = demanding
    (folder / "brokerfuzz.toml").write_text(
        'url = "http://offers.example/"\n[headers]\nAuthorization = "Bearer ${BROKER_PASSWORD}"\n'
    )
    result = run("fire", url, *SOME)
    assert "headers in the configuration belong to a different target" in result.stderr
    assert heads
    assert all(b"authorization" not in head.lower() for head in heads)


# ---------------------------------------------------------------------------------------------------- waiting


def test_brokerfuzz_waits_until_the_target_listens_and_is_ready(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    seen: list[bytes] = []

    async def unavailable(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            seen.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(response(503))

    with start("fire", f"http://127.0.0.1:{port}/offers", *SOME, "--json", "--wait-for", "60s") as process:
        time.sleep(1)  # time in which the target does not listen
        with serving_streams(unavailable, port=port):
            assert happens(lambda: len(seen) > 2)
        assert all(head.startswith(b"HEAD ") for head in seen)
        assert process.poll() is None
        with serving(answers(lenient), port=port):
            stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 1, stderr
    assert json.loads(stdout)["findings"]
