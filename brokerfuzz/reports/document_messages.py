"""The messages of a report's document: the bytes that they stand for, and the requests that carried them.

The document holds no secrets; what might be one all the same, by its name, is replaced once more by the name of a variable.
"""

import json
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from brokerfuzz.cases.case import compact
from brokerfuzz.errors import ReportError
from brokerfuzz.schemas.headers import JSON_TYPE
from brokerfuzz.targets.secret_masking import is_secret, shown, variable
from brokerfuzz.wording import printable

Document = Mapping[str, Any]
Pairs = list[tuple[str, str]]


@dataclass(frozen=True)
class RequestTemplate:
    """What every message was sent with: where there was a secret, there is the name of a variable (`$AUTHORIZATION`)."""

    url: str
    method: str
    headers: tuple[tuple[str, str], ...]

    def headers_of(self, message: Document) -> Pairs:
        """The headers of the request that carried a message: its own go in place of the usual ones of their names."""
        instead = others_of(message)
        names = {name.lower() for name, _ in instead}
        usual = [(name, value) for name, value in self.headers if name.lower() not in names]
        return [*usual, *((name, value) for name, value in instead if value is not None)]


def body_of(message: Document) -> bytes:
    """The bytes of a message."""
    if "raw" in message:
        try:
            return b64decode(message["raw"])
        except ValueError:  # no base64, though the report's schema says that it is
            return str(message["raw"]).encode(errors="surrogatepass")
    try:
        return compact(message["body"])
    except TypeError:  # of a value that is never written as one, but as bytes
        return json.dumps(message["body"], separators=(",", ":")).encode()


def others_of(message: Document) -> list[tuple[str, str | None]]:
    """The headers that a message has in place of the usual ones; None: no header of that name."""
    return [(name, value) for name, value in message.get("headers") or ()]


def request_of(document: Document, report: str) -> RequestTemplate:
    """What the messages were sent with. Raises `ReportError` where the target was no HTTP endpoint, of which `report` cannot be made."""
    target = str(document["target"])
    given = document.get("request", _usual(target))
    if given is None:
        raise ReportError(f"{report} is for HTTP targets, and {printable(target, 100)} is none: leave it out, or fire at a URL")
    headers = tuple((name, variable(name) if is_secret(name, value) else value) for name, value in given["headers"])
    return RequestTemplate(shown(given["url"]), given["method"], headers)


def is_flaky(finding: Document) -> bool:
    """Whether a finding did not come again each time that its message was sent again."""
    return bool(finding["shown"] < finding["sent"])


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 finding`, `2,000 findings`."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def _usual(target: str) -> dict[str, Any] | None:
    """What goes with a message where a document does not say it."""
    http = target.startswith(("http://", "https://"))
    return {"url": target, "method": "POST", "headers": [["content-type", JSON_TYPE]]} if http else None
