"""What `--cleanup` deletes, and what it never deletes; what hooks see."""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import cycle
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import pytest
from fixture_types import Run
from hand_made_servers import read_request, response, serving_streams

import brokerfuzz

OFFER: Final = "offer-creation-request"
FEW: Final = ("--rule", "*/orderMinimum:minimum", "--rule", "*/number:minLength", "--shrink", "off")
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
    cleanup = ("--cleanup", "DELETE /offers/{number}")
    with store.serving() as url:
        done = run("fire", url, "--site", "orderMinimum", "--site", "comments", *cleanup, "--json")
    report = json.loads(done.stdout)
    assert (done.exit_code, report["findings"], report["fresh"]) == (0, [], "number")
    assert "each message gets a new number (--fresh number): to turn this off, use --fresh off" in done.stderr
    assert run("fire", "http://127.0.0.1:1/", *FEW, *cleanup, "--fresh", "off").exit_code == 2


DANGEROUS: Final = ["", " ", ".", "..", "a/b", "/", "../..", "..\\..", "x/../.."]
LOCATIONS: Final = [
    "/",
    "/offers",
    "/offers/",
    "",
    ".",
    "/offers/..",
    "/offers/%2e%2e",
    "http://elsewhere.example/offers/1",
    "//elsewhere.example/offers/1",
]
MANY: Final = ("--rule", "*/order*:minimum", "--rule", "*/number:*", "--shrink", "off")


def in_turn(values: Sequence[Any]) -> Callable[[str], Any]:
    left = cycle(values)
    return lambda _: next(left)


@pytest.mark.parametrize(
    ("store", "template", "values"),
    [
        (Store(id_of=in_turn(DANGEROUS)), "DELETE /offers/{id}", DANGEROUS),
        (Store(location_of=in_turn(LOCATIONS)), "DELETE {location}", LOCATIONS),
    ],
    ids=["IDs", "locations"],
)
def test_a_value_that_would_delete_something_else_is_never_sent_and_is_reported(
    run: Run, store: Store, template: str, values: list[str]
) -> None:
    with store.serving() as url:
        done = run("fire", url, *MANY, "--cleanup", template)
    assert store.created > len(values)
    assert store.deleted == []
    said = f"{store.created} cleanup requests failed, so offers may remain at the target; the first: {template} was not"
    assert said in done.stderr


UNUSUAL: Final = ["%2e%2e", "...", "a b", "ä", "?x=1", "#", 7]


def test_an_unusual_value_deletes_only_one_offer(run: Run) -> None:
    store = Store(id_of=in_turn(UNUSUAL))
    with store.serving() as url:
        run("fire", url, *MANY, "--cleanup", "DELETE /offers/{id}")
    assert len(store.deleted) == store.created > len(UNUSUAL)
    assert {path.count("/") for path in store.deleted} == {2}
    assert not any(path.endswith(("/", "/..")) or "?" in path or "#" in path for path in store.deleted)


@pytest.mark.parametrize(
    ("status", "fails"), [(200, False), (204, False), (410, False), (404, True), (302, True), (500, True)]
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
        done = run("fire", url, *FEW, "--cleanup", "DELETE /offers/{number}")
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
