import asyncio
import re
import socket
import threading
import traceback
from collections.abc import Awaitable, Callable
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import pytest
from applications import wsgi_of

import brokerfuzz
from brokerfuzz import check
from brokerfuzz.errors import BrokerfuzzError, TargetError
from brokerfuzz.testing.campaigns import FindingsError

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse
    from django.test import Client
    from flask import Flask

SOME: dict[str, Any] = {"rules": ["*orderM*:minimum"], "techniques": ["one-below", "negative"]}
"""A few cases. The applications below do not check orderMinimum, and crash if orderMaximum is 0."""


def status_of(body: bytes) -> int:
    if b'"orderMaximum":0' in body:
        raise KeyError("orderMaximum")
    broken = [
        entry for entry in check("offer-creation-request", body).broken if "orderMinimum:minimum" not in entry.rule
    ]
    return 422 if broken else 201


class AsgiShop:
    """An ASGI application that records its starts and stops."""

    def __init__(self, startup: Callable[[], None] = lambda: None) -> None:
        self.events: list[str] = []
        self._startup = startup

    async def __call__(
        self, scope: Any, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        body = (await receive())["body"]
        status = status_of(body) if scope["path"] == "/offers" else 404
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    async def _lifespan(self, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]) -> None:
        self.events.append((await receive())["type"])
        try:
            self._startup()
        except OSError as problem:
            await send({"type": "lifespan.startup.failed", "message": str(problem)})
            return
        await send({"type": "lifespan.startup.complete"})
        self.events.append((await receive())["type"])
        await send({"type": "lifespan.shutdown.complete"})


def flask_shop() -> "Flask":
    from flask import Flask, request

    shop = Flask("shop")
    shop.add_url_rule("/offers", view_func=lambda: ("{}", status_of(request.get_data())), methods=["POST"])
    return shop


def django_client() -> "Client":
    import django
    from django.conf import settings
    from django.test import Client

    if not settings.configured:
        settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="any", DATABASES={})
        django.setup()
    return Client()


def django_offers(got: "HttpRequest") -> "HttpResponse":
    from django.http import HttpResponse

    return HttpResponse(b"{}", status=status_of(got.body))


def __getattr__(name: str) -> Any:
    """Returns `urlpatterns`, which Django reads from this module."""
    if name != "urlpatterns":
        raise AttributeError(name)
    from django.urls import path

    return [path("offers", django_offers)]


def kinds(report: brokerfuzz.Report) -> list[str]:
    return sorted(finding.answer.kind for finding in report.findings)


TARGETS: dict[str, Callable[[], Any]] = {
    "ASGI": AsgiShop,
    "client of Flask": lambda: flask_shop().test_client(),
    "client of Django": django_client,
}


@pytest.mark.parametrize("name", TARGETS)
def test_applications_and_clients_run_in_this_process_and_crashes_contain_the_traceback(name: str) -> None:
    if name != "ASGI":
        pytest.importorskip(name.rpartition(" ")[2].lower(), reason=f"{name} is not installed")
    report = brokerfuzz.fire(TARGETS[name](), path="/offers", **SOME)
    assert kinds(report) == ["accepted", "crashed"]
    crash = next(finding for finding in report.findings if finding.answer.kind == "crashed")
    assert crash.answer.reason.startswith("KeyError: 'orderMaximum' (test_campaigns_in_process.py:")
    assert b'raise KeyError("orderMaximum")' in crash.answer.body
    assert 'raise KeyError("orderMaximum")' in str(report)


def test_an_application_starts_before_the_first_message_and_stops_after_the_last() -> None:
    shop = AsgiShop()
    brokerfuzz.fire(shop, path="/offers", **SOME)
    assert shop.events == ["lifespan.startup", "lifespan.shutdown"]


def test_functions_accept_by_returning_none_reject_by_a_value_error_and_crash_by_stop_iteration() -> None:
    def accepts(body: bytes) -> bool | None:
        if b'"orderMaximum":0' in body:
            next(iter(()))
        if status_of(body) == 201:
            return None
        raise ValueError("an invalid offer")

    report = brokerfuzz.fire(accepts, **SOME)
    assert kinds(report) == ["accepted", "crashed"]
    assert "StopIteration" in str(report)


def test_synchronous_code_runs_in_the_thread_of_the_caller_without_an_event_loop() -> None:
    seen = set()

    def accepts(body: bytes) -> bool:
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        seen.add(threading.current_thread())
        return status_of(body.replace(b'"orderMaximum":0', b'"orderMaximum":-1')) == 201

    assert kinds(brokerfuzz.fire(accepts, **SOME)) == ["accepted"]
    assert seen == {threading.current_thread()}


