import json
import re
from pathlib import Path

import pytest
from fixture_types import Run

SOME = ("--rule", "*orderM*:minimum", "--technique", "one-below")
SHOPS = """
from brokerfuzz import check

def status_of(body):
    print("one request")
    if b'"orderMaximum":0' in body:
        raise KeyError("orderMaximum")
    return "422 no" if any("orderMinimum:minimum" not in entry.rule for entry in check("offer-creation-request", body).broken) else "201 yes"

def wsgi(environ, start_response):
    start_response(status_of(environ["wsgi.input"].read()), [])
    return [b"{}"]

def create():
    return wsgi

def broken():
    raise OSError("no database")

async def asgi(scope, receive, send):
    if scope["type"] == "lifespan":
        raise ValueError("no lifespan")
    await send({"type": "http.response.start", "status": int(status_of((await receive())["body"]).split()[0]), "headers": []})
    await send({"type": "http.response.body", "body": b"{}"})

async def failing(scope, receive, send):
    await receive()
    await send({"type": "lifespan.startup.failed", "message": "no database"})

nothing = 7
"""


@pytest.fixture(autouse=True)
def _shops(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "brokerfuzz_shops.py").write_text(SHOPS)
    monkeypatch.syspath_prepend(folder)


@pytest.mark.parametrize("name", ["asgi", "wsgi", "create"])
def test_an_application_is_tested_and_its_crashes_contain_the_traceback(name: str, run: Run) -> None:
    done = run("fire", "--app", f"brokerfuzz_shops:{name}", "/offers", *SOME, "--json")
    assert done.exit_code == 1
    document = json.loads(done.stdout)  # although the application also prints
    assert "one request" in done.stderr
    assert document["target"] == f"brokerfuzz_shops:{name} /offers"
    assert 'raise KeyError(\\"orderMaximum\\")' in done.stdout
    assert len(document["findings"]) == 2


def test_several_processes_test_an_application(run: Run) -> None:
    done = run("fire", "--app", "brokerfuzz_shops:wsgi", "/offers", *SOME, "--workers", "2", "-q")
    assert done.exit_code == 1
    assert re.fullmatch(r"2 findings in \d+ cases at brokerfuzz_shops:wsgi /offers", done.stdout.splitlines()[0])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--app", "brokerfuzz_shop:asgi"], "brokerfuzz_shop cannot be imported"),
        (["--app", "brokerfuzz_shops"], "'brokerfuzz_shops' has no colon between the module and the application"),
        (["--app", "brokerfuzz_shops:asgy"], "brokerfuzz_shops has no 'asgy': did you mean 'asgi'?"),
        (
            ["--app", "brokerfuzz_shops:nothing"],
            "brokerfuzz_shops:nothing is 7, which is not an application: specify an ASGI application",
        ),
        (
            ["--app", "brokerfuzz_shops:failing"],
            "brokerfuzz_shops:failing does not start (no database): fix this error of the application",
        ),
        (
            ["--app", "brokerfuzz_shops:broken"],
            "brokerfuzz_shops:broken does not create an application (OSError: no database): fix this error",
        ),
        (
            ["--app", "brokerfuzz_shops:asgi", "offers"],
            "'offers' is not the path of an application: begin it with a slash, such as /offers",
        ),
        (["--app", "brokerfuzz_shops:asgi", "--call", "a:b"], "more than one target given"),
    ],
)
def test_an_unusable_application_is_explained_in_one_line(words: list[str], said: str, run: Run) -> None:
    done = run("fire", *words, *SOME)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
