"""WireMock is not installed for these tests. The stubs were tested manually with WireMock 3.13."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from exported_cases import OFFER, cases, folder
from ready_suites import chosen

from brokerfuzz.cases.case import Case
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import check

Stub = dict[str, Any]


@pytest.fixture(scope="module")
def responses() -> list[Case]:
    return [
        case for case in {case.id: case for case in [*chosen(), *cases()[::10]]}.values() if case.message_type != OFFER
    ]


@pytest.fixture(scope="module")
def files() -> Mapping[str, bytes]:
    return folder("wiremock", {case.id: case for case in [*chosen(), *cases()[::10]]}.values())


@pytest.fixture(scope="module")
def stubs(files: Mapping[str, bytes]) -> list[Stub]:
    read = (json.loads(content) for name, content in files.items() if name.startswith("mappings/"))
    return [stub for mapping in read for stub in mapping.get("mappings", [mapping])]


def served(stubs: list[Stub], files: Mapping[str, bytes], method: str, path: str, *, state: str = "Started") -> bytes:
    """Imitates WireMock: among the matching stubs, the stub with the lowest `priority` gives the response."""

    def fits(stub: Stub) -> bool:
        request = stub["request"]
        return (
            request["method"] in (method, "ANY")
            and (request.get("urlPath") == path or bool(re.fullmatch(request.get("urlPattern", "(?!)"), path)))
            and stub.get("requiredScenarioState", state) == state
        )

    response = min(filter(fits, stubs), key=lambda stub: stub["priority"])["response"]
    assert response["status"] == 200
    assert response["headers"] == {"Content-Type": "application/json"}
    assert response["transformerParameters"] == {"disableBodyFileTemplating": True}
    return files[f"__files/{response['bodyFileName']}"]


def test_each_response_is_served_by_path_and_state(
    stubs: list[Stub], files: Mapping[str, bytes], responses: list[Case]
) -> None:
    assert len(responses) > 40
    for case in responses[:40]:
        assert (
            served(stubs, files, "GET", f"/brokerfuzz/{case.message_type}/{case.id}", state=responses[-1].id)
            == case.body
        )
        assert served(stubs, files, "GET", "/products?page=1", state=case.id) == case.body


def test_requests_that_select_no_case_get_an_ordinary_message(stubs: list[Stub], files: Mapping[str, bytes]) -> None:
    for message_type, method, path in (
        ("product-list-response", "GET", "/products"),
        ("offer-pricing-response", "POST", "/pricing"),
    ):
        assert check(message_type, served(stubs, files, method, path)).label == "valid"


def test_the_readme_names_the_folder_and_says_how_to_start(files: Mapping[str, bytes]) -> None:
    readme = files["README.md"].decode()
    assert len(readme.splitlines()) <= 14
    assert "--root-dir FOLDER" in readme
    assert "`GET /products`: product-list-response" in readme


def test_the_list_contains_every_case_with_its_path(
    stubs: list[Stub], files: Mapping[str, bytes], responses: list[Case]
) -> None:
    listed = json.loads(served(stubs, files, "GET", "/brokerfuzz"))
    assert [entry["id"] for entry in listed] == [case.id for case in responses]
    assert all(
        files[f"__files{entry['path']}.json"] == case.body for entry, case in zip(listed, responses, strict=True)
    )


def test_a_corpus_without_responses_is_rejected(run: Callable[..., Result], tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="choose responses with --message"):
        folder("wiremock", chosen()[:3])
    result = run("export", tmp_path / "out", "--format", "wiremock", "--message", OFFER)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "not offer-creation-request: use --message product-list-response" in result.stderr
    assert list(tmp_path.iterdir()) == []
