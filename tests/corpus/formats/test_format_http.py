"""`http`: requests that editors send as they are meant, whatever is in a message."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pytest
from exported_cases import OFFER, about, cases, folder
from ready_suites import chosen

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import name_of, now_of
from brokerfuzz.corpus.formats.http import EXPECTED
from brokerfuzz.corpus.formats.routes import sent_headers
from brokerfuzz.errors import CorpusError

FROM_FILE = b"< ./"


class Request(NamedTuple):
    """A request as editors read it."""

    name: str
    comment: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes


def requests_in(text: bytes, files: Mapping[str, bytes]) -> Iterator[Request]:
    """What is in a file, read as strictly as it gets: all editors part requests at `###`, and a request from its body at the first empty line."""
    first, *parts = re.split(rb"^###", text, flags=re.MULTILINE)
    assert re.fullmatch(rb"@baseUrl = http://[0-9.:]+\n\n", first)
    for part in parts:
        head, _, body = part.partition(b"\n\n")
        name, comment, target, *headers = head.decode("ascii").split("\n")
        assert name.startswith(" ")
        assert comment.startswith("# ")
        pairs = [(key, value) for key, _, value in (header.partition(": ") for header in headers)]
        yield Request(name[1:], comment, target, pairs, _body(body.rstrip(b"\n"), files))


def _body(body: bytes, files: Mapping[str, bytes]) -> bytes:
    if body.startswith(FROM_FILE):
        return files[body.removeprefix(FROM_FILE).decode()]
    assert b"\n" not in body
    assert b"{{" not in body
    assert body == b"" or (body[:1] == b"{" and all(0x20 <= byte < 0x7F for byte in body))
    return body


@pytest.fixture(scope="module")
def offers() -> list[Case]:
    found = {case.id: case for case in [*chosen(), *cases()[::10]] if case.message_type == OFFER}
    return list(found.values())


@pytest.fixture(scope="module")
def files(offers: list[Case]) -> Mapping[str, bytes]:
    return folder("http", offers)


def test_each_case_is_a_request_of_the_file_of_its_verdict(offers: list[Case], files: Mapping[str, bytes]) -> None:
    for label, expected in EXPECTED.items():
        found = list(requests_in(files[f"{label}.http"], files))
        wanted = [case for case in offers if case.label == label]
        assert [request.name for request in found] == [name_of(case) for case in wanted]
        for request, case in zip(found, wanted, strict=True):
            assert request.comment.startswith(f"# {expected}")
            assert ("to which the clock has to be set" in request.comment) == (now_of(case, about()) is not None)
            assert request.target == "POST {{baseUrl}}/offers"
            assert request.headers == sent_headers(case.headers)
            assert request.body == case.body


def test_only_what_cannot_be_misread_stands_among_the_requests(offers: list[Case], files: Mapping[str, bytes]) -> None:
    beside = {name.removeprefix("bodies/").removesuffix(".bin") for name in files if name.startswith("bodies/")}
    assert chosen()[0].id not in beside
    for case in offers:
        if case.body and (case.headers or b"{{" in case.body or not case.body.isascii() or b"\n" in case.body):
            assert case.id in beside


def test_without_an_offer_there_is_nothing_to_send() -> None:
    with pytest.raises(CorpusError, match="choose --message offer-creation-request"):
        folder("http", [case for case in chosen() if case.message_type != OFFER])


def test_a_header_that_editors_would_change_is_rejected() -> None:
    case = chosen()[0]
    with pytest.raises(CorpusError, match=r"\{\{ in a header"):
        folder("http", [Case(OFFER, case.body, case.verdict, headers=(("accept", "{{x}}"),))])
