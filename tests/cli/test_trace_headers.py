import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from fixture_types import Run
from hand_made_servers import read_request, response, serving_streams
from pricing_reader import BUG, PRICING, lenient

from brokerfuzz.cases.case import message_id

pytestmark = pytest.mark.usefixtures("folder")
SOME: Final = ("--message", PRICING, "--rule", BUG, "--shrink", "10s")
Heads = list[tuple[dict[str, str], bytes]]


@pytest.fixture
def logged() -> Iterator[tuple[str, Heads]]:
    """Yields the URL of a service, and the requests that it has received. A request consists of headers (with
    lower-case names) and a body.
    """
    log: Heads = []

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, body = await read_request(reader)
            lines = head.decode().split("\r\n")[1:-2]
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            log.append((headers, body))
            writer.write(response(lenient(body)))
            await writer.drain()

    with serving_streams(converse) as url:
        yield url, log


def test_every_request_names_its_message_and_its_campaign_and_explain_finds_each_of_them(
    run: Run, logged: tuple[str, Heads]
) -> None:
    url, log = logged
    files = ("--journal", "run.ndjson", "--report", "report.json")
    assert run("fire", url, *SOME, *files).exit_code == 1
    report = json.loads(Path("report.json").read_text())
    assert run("fire", url, "--resume", "run.ndjson").exit_code == 1
    assert re.fullmatch("[0-9a-f]{8}", report["campaign"])
    assert {headers["x-brokerfuzz-campaign"] for headers, _ in log} == {report["campaign"]}
    assert [headers["x-brokerfuzz-case"] for headers, _ in log] == [message_id(PRICING, (), body) for _, body in log]
    sent = {headers["x-brokerfuzz-case"] for headers, _ in log}
    finding = report["findings"][0]
    shrunk = finding["smallest"]["id"]
    assert {finding["case"]["id"], shrunk} <= sent
    assert shrunk != finding["case"]["id"]
    assert run("explain", shrunk, "run.ndjson").stdout.startswith(f"{shrunk}  invalid {PRICING}")
    assert finding["name"] in run("explain", shrunk, "report.json").stdout
