import asyncio
import base64
import html
import json
import string
import subprocess
import traceback
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote, quote_plus

import pytest
from canaries import leaks
from hand_made_programs import answer, python
from hand_made_servers import echoes, response, sends, serving, serving_streams, unused_url
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from sampled import sample

from brokerfuzz.configuration.substituting import substituted
from brokerfuzz.errors import TargetError
from brokerfuzz.targets import AnswerRules, CommandTarget, HttpTarget, http_target, transport
from brokerfuzz.targets.answers import EXCERPT
from brokerfuzz.targets.masks import HIDDEN
from brokerfuzz.targets.program import Excerpt
from brokerfuzz.targets.secret_masking import Secrets, shown
from brokerfuzz.targets.target import opened

PRINTABLE = string.ascii_letters + string.digits + string.punctuation
SECRETS = st.text(PRINTABLE, min_size=6, max_size=40)
HEADERS = ("Authorization", "X-Api-Key", "X-Otp", "X-Pin", "X-Access", "X-Client-Cert")
POSITIONS = (*HEADERS, "Bearer", "Cookie", "user", "password", "token", "key", "sig")


def requests_with(secret: str, position: str, url: str) -> dict[str, Any]:
    """Returns the arguments of a target that has the secret in `position`."""
    scheme, _, rest = url.partition("://")
    match position:
        case _ if position in HEADERS:
            return {"url": url, "headers": [(position, secret)]}
        case "Bearer":
            return {"url": url, "headers": [("X-Passed-On", f"Bearer {secret}")]}
        case "Cookie":
            return {"url": url, "headers": [("Cookie", f"a=b; session={secret}; c=d")]}
        case "user" | "password":
            return {
                "url": f"{scheme}://{quote(secret, safe='')}{':pw' if position == 'user' else ''}@{rest}".replace(
                    "://", "://me:", position == "password"
                )
            }
        case _:
            return {"url": f"{url}?a=1&{position}={quote(secret, safe='')}&b=2"}


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[str, str]]:
    """Yields the URL of a server that repeats each request, and a URL at which no server listens."""
    with serving_streams(echoes) as url, pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            http_target, "CLOSING_TIME", 0.0
        )  # thousands of targets are closed, and the process does not exit
        yield url, unused_url()


def outputs(options: dict[str, Any], unused: dict[str, Any]) -> list[str]:
    """Returns everything that a target reports: its description, an answer that repeats the request, and errors."""
    said: list[str] = []

    async def ask() -> None:
        target = HttpTarget(**options)
        said.extend([repr(target), target.name, json.dumps(target.request), target.reproduction(b"{}")])
        async with opened(target):
            found = await target.send(b"{}")
        said.extend([found.body.decode("latin-1"), found.reason])

    async def fail(**more: Any) -> None:
        target = HttpTarget(**{**unused, **more})
        try:
            await target.open()
            await target.send(b"{}")
        except TargetError as error:
            said.extend(["".join(traceback.format_exception(error))])
        finally:
            await target.close()

    async def all_of_it() -> None:
        await ask()
        await fail()
        await fail(method="NO METHOD")
        await fail(headers=[(name, f"{value}\r\n") for name, value in unused.get("headers", [])] or [("X A", "b")])

    asyncio.run(all_of_it())
    for broken in (
        unused["url"].replace("http://", ""),
        unused["url"].replace("http://", "ftp://"),
        unused["url"].replace("127.0.0.1", "[::"),
    ):
        try:
            HttpTarget(broken)
        except TargetError as error:
            said.append("".join(traceback.format_exception(error)))
    return said


@lru_cache
def usual_words(position: str, url: str, unused: str) -> str:
    """Returns all `outputs` in lower case. Tests skip secrets such as `http`, because these outputs always contain
    them.
    """
    return " ".join(
        outputs(requests_with("0123456789" * 4, position, url), requests_with("0123456789" * 4, position, unused))
    ).lower()


@sample(5, 100)
@pytest.mark.parametrize("position", POSITIONS)
def test_no_output_contains_a_secret(position: str, servers: tuple[str, str], size: int) -> None:
    url, unused = servers

    @settings(max_examples=size)
    @given(secret=SECRETS)
    @example(secret="hunter2hunter2")
    @example(secret='a"b\\c/d<e>&f%20g+h')
    def check_outputs(secret: str) -> None:
        assume(position != "Cookie" or not set(";") & set(secret))
        assume(
            not any(
                spelled.lower() in usual_words(position, url, unused) for spelled in (secret, quote(secret, safe=""))
            )
        )
        for text in outputs(requests_with(secret, position, url), requests_with(secret, position, unused)):
            assert secret not in text
            assert quote(secret, safe="") not in text

    check_outputs()


