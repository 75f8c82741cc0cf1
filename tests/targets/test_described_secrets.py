"""Secrets in the descriptions of targets, in errors, and in commands that reproduce findings."""

import subprocess
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from brokerfuzz.target_options import substituted
from brokerfuzz.targets import CommandTarget, HttpTarget
from brokerfuzz.targets.secret_masking import Secrets, of_environment


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("X-Tenant", "a-${T}-b", "a-${T}-b"),
        ("Authorization", "Bearer ${T}", "Bearer ${T}"),
        ("X-Api-Key", "${T}", "${T}"),
        ("X-Api-Key", "hunter22-${T}", "${X_API_KEY}"),
        ("Cookie", "id=hunter22; to=${T}", "${COOKIE}"),
        ("X-Tenant", "cost: $$5 ${T}", "cost: $5 ${T}"),
    ],
)
def test_a_reference_is_shown_as_the_user_wrote_it(
    name: str, value: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("T", "the 'value' \"of T")
    sent = substituted(value, "the header")
    target = HttpTarget("http://h/", headers=[(name, sent)], secrets=of_environment(["T"]))
    assert [name, shown] in target.about["request"]["headers"]
    command = target.reproduction(b"{}").replace("curl", "printf '%s\\n'", 1)
    words = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout.splitlines()
    assert ("${T}" in shown) is (f"{name}: {sent}" in words)


@pytest.mark.parametrize(
    ("url", "headers", "shown_url", "shown_headers"),
    [
        ("http://h/offers?page=2", [("X-Tenant", "5")], "http://h/offers?page=2", [["X-Tenant", "5"]]),
        ("HTTP://h/a@b?c=d@e", [], "HTTP://h/a@b?c=d@e", []),
        ("http://[::1]:8000/?=x&&a", [], "http://[::1]:8000/?=x&&a", []),
        ("http://h/?a=b&access_token=x#sig=y", [], "http://h/?a=b&access_token=${ACCESS_TOKEN}#sig=${SIG}", []),
        ("http://h/?api%2Dkey=x;X-Amz-Signature=y", [], "http://h/?api%2Dkey=${API_KEY};X-Amz-Signature=${X_AMZ_SIGNATURE}", []),
        ("http://h/?design=5&token=", [], "http://h/?design=5&token=", []),
        ("http://u:p@h:80/", [], "http://h:80/", [["authorization", "${AUTHORIZATION}"]]),
        ("http://h/", [("X-Api-Key", "x")], "http://h/", [["X-Api-Key", "${X_API_KEY}"]]),
        ("http://h/", [("Authorization", "Basic eDp5")], "http://h/", [["Authorization", "Basic ${AUTHORIZATION}"]]),
        ("http://h/", [("Cookie", "to=x")], "http://h/", [["Cookie", "${COOKIE}"]]),
    ],
)  # fmt: skip
def test_the_description_of_all_requests_contains_references_in_place_of_secrets(
    url: str, headers: list[tuple[str, str]], shown_url: str, shown_headers: list[list[str]]
) -> None:
    described = HttpTarget(url, method="PUT", headers=headers).about["request"]
    usual = ["content-type", "application/json"]
    assert described == {"url": shown_url, "method": "PUT", "headers": [usual, *shown_headers]}


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("node validate.js", "node validate.js"),
        ("v --token=abcdef1 -v", 'v "--token=${TOKEN}" -v'),
        ("v --password abcdef1 file", 'v --password "${PASSWORD}" file'),
        ("v --pin 7 --auth --verbose", 'v --pin "${PIN}" --auth --verbose'),
        ("env API_KEY=abcdef1 v", 'env "API_KEY=${API_KEY}" v'),
        ("v --url=https://me:abcdef1@host/x?token=abcdef2", 'v "--url=https://me:${PASSWORD}@host/x?token=${TOKEN}"'),
        ("v -H 'Authorization: Bearer abcdef1' file", 'v -H "Authorization: Bearer ${AUTHORIZATION}" file'),
        ("v --header=X-Otp:abcdef1", 'v "--header=X-Otp:${X_OTP}"'),
        ("v '-HX-Api-Key: abcdef1' file", 'v "-HX-Api-Key: ${X_API_KEY}" file'),
        ("v -H 'Accept: text/plain' host:80", "v -H 'Accept: text/plain' host:80"),
        ("v --token=a:bcdef1 --key a:bcdef1", 'v "--token=${TOKEN}" --key "${TOKEN}"'),
        ("DB_PASSWORD=abcdef1 ./v", '"DB_PASSWORD=${DB_PASSWORD}" ./v'),
        ("env 'DB_PASSWORD=abc def' v", 'env "DB_PASSWORD=${DB_PASSWORD}" v'),
        ("v --token abcdef1 'echo $HOME abcdef1'", """v --token "${TOKEN}" 'echo $HOME '"${TOKEN}\""""),
        (["v", "a b", ""], "v 'a b' ''"),
    ],
)
def test_the_name_and_the_reproduction_of_a_command_contain_no_secret(command: Any, shown: str) -> None:
    target = CommandTarget(command)
    assert target.name == shown
    assert target.reproduction(b"{}") == f"printf '{{}}' | {shown}"


@given(st.text("abc'\"<&/\\ é+", min_size=6, max_size=30), st.binary(max_size=30), st.integers(0, 80))
def test_an_excerpt_does_not_end_within_a_secret(secret: str, before: bytes, size: int) -> None:
    value = secret.encode()
    assume(value[:3] not in before + b" ${SECRET}")
    excerpt = Secrets(more=[("${SECRET}", secret)]).excerpt(before + b"\n" + value, size)
    assert len(excerpt) <= size
    assert not any(value[:length] in excerpt for length in range(3, len(value) + 1))
