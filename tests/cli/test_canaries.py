"""Plants secrets into campaigns, and searches for them in everything that is written, in every encoding."""

import base64
import binascii
import gzip
import html
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Final
from urllib.parse import quote, quote_plus, unquote_to_bytes

import pytest
from fixture_types import Run
from hand_made_servers import response, serving_requests
from pricing_reader import PRICING

SOME: Final = ("--message", PRICING, "--rule", "*totalExtendedPrice:minimum", "--shrink")
REPORTS: Final = ("r.html", "r.xml", "r.json", "r.har", "r.md")
FROM_ENVIRONMENT: Final = {
    name: f'c4nary-{name.lower()}/"&<\\%41+ é'
    for name in ("HEADER", "AUTH", "HOOK", "COMMAND", "FUNCTION", "APPLICATION")
} | {"PATH_PART": "c4nary-path-part-17", "QUERY": "c4nary-query-17"}
TYPED: Final = {
    "otp": "c4nary-otp-5", "access": "c4nary-access-5", "cookie": "c4nary-cookie-5", "session": "c4nary-session-5",
    "signature": "c4nary-sign-5",
    "token": "c4nary-token-5", "password": "c4nary-password-5", "bearer": "c4nary-bearer-5",
    "assigned": "c4nary-assigned-5",
    "url": "c4nary-url-5",
}  # fmt: skip
CANARIES: Final = {**{name.lower(): value for name, value in FROM_ENVIRONMENT.items()}, **TYPED}
"""Maps the place of each secret to the secret."""

CONFIGURATION: Final = """\
url = "{url}/${{PATH_PART}}?page=${{QUERY}}"
secrets = ["HOOK"]
hooks = "hooks.py"
[headers]
X-Tenant = "a-${{HEADER}}-b"
Authorization = "Basic ${{AUTH}}"
X-Otp = "c4nary-otp-5"
X-Access = "c4nary-access-5"
Cookie = "theme=dark; id=c4nary-cookie-5"
"""
HOOKS: Final = """\
import os

def authenticate():
    return {"X-Session": "c4nary-session-5", "X-From-Environment": os.environ["HOOK"]}

def before_request(request):
    return request.with_header("X-Signature", "c4nary-sign-5")

def after_answer(case, answer):
    if os.environ.get("FAILS"):
        raise ValueError(f"login {os.environ['HOOK']} c4nary-session-5")
"""
Echo = Callable[[bytes], bytes]
ENCODINGS: Final[tuple[Echo, ...]] = (
    bytes,
    bytes.upper,
    lambda head: quote(head, safe="").encode(),
    lambda head: quote_plus(head).encode(),
    lambda head: json.dumps(head.decode()).encode(),
    lambda head: json.dumps(head.decode(), ensure_ascii=False).encode(),
    base64.b64encode,
    lambda head: base64.b64encode(b"1" + head),
    lambda head: base64.urlsafe_b64encode(b"12" + head),
    gzip.compress,
    lambda head: head.decode().encode("utf-16"),
    lambda head: head.decode().encode("utf-32"),
    lambda head: json.dumps({"operationWasSuccessful": False, "failureMessages": [head.decode()]}).encode(),
)


def echoes(head: bytes, _: bytes) -> bytes:
    """Answers each request with its head, in an encoding and with a status that change from answer to answer."""
    number = next(TURN)
    status = (200, 500, 200, 302)[number % 4]
    target = head.split()[1].decode()
    ECHOED.append(ENCODINGS[number % len(ENCODINGS)](head))
    return response(status, ECHOED[-1], f"Location: http://elsewhere{target}")


TURN: Iterator[int] = count()
ECHOED: list[bytes] = []


@pytest.fixture
def written(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, bytes]]:
    """Runs commands, and returns everything that they write."""
    for name, value in FROM_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)

    def everything(*commands: tuple[str, ...], inputs: tuple[str, ...] = ()) -> dict[str, bytes]:
        streams = {}
        for words in commands:
            result = run(*words)
            assert result.exit_code in (0, 1, 2), result.output
            streams[" ".join(words[:3])] = result.output.encode() + result.stderr.encode()
        outputs = [path for path in folder.iterdir() if path.is_file() and path.name not in inputs]
        return {**streams, **{path.name: path.read_bytes() for path in outputs}}

    return everything


