"""What `--cleanup` deletes, and what it never deletes."""

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import cycle
from typing import Any, Final
from urllib.parse import unquote

import pytest
from fixture_types import Run
from hand_made_servers import read_request, response, serving_streams

import brokerfuzz

OFFER: Final = "offer-creation-request"
FEW: Final = ("--rule", "*/orderMinimum:minimum", "--rule", "*/number:minLength", "--shrink", "off")

pytestmark = pytest.mark.usefixtures("folder")


class Store:
    """A service that stores offers, and rejects a number that it already knows. The function `id_of` returns the ID for a
    number, and `location_of` the header `Location` for the count of offers.
    """

    def __init__(
        self,
        id_of: Callable[[str], Any] = lambda number: f"id of {number}",
        location_of: Callable[[str], str] = "/offers/{}".format,
    ) -> None:
        self.id_of, self.location_of = id_of, location_of
        self.names: list[set[Any]] = []
        self.numbers = set[str]()
        self.deleted: list[str] = []
        self.answer_to_delete = 204
        self.pause = 0.0

    def answered(self, method: str, path: str, body: bytes) -> bytes:
        if method == "DELETE":
            self.deleted.append(path)
            wanted = unquote(path.removeprefix("/offers/"))
            self.names = [names for names in self.names if wanted not in names]
            return response(self.answer_to_delete)
        if brokerfuzz.check(OFFER, body).label == "invalid":
            return response(422)
        number = json.loads(body)["number"]
        if number in self.numbers:
            return response(409)
        self.numbers.add(number)
        count, identifier = f"n{len(self.numbers)}", self.id_of(number)
        self.names.append({number, identifier, count})
        return response(201, json.dumps({"id": identifier}).encode(), f"Location: {self.location_of(count)}")

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


@pytest.mark.parametrize("template", ["DELETE /offers/{number}", "DELETE /offers/{id}", "DELETE {location}"])
def test_the_cleanup_removes_every_offer(run: Run, template: str) -> None:
    store = Store()
    with store.serving() as url:
        done = run("fire", url, *FEW, "--cleanup", template, "--concurrency", 1)
    assert done.exit_code == 0, done.stdout
    assert store.names == []
    assert len(store.deleted) == len(store.numbers) > 3
    assert "cleanup request" not in done.stderr


def test_concurrent_messages_of_a_campaign_with_cleanup_never_have_the_same_number(run: Run) -> None:
    store = Store()
    store.pause = 0.01
    cleanup = ("--cleanup", "DELETE /offers/{number}")
    with store.serving() as url:
        done = run("fire", url, "--rule", "orderMinimum", "--rule", "comments", *cleanup, "--json")
    report = json.loads(done.stdout)
    assert (done.exit_code, report["findings"], report["fresh"]) == (0, [], "number")
    assert "each message gets a new number (--fresh number): to turn this off, use --fresh off" in done.stderr
    assert run("fire", "http://127.0.0.1:1/", *FEW, *cleanup, "--fresh", "off", "--longest-wait", "10ms").exit_code == 2


DANGEROUS: Final = ["", " ", ".", "..", "a/b", "/", "../..", "..\\..", "x/../.."]
LOCATIONS: Final = ["/", "/offers", "/offers/", "", ".", "/offers/..", "/offers/%2e%2e", "//elsewhere.example/offers/1"]
MANY: Final = ("--rule", "*/order*:minimum", "--rule", "*/number:*", "--shrink", "off")


def test_a_time_limit_leaves_nothing_at_the_target(run: Run) -> None:
    store = Store()
    store.pause = 0.1
    with store.serving() as url:
        done = run("fire", url, *MANY, "--cleanup", "DELETE {location}", "--max-time", "3s", "--concurrency", 1)
    assert done.stdout.startswith("partial (not finished: ")
    assert (bool(store.numbers), store.names) == (True, [])


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
    created = len(store.numbers)
    assert created > len(values)
    assert store.deleted == []
    said = f"{created} cleanup requests failed, so offers may remain at the target; the first: {template} was not"
    assert said in done.stderr


UNUSUAL: Final = ["%2e%2e", "...", "a b", "ä", "?x=1", "#", 7]


def test_an_unusual_value_deletes_only_one_offer(run: Run) -> None:
    store = Store(id_of=in_turn(UNUSUAL))
    with store.serving() as url:
        run("fire", url, *MANY, "--cleanup", "DELETE /offers/{id}")
    assert len(store.deleted) == len(store.numbers) > len(UNUSUAL)
    assert all(re.fullmatch(r"/offers/(?!\.\.$)[^/?#]+", path) for path in store.deleted)


@pytest.mark.parametrize(("status", "fails"), [(200, False), (410, False), (404, True), (302, True)])
def test_a_status_that_does_not_say_that_the_offer_is_gone_is_reported(run: Run, status: int, *, fails: bool) -> None:
    store = Store()
    store.answer_to_delete = status
    with store.serving() as url:
        done = run("fire", url, *FEW, "--cleanup", "DELETE /wrong/{number}")
    assert ("cleanup requests failed" in done.stderr) == fails
    assert not fails or f"(status {status})" in done.stderr