def test_a_user_is_sent_but_not_reported() -> None:
    with serving_streams(echoes) as url:
        options = {"url": url.replace("://", "://martin:geheimnis@")}
        texts = outputs(options, {"url": unused_url().replace("://", "://martin:geheimnis@")})
    assert f"authorization: basic {HIDDEN}" in texts[4].lower()
    assert not any(
        "martin" in text or "geheimnis" in text or base64.b64encode(b"martin:geheimnis").decode() in text
        for text in texts
    )


@pytest.mark.parametrize(
    ("name", "value", "shown_value"),
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
    name: str, value: str, shown_value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("T", "the 'value' \"of T")
    sent = substituted(value, "the header")
    target = HttpTarget("http://h/", headers=[(name, sent)])
    assert [name, shown_value] in target.request["headers"]
    words = subprocess.run(
        ["sh", "-c", target.reproduction(b"{}").replace("curl", "printf '%s\\n'", 1)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ("${T}" in shown_value) is (f"{name}: {sent}" in words.stdout.splitlines())


@pytest.mark.parametrize(
    ("url", "headers", "request_"),
    [
        ("http://h/offers?page=2", [("X-Tenant", "5")], ("http://h/offers?page=2", [["X-Tenant", "5"]])),
        ("http://h/?a=b&access_token=x#sig=y", [], ("http://h/?a=b&access_token=${ACCESS_TOKEN}#sig=${SIG}", [])),
        (
            "http://h/?api%2Dkey=x;X-Amz-Signature=y",
            [],
            ("http://h/?api%2Dkey=${API_KEY};X-Amz-Signature=${X_AMZ_SIGNATURE}", []),
        ),
        ("http://h/?design=5&token=", [], ("http://h/?design=5&token=", [])),
        ("http://u:p@h:80/", [], ("http://h:80/", [["authorization", "${AUTHORIZATION}"]])),
        (
            "http://h/",
            [("X-Api-Key", "x"), ("X-Passed-On", "Basic eDp5")],
            ("http://h/", [["X-Api-Key", "${X_API_KEY}"], ["X-Passed-On", "${X_PASSED_ON}"]]),
        ),
    ],
)
def test_a_report_can_describe_what_all_requests_share(
    url: str, headers: list[tuple[str, str]], request_: tuple[str, list[list[str]]]
) -> None:
    shown_url, shown_headers = request_
    assert HttpTarget(url, method="PUT", headers=headers).request == {
        "url": shown_url,
        "method": "PUT",
        "headers": [["content-type", "application/json"], *shown_headers],
    }


def test_the_reproduction_reads_a_token_from_the_environment() -> None:
    line = HttpTarget("http://h/it's?a=$b&token=hunter22&c=d").reproduction(b"{}")
    assert line.endswith("""'http://h/it'"'"'s?a=$b&token='"${TOKEN}"'&c=d'""")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://me:pa/ss@h/", "'http://h/'"),
        ("http://me:pa#ss@h/", "'http://h/'"),
        ("me:geheim@h/offers", "'h/offers'"),
        ("http://me:geheim@[::1/", "'http://[::1/'"),
        ("http://me:geheim@h:99999/?token=abc", "'http://h:99999/?token=${TOKEN}'"),
        ("ftp://me:geheim@h/", "'ftp://h/'"),
    ],
)
def test_errors_about_a_url_do_not_contain_its_password(url: str, said: str) -> None:
    with pytest.raises(TargetError) as raised:
        HttpTarget(url)
    text = "".join(traceback.format_exception(raised.value))
    assert said in text
    assert not any(part in text for part in ("pa/ss", "pa#ss", "'pa'", "geheim", "=abc"))


def test_a_rejection_in_the_envelope_does_not_repeat_a_secret() -> None:
    said = json.dumps(
        {"operationWasSuccessful": False, "failureMessages": ["x" * 270 + " no such token: hunter2-hunter2"]}
    ).encode()

    with serving(sends(response(200, said))) as url:
        found = answer(HttpTarget(url, headers=[("Authorization", "Bearer hunter2-hunter2")]))
    assert not any("hunter2" in text for text in (found.reason, found.body.decode()))
    assert HIDDEN.encode() in found.body


@given(secret=SECRETS, before=st.binary(max_size=30), after=st.binary(max_size=60), size=st.integers(0, 80))
def test_an_excerpt_does_not_end_within_a_secret(secret: str, before: bytes, after: bytes, size: int) -> None:
    assume(secret.lower() not in HIDDEN)
    value = secret.encode()
    assume(value[:3] not in before + b" " + after + HIDDEN.encode())
    excerpt = Secrets("", [("Authorization", secret)]).excerpt(before + value + after, size)
    assert len(excerpt) <= size
    assert not any(value[:length] in excerpt for length in range(3, len(value) + 1))


@given(body=st.binary(max_size=60), size=st.integers(0, 80))
def test_an_excerpt_without_a_secret_is_the_beginning_of_the_body(body: bytes, size: int) -> None:
    assert Secrets("http://h/", [("X-Tenant", "tenant 5")]).excerpt(body, size) == body[:size]


@given(secret=SECRETS)
def test_a_secret_is_found_in_every_encoding(secret: str) -> None:
    assume(secret.lower() not in HIDDEN)
    secrets = Secrets(f"http://h/?token={quote(secret, safe='')}", ())
    as_go = json.dumps(secret).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    as_javascript = quote(secret, safe="!'()*")
    for spelled in (
        secret,
        secret.upper(),
        json.dumps(secret),
        as_go,
        quote(secret),
        quote(secret, safe="").lower(),
        as_javascript,
    ):
        assert AnswerRules().read(400, spelled.encode(), secrets=secrets).body.strip(b'"') == HIDDEN.encode()


ENCODINGS: Final[tuple[Callable[[str], str], ...]] = (
    str,
    str.upper,
    lambda text: quote(text, safe=""),
    lambda text: quote(text).lower(),
    quote_plus,
    lambda text: json.dumps(text)[1:-1],
    lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    repr,
    html.escape,
    lambda text: base64.b64encode(text.encode()).decode(),
    lambda text: base64.b64encode(b"me:" + text.encode() + b"!").decode(),
    lambda text: base64.b64encode(b"1" + text.encode()).decode(),
    lambda text: base64.urlsafe_b64encode(b"me" + text.encode()).decode(),
)


@given(secret=SECRETS, encode=st.sampled_from(ENCODINGS), before=st.sampled_from(["", "the key: ", '{"a":"']))
def test_a_secret_is_found_in_the_usual_encodings(secret: str, encode: Callable[[str], str], before: str) -> None:
    secrets = Secrets(more=[("${KEY}", secret)])
    text = f"{before}{encode(secret)}."
    size = len(before) + len(text) // 2
    for hidden in (secrets.hide(text), *(secrets.excerpt(text.encode(), most).decode() for most in (9999, size))):
        assert not leaks(hidden.encode(), [secret])


def test_secrets_in_errors_of_the_client_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "failure_of", lambda *_: transport.Failure("cut", "what of Bearer hunter2-hunter2?"))
    with serving(sends(b"no HTTP\r\n\r\n")) as url:
        assert (
            answer(HttpTarget(url, headers=[("Authorization", "Bearer hunter2-hunter2")])).reason
            == f"what of {HIDDEN}?"
        )


