import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pytest
from exported_cases import OFFER, cases, folder
from ready_suites import chosen

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import name_of, now_of
from brokerfuzz.corpus.formats.http import EXPECTED
from brokerfuzz.corpus.formats.routes import sent_headers
from brokerfuzz.errors import CorpusError

FROM_FILE = b"< ./"


class Request(NamedTuple):
    name: str
    comment: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes


def requests_in(text: bytes, files: Mapping[str, bytes]) -> Iterator[Request]:
    """Parses only the syntax that all editors support: `###` separates requests, and an empty line ends the headers."""
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


def test_each_case_is_a_request_in_the_file_for_its_verdict(offers: list[Case], files: Mapping[str, bytes]) -> None:
    for label, expected in EXPECTED.items():
        found = list(requests_in(files[f"{label}.http"], files))
        wanted = [case for case in offers if case.label == label]
        assert [request.name for request in found] == [name_of(case) for case in wanted]
        for request, case in zip(found, wanted, strict=True):
            assert request.comment.startswith(f"# {expected}")
            assert ("set the clock of the target to this time" in request.comment) == (now_of(case) is not None)
            assert request.target == "POST {{baseUrl}}/offers"
            assert request.headers == sent_headers(case.headers)
            assert request.body == case.body


def test_bodies_that_editors_could_change_are_separate_files(offers: list[Case], files: Mapping[str, bytes]) -> None:
    separate = {name.removeprefix("bodies/").removesuffix(".bin") for name in files if name.startswith("bodies/")}
    assert chosen()[0].id not in separate
    for case in offers:
        if case.body and (case.headers or b"{{" in case.body or not case.body.isascii() or b"\n" in case.body):
            assert case.id in separate


def test_a_corpus_without_offers_is_rejected() -> None:
    with pytest.raises(CorpusError, match="use --message offer-creation-request"):
        folder("http", [case for case in chosen() if case.message_type != OFFER])


def test_a_header_that_editors_would_change_is_rejected() -> None:
    case = chosen()[0]
    with pytest.raises(CorpusError, match=r"a header with \{\{"):
        folder("http", [Case(OFFER, case.body, case.verdict, headers=(("accept", "{{x}}"),))])