def test_nothing_that_a_campaign_against_a_server_writes_contains_a_secret(
    written: Callable[..., dict[str, bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = [word for name in REPORTS for word in ("--report", name)]
    with serving_requests(echoes) as url:
        (tmp_path / "brokerfuzz.toml").write_text(CONFIGURATION.format(url=url))
        (tmp_path / "hooks.py").write_text(HOOKS)
        out = written(
            ("fire", *SOME, "1s", "--journal", "run.ndjson", "--baseline", "known.json", "--baseline-update", *reports),
            ("fire", *SOME, "off", "--json", "--journal", "json.ndjson"),
            ("fire", *SOME, "off", "--workers", "2", "--journal", "two.ndjson"),
            ("replay", "r.json", "--json"),
            inputs=("brokerfuzz.toml", "hooks.py"),
        )
        monkeypatch.setenv("FAILS", "1")
        failing = written(("fire", *SOME, "off"), inputs=tuple(path.name for path in tmp_path.iterdir()))
        out["a failing hook"] = b"".join(failing.values())
    assert {"run.ndjson", "known.json", "json.ndjson", "two.ndjson", *REPORTS} <= set(out)
    assert {name: found for name, content in out.items() if (found := leaks(content, CANARIES.values()))} == {}
    assert b"${PATH_PART}" in out["run.ndjson"]
    assert b"ValueError: login ${HOOK} ${X_SESSION}" in out["a failing hook"]
    sent = {"header", "auth", "hook", "path_part", "query", "otp", "access", "cookie", "session", "signature"}
    assert all(leaks(body, CANARIES.values()) >= {CANARIES[name] for name in sent} for body in ECHOED[: len(ENCODINGS)])


PROGRAM: Final = """\
read line
n=0
while [ $n -lt 500 ]; do
  n=$((n + 1))
  case $((n % 4)) in
    0) echo "accepted $* $DB_PASSWORD $COMMAND" ;;
    1) echo "crashed $(printf '%s' "$* $DB_PASSWORD $COMMAND" | base64 -w0)" ;;
    2) echo "rejected $(printf '%s' "martin:$2" | base64 -w0)" ;;
    3) echo "rejected $* $DB_PASSWORD $COMMAND" ;;
  esac
  read line || exit
done
"""


@pytest.mark.long
def test_nothing_that_a_campaign_against_programs_writes_contains_a_secret(
    written: Callable[..., dict[str, bytes]], tmp_path: Path
) -> None:
    (tmp_path / "program.sh").write_text(PROGRAM)
    (tmp_path / "planted_code.py").write_text(
        "import os\n"
        "def reads(body): raise ValueError('no ' + os.environ['FUNCTION'])\n"
        "def app(environ, start_response): raise RuntimeError('no ' + os.environ['APPLICATION'])\n"
        "def create(): return app\n"
    )
    words = (
        f"env DB_PASSWORD={TYPED['assigned']} sh program.sh --password {TYPED['password']} -H 'Authorization: Bearer "
        f"{TYPED['bearer']}' --token {TYPED['token']} http://me:{TYPED['url']}@host/"
    )
    reports = [word for name in REPORTS if name != "r.har" for word in ("--report", name)]
    lines = ("--lines", "plain", "--secret", "COMMAND")
    token = f"sh -c 'echo $0; exit 3' --token={TYPED['token']}"
    out = written(
        ("fire", "--exec", words, *lines, *SOME, "1s", "--journal", "run.ndjson", *reports),
        ("fire", "--exec", token, *SOME, "1s", "--json"),
        ("fire", "--exec", f"DB_PASSWORD={TYPED['assigned']} ./program", *SOME, "1s"),
        ("fire", "--call", "planted_code:reads", "--secret", "FUNCTION", *SOME, "1s", "--journal", "call.ndjson"),
        ("fire", "--app", "planted_code:create", "--secret", "APPLICATION", *SOME, "1s", "--journal", "app.ndjson"),
        inputs=("program.sh", "planted_code.py"),
    )
    assert b"${COMMAND}" in out["run.ndjson"]
    assert b"${FUNCTION}" in out["call.ndjson"]
    assert b"${APPLICATION}" in out["app.ndjson"]
    assert {name: some for name, content in out.items() if (some := leaks(content, CANARIES.values()))} == {}


# ----------------------------------------------------------------------------------------------------- the search

BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{8,}")
ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
DEPTH = 3
"""The maximum number of nested encodings."""


def leaks(content: bytes, canaries: Iterable[str]) -> set[str]:
    """Returns the planted secrets (canaries) that occur in a file or a stream, in upper or lower case, in any
    encoding.
    """
    wanted = {canary: canary.lower().encode() for canary in canaries}
    found = set[str]()
    for view in views(content, DEPTH):
        lower = view.lower()
        found |= {canary for canary, plain in wanted.items() if plain in lower}
    return found


def views(content: bytes, depth: int) -> Iterator[bytes]:
    """Yields the content itself, and the results of decoding it up to `depth` times: for example, from Base64."""
    seen, waiting = {content}, [content]
    for _ in range(depth):
        waiting = [view for outer in waiting for view in decoded(outer) if view not in seen and not seen.add(view)]  # type: ignore[func-returns-value]
    yield from seen


def decoded(content: bytes) -> Iterator[bytes]:
    yield ESCAPE.sub(lambda found: chr(int(found[1], 16)).encode(errors="replace") if found[1] else found[2], content)
    yield unquote_to_bytes(content)
    yield unquote_to_bytes(content.replace(b"+", b" "))
    yield html.unescape(content.decode("latin-1")).encode(errors="replace")
    yield b"\n".join(from_base64(content))
    yield from (content.decode(encoding, "replace").encode() for encoding in ("utf-16", "utf-32"))
    for start in re.finditer(rb"\x1f\x8b", content):
        yield decompressed(content[start.start() :])


def from_base64(content: bytes) -> Iterator[bytes]:
    """Decodes each run of base64 letters. The run may begin in the middle of a group of four letters."""
    for run in set(BASE64.findall(content)):
        plain = run.replace(b"-", b"+").replace(b"_", b"/")
        for start in range(4):
            piece = plain[start:]
            size = len(piece) - (len(piece) % 4 == 1)
            with suppress(binascii.Error):
                yield base64.b64decode(piece[:size] + b"=" * (-size % 4))


def decompressed(content: bytes) -> bytes:
    with suppress(zlib.error):
        return zlib.decompressobj(31).decompress(content)
    return b""
