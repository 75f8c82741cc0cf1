"""The functions of docs/how-to/targets.md send messages as parts of other requests."""

import asyncio
import json
import re
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import NoReturn

import pytest
from fixture_types import Run
from hand_made_servers import Conversation, conforming, read_request, response, serving_streams

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "targets.md"
SOME = ("--rule", "*orderMinimum:*", "--rule", "offer-creation-request/:json")


def rejected(constant: str) -> NoReturn:
    raise ValueError(constant)


async def answers_json_rpc(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    _, request = await read_request(reader)
    try:
        offer = json.loads(request, parse_constant=rejected)["params"]
        is_accepted = conforming(json.dumps(offer).encode()) == 201
    except (ValueError, RecursionError):
        is_accepted = False
    writer.write(response(200, b'{"result":{}}' if is_accepted else b'{"error":{}}', "Connection: close"))


async def answers_forms(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head, request = await read_request(reader)
    fields = head.partition(b"\r\n")[2]
    form = message_from_bytes(fields + request, EmailMessage, policy=policy.HTTP)
    [part] = form.iter_parts()
    assert part.get_filename() == "offer.json"
    start = request.index(b"\r\n\r\n") + 4
    writer.write(response(conforming(request[start : request.rindex(b"\r\n--part--")]), b"", "Connection: close"))


@pytest.mark.parametrize(
    ("function", "conversation"), [("as_parameters", answers_json_rpc), ("as_file", answers_forms)]
)
def test_a_service_that_takes_messages_as_parts_of_requests_has_no_findings(
    run: Run, folder: Path, function: str, conversation: Conversation
) -> None:
    code = re.findall(r'```python title="wrapped.py"\n(.*?)```', PAGE.read_text(), re.DOTALL)[0]
    with serving_streams(conversation) as url:
        Path("wrapped.py").write_text(code.replace("http://127.0.0.1:8000/offers", url))
        done = run("fire", "--call", f"wrapped:{function}", *SOME)
    assert re.match(r"no findings in \d\d+ cases", done.stdout), done.output
    assert done.exit_code == 0