def test_short_secrets_are_not_replaced() -> None:
    assert Secrets("http://me:pw@h/?key=abc", [("Authorization", "x")]).hide("me and pw, abc, x") == "me and pw, abc, x"


def test_a_url_without_secrets_is_shown_as_it_is() -> None:
    for url in ("http://h", "HTTP://h/a@b?c=d@e", "http://h/?", "http://h/?=x&&a", "http://[::1]:8000/"):
        assert shown(url) == url


@pytest.mark.parametrize("before", [b"x" * 50, b"\n" + b" " * 4000, b"\nerror: "])
@pytest.mark.parametrize("behind", range(EXCERPT - 8, EXCERPT + 1))
def test_a_split_secret_at_the_beginning_of_the_last_output_is_hidden(before: bytes, behind: int) -> None:
    errors = Excerpt()
    errors.add(before + b"s3cr3t-abcdef" + b"y" * behind)
    said = [errors.tail, errors.last_line.encode(), errors.reason_line.encode()]
    hidden = [Secrets(more=[("", "s3cr3t-abcdef")]).excerpt(text, EXCERPT) for text in said]
    assert not any(b"def" in text for text in hidden), hidden


def test_a_secret_between_the_excerpts_of_output_and_errors_is_hidden() -> None:
    for before in range(EXCERPT // 2 - 14, EXCERPT // 2, 4):
        code = f"import sys; print('x' * {before} + 's3cr3t-abcdef' * 2); sys.exit('y' * 3000)"
        body = answer(CommandTarget(python(code), secrets={"${KEY}": "s3cr3t-abcdef"})).body
        assert body.startswith(b"x" * before)
        assert b"s3cr3t" not in body
