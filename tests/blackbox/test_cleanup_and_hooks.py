"""What `--cleanup` deletes, and what it never deletes; what hooks see."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import pytest
from fixture_types import Run
from hand_made_servers import read_request, response, serving_streams

import brokerfuzz

OFFER: Final = "offer-creation-request"
FEW: Final = ("--rule", "*/orderMinimum:minimum", "--rule", "*/number:minLength", "--shrink", "10s")
CLEANUP: Final = ("--cleanup", "DELETE /offers/{number}")
CREATED: Final = 201

pytestmark = pytest.mark.usefixtures("folder")


class Store:
    """A service that stores offers. It answers each accepted offer with the property `id` and the header `Location`,
    and rejects a number that it already knows. The function `id_of` returns the ID for a number, and `location_of` the
    header for an ID.
    """

    def __init__(
        self,
        id_of: Callable[[str], Any] = lambda number: f"id of {number}",
        location_of: Callable[[str], str] = "/offers/{}".format,
    ) -> None:
        self.id_of, self.location_of = id_of, location_of
        self.offers: dict[str, Any] = {}
        self.created = 0
        self.deleted: list[str] = []
        self.answer_to_delete = 204
        self.pause = 0.0

    def answered(self, method: str, path: str, body: bytes) -> bytes:
        if method == "DELETE":
            self.deleted.append(path)
            return self._answer_to_delete(path)
        if brokerfuzz.check(OFFER, body).label == "invalid":
            return response(422)
        number = json.loads(body)["number"]
        if number in self.offers:
            return response(409)
        self.created += 1
        self.offers[number] = self.id_of(number)
        said = json.dumps({"id": self.offers[number]}).encode()
        return response(
            CREATED, said, f"Location: {self.location_of(f'n{self.created}')}", "X-Shop: one", "X-Shop: two"
        )

    def _answer_to_delete(self, path: str) -> bytes:
        if self.answer_to_delete == 204 and path.startswith("/offers/"):
            wanted = unquote(path.removeprefix("/offers/"))
            numbers = [
                number
                for place, (number, one) in enumerate(self.offers.items(), 1)
                if wanted in (number, one, f"n{place}")
            ]
            for number in numbers:
                self.offers[number] = "deleted"
        return response(self.answer_to_delete)

    def serving(self) -> AbstractContextManager[str]:
        async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while True:
                head, body = await read_request(reader)
                method, path, _ = head.decode("latin-1").split(" ", 2)
                answer = self.answered(method, path, body)
                await asyncio.sleep(self.pause)
                writer.write(answer)
                await writer.drain()

        return serving_streams(converse)

    @property
    def left(self) -> list[str]:
        return [number for number, one in self.offers.items() if one != "deleted"]


def test_the_cleanup_finds_the_id_in_a_long_answer(run: Run) -> None:
    class Verbose(Store):
        def answered(self, method: str, path: str, body: bytes) -> bytes:
            answer = super().answered(method, path, body)
            if not answer.startswith(b"HTTP/1.1 201"):
                return answer
            _, _, said = answer.partition(b"\r\n\r\n")
            return response(CREATED, json.dumps({"data": {"comments": "a" * 30_000}, **json.loads(said)}).encode())

    store = Verbose()
    with store.serving() as url:
        done = run("fire", url, *FEW, "--cleanup", "DELETE /offers/{id}")
    assert (store.created > 3, store.left) == (True, [])
    assert "cleanup request" not in done.stderr


@pytest.mark.parametrize(
    "template", ["DELETE /offers/{number}", "DELETE /offers/{id}", "DELETE {location}", "DELETE {Location}"]
)
def test_the_cleanup_removes_every_offer(run: Run, template: str) -> None:
    store = Store()
    with store.serving() as url:
        done = run("fire", url, *FEW, "--cleanup", template, "--concurrency", 1)
    assert done.exit_code == 0, done.stdout
    assert store.created > 3
    assert store.left == []
    assert len(store.deleted) == store.created
    assert "cleanup request" not in done.stderr


def test_concurrent_messages_of_a_campaign_with_cleanup_never_have_the_same_number(run: Run) -> None:
    store = Store()
    store.pause = 0.01
    with store.serving() as url:
        done = run("fire", url, "--site", "orderMinimum", "--site", "comments", *CLEANUP, "--json")
    report = json.loads(done.stdout)
    assert (done.exit_code, report["findings"], report["fresh"]) == (0, [], "number")
    assert "each message gets a new number (--fresh number): to turn this off, use --fresh off" in done.stderr
    assert run("fire", "http://127.0.0.1:1/", *FEW, *CLEANUP, "--fresh", "off").exit_code == 2


DANGEROUS: Final = ["", " ", ".", "..", "a/b", "/", "../..", "..\\..", "x/../.."]


@pytest.mark.parametrize("value", DANGEROUS)
def test_a_value_that_would_delete_something_else_is_never_sent_and_is_reported(run: Run, value: str) -> None:
    store = Store(id_of=lambda _: value)
    with store.serving() as url:
        done = run("fire", url, *FEW, "--cleanup", "DELETE /offers/{id}")
    assert store.created > 3
    assert store.deleted == []
    assert (
        f"{store.created} cleanup requests failed, so offers may remain at the target; the first: DELETE "
        f"/offers/{{id}} was not sent" in done.stderr
    )


@pytest.mark.parametrize("value", ["%2e%2e", "...", "a b", "ä", "?x=1", "#", 7])
def test_an_unusual_value_deletes_only_one_offer(run: Run, value: Any) -> None:
    store = Store(id_of=lambda _: value)
    with store.serving() as url:
        run("fire", url, *FEW, "--cleanup", "DELETE /offers/{id}")
    assert len(store.deleted) == store.created
    assert {path.count("/") for path in store.deleted} == {2}
    assert not any(path.endswith(("/", "/..")) or "?" in path or "#" in path for path in store.deleted)


def test_numbers_of_messages_are_never_sent_if_they_would_delete_something_else(run: Run) -> None:
    class Lenient(Store):
        def answered(self, method: str, path: str, body: bytes) -> bytes:
            return response(CREATED) if method == "POST" else super().answered(method, path, body)

    store = Lenient()
    with store.serving() as url:
        run("fire", url, "--site", "number", *CLEANUP, "--shrink", "off", "--fresh", "off")
    assert store.deleted
    assert all(re.fullmatch("/offers/[^/]+", path) for path in store.deleted)


@pytest.mark.parametrize(
    "location",
    ["/", "/offers", "/offers/", "", ".", "/offers/..", "/offers/%2e%2e", "http://elsewhere.example/o/1", "//h/o/1"],
)
def test_a_location_that_is_not_a_single_offer_is_never_deleted(run: Run, location: str) -> None:
    store = Store(location_of=lambda _: location)
    with store.serving() as url:
        done = run("fire", url, *FEW, "--cleanup", "DELETE {location}")
    assert (store.created > 3, store.deleted) == (True, [])
    assert "the first: DELETE {location} was not sent: the header Location" in done.stderr


@pytest.mark.parametrize(
    ("status", "fails"), [(200, False), (204, False), (410, False), (404, True), (403, True), (302, True), (500, True)]
)
def test_a_status_that_does_not_say_that_the_offer_is_gone_is_reported(run: Run, status: int, *, fails: bool) -> None:
    store = Store()
    store.answer_to_delete = status
    with store.serving() as url:
        done = run("fire", url, *FEW, "--cleanup", "DELETE /wrong/{number}")
    assert ("cleanup requests failed" in done.stderr) == fails
    assert not fails or f"(status {status})" in done.stderr


def test_an_offer_that_is_sent_twice_and_stored_once_is_no_failed_cleanup(run: Run) -> None:
    class Repeating(Store):
        """Gives the same answer to the same offer, and answers 404 if an offer is deleted a second time."""

        def answered(self, method: str, path: str, body: bytes) -> bytes:
            if method == "DELETE" and path in self.deleted:
                return response(404)
            answer = super().answered(method, path, body)
            return response(CREATED) if answer.startswith(b"HTTP/1.1 409") else answer

    store = Repeating()
    with store.serving() as url:
        done = run("fire", url, *FEW, *CLEANUP)
    assert "cleanup request" not in done.stderr
    assert store.left == []


def test_hooks_see_the_headers_of_responses(run: Run) -> None:
    Path("hooks.py").write_text(
        "def after_answer(case, answer):\n"
        "    shops = sorted(value for name, value in answer.headers if name.lower() == 'x-shop')\n"
        "    with open('headers.txt', 'a') as file:\n"
        "        print(answer.status, *shops, file=file)\n"
    )
    store = Store()
    with store.serving() as url:
        assert run("fire", url, *FEW, "--hooks", "hooks.py", "--fresh", "number").exit_code == 0
    lines = set(Path("headers.txt").read_text().splitlines())
    assert lines == {"201 one two", "422", "409"}


def test_the_example_of_a_broker_stands_alone(tmp_path: Path) -> None:
    """The folder works without the other folders of the repository."""
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "broker").symlink_to(Path(__file__).parents[2] / "examples" / "broker")
    code = "import examples.broker.service, sys; print('benchmarks' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr
