"""A result claims no more than what was sent and answered, even if other code ends the process."""

from typing import Final

import pytest
from fixture_types import Spawn, Write
from hand_made_servers import answers, conforming, serving

FEW: Final = ("--rule", "*/orderMinimum:minimum", "--shrink", "off")

pytestmark = pytest.mark.usefixtures("folder")


EXITING: Final = """
def app(environ, start_response):
    body = environ["wsgi.input"].read()
    if b'"orderMinimum":0' in body:
        os._exit(0)
    if b'"orderMinimum":-' in body:
        sys.exit(0)
    start_response("201 Created", [])
    return [b""]
"""


@pytest.mark.parametrize(
    ("code", "words", "status", "said"),
    [
        (EXITING, ("--app", "shop:app", "/offers", "-v"), 1, ("os._exit(0) was called", "SystemExit: 0")),
        ("os._exit(0)", ("--app", "shop:app", "/offers"), 2, ("brokerfuzz: shop cannot be imported (",)),
        ("def classify(answer): os._exit(0)", ("URL", "--hooks", "shop.py"), 2, ("os._exit(0) was called",)),
    ],
    ids=["an application", "an application that is imported", "a hook"],
)
def test_code_that_ends_the_process_with_status_0_does_not_end_the_campaign_with_status_0(
    spawn: Spawn, write: Write, code: str, words: tuple[str, ...], status: int, said: tuple[str, ...]
) -> None:
    write("shop.py", "import os, sys", code)
    with serving(answers(conforming)) as url:
        done = spawn("fire", *(url if word == "URL" else word for word in words), *FEW)
    assert done.returncode == status, done.stderr
    assert bool(done.stdout) == (status == 1)
    text = " ".join((done.stdout or done.stderr).decode().split())
    assert [part for part in said if part not in text] == []