def test_campaigns_run_inside_an_event_loop() -> None:
    async def main() -> tuple[list[str], ...]:
        shop = AsgiShop()
        both = await asyncio.gather(
            brokerfuzz.fire_async(shop, path="/offers", **SOME),
            brokerfuzz.fire_async(wsgi_of(status_of), path="/offers", **SOME),
        )
        return (*map(kinds, both), kinds(brokerfuzz.fire(AsgiShop(), path="/offers", **SOME)))

    assert asyncio.run(main()) == (["accepted", "crashed"],) * 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rule": ["*"]}, "unknown option 'rule': did you mean 'rules'?"),
        ({"workers": 2}, "workers works only with a URL"),
        ({"reports": ["report.har"]}, "report.har requires an HTTP target"),
        ({"reports": ["report.doc"]}, "does not end with the suffix of a report format"),
        ({"rules": ["*orderMinimum:minimum"], "techniques": ["null-instead"]}, "no case matches"),
        ({"baseline": "missing.json"}, "missing.json does not exist"),
    ],
)
def test_invalid_options_are_explained_before_anything_is_sent(options: dict[str, Any], said: str) -> None:
    sent: list[bytes] = []
    with pytest.raises(BrokerfuzzError) as failed:
        brokerfuzz.fire(sent.append, **options)
    assert said in str(failed.value)
    assert not sent
    assert [frame.name for frame in traceback.extract_tb(failed.value.__traceback__)][1:] == [
        "fire"
    ]  # pytest shows only the call


def test_an_assertion_lists_the_findings() -> None:
    with pytest.raises(FindingsError) as failed:
        brokerfuzz.assert_conforms(AsgiShop(), path="/offers", **SOME)
    lines = str(failed.value).splitlines()
    assert re.fullmatch(r"AsgiShop /offers: 2 findings in \d+ cases", lines[0])
    assert [line.partition(" ")[0] for line in lines if not line.startswith(" ")] == ["AsgiShop", "1.", "2."]
    assert len(failed.value.report.findings) == 2


def not_starting() -> None:
    raise OSError("the database is missing")


@pytest.mark.parametrize(
    ("target", "options", "said"),
    [
        (lambda body: [], {}, "returned list, which is not a valid answer: return None or True to accept the message"),
        (
            AsgiShop(not_starting),
            {"path": "/offers"},
            "does not start (the database is missing): fix this error of the application",
        ),
        (AsgiShop(), {"path": "offers"}, "'offers' is not the path of an application: begin it with a slash"),
        (7, {}, "target=7 cannot be tested: use a URL, an ASGI or WSGI application"),
        (lambda body: True, {"path": "/offers"}, "does not apply to a function: remove it"),
        ("shop:app", {"path": "/offers"}, "'shop:app' is the name of an application: import the application"),
        ("http://127.0.0.1:1/", {"path": "/offers"}, "does not apply to a URL: write the path into the URL"),
        ("http://127.0.0.1:1/", {"longest_wait": 0.01}, "cannot be reached"),
    ],
)
def test_an_invalid_target_is_explained_at_once(target: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(TargetError) as failed:
        brokerfuzz.fire(target, **SOME, **options)
    assert said in str(failed.value)


def test_findings_are_kept_if_the_target_cannot_be_used_any_more() -> None:
    answers = chain(repeat(True, 30), repeat([]))
    report = brokerfuzz.fire(lambda body: next(answers), rules=["*orderM*:minimum"])
    assert report.outcome.state == "partial"
    assert "returned list, which is not a valid answer" in report.outcome.reason
    assert report.findings


def test_a_secret_that_is_too_short_to_be_hidden_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("KEY", "q7z")
    brokerfuzz.fire(lambda body: True, **SOME, secrets=["KEY"], shrink=0)
    assert "${KEY} contains a secret of fewer than 6 characters" in caplog.text


def test_a_test_suite_that_forbids_sockets_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    class Blocked(socket.socket):
        """Like the class of pytest-socket."""

        def __new__(cls, *_: Any, **__: Any) -> "Blocked":
            raise RuntimeError("A test tried to use socket.socket.")

    monkeypatch.setattr(socket, "socket", Blocked)
    with pytest.raises(BrokerfuzzError, match=r"A test tried to use socket\.socket.*--allow-unix-socket"):
        brokerfuzz.fire(lambda body: True, **SOME)
