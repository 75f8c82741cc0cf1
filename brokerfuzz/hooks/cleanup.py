"""Builds the cleanup request, which deletes the offer of an accepted message: for example, `DELETE /offers/{number}`.

Values come from the target and from generated messages. A request that would delete more than one offer, such as
`DELETE /offers/`, is never built.
"""

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit, urlunsplit

from brokerfuzz.errors import TargetError, quoted
from brokerfuzz.targets.answers import Answer

_TEMPLATE = re.compile(r"([A-Z]+)\s+(/\S*|\{[Ll]ocation\})")
_PROPERTY = re.compile(r"\{([^{}/]+)\}")
_GONE = 410
_DOTS = (".", "..")
_PORTS = {"http": 80, "https": 443}


class NoCleanupError(Exception):
    """No cleanup request can be sent for a message. The text is the reason."""


@dataclass(frozen=True)
class Cleanup:
    """A template for the cleanup request. In `path`, `{NAME}` stands for the value of a property. The property comes
    from the answer, from `data` of the answer, or from the message, in this order. If `path` is `{location}`, the
    request goes to the URL in the header `Location` of the answer.
    """

    method: str
    path: str

    def url(self, base: str, body: bytes, answer: Answer) -> str:
        """Raises `NoCleanupError` if a value is missing, or if the request could delete more than the offer of this
        message.
        """
        if not self.path.startswith("/"):
            return _location(urlsplit(base), base, answer)
        answered, sent = _object(answer.body), _object(body)
        values = {name: _value(name, (answered, answered.get("data"), sent)) for name in _PROPERTY.findall(self.path)}

        for segment in re.split(r"[/?]", self.path):
            if _PROPERTY.search(segment) and _PROPERTY.sub(lambda match: values[match[1]], segment).strip() in _DOTS:
                raise NoCleanupError(f"{segment} would be a dot segment, which means another path")
        return urljoin(
            base, _PROPERTY.sub(lambda match: quote(values[match[1]], safe="", errors="surrogatepass"), self.path)
        )


def parsed_cleanup(text: str) -> Cleanup:
    """Parses a template such as `DELETE /offers/{number}`. Raises `TargetError` if the template is invalid."""
    template = _TEMPLATE.fullmatch(text.strip())
    if template is None or "{" in _PROPERTY.sub("", template[2]) or "}" in _PROPERTY.sub("", template[2]):
        raise TargetError(
            f"the cleanup {quoted(text)} is not a method and a path: write a request such as 'DELETE "
            f"/offers/{{number}}' or 'DELETE {{location}}'"
        )
    return Cleanup(template[1], template[2])


def is_clean(answer: Answer) -> bool:
    """Returns whether the answer to the cleanup request shows that the offer no longer exists. Status 404 does not show
    this, because the path may be wrong.
    """
    return answer.status is not None and (answer.status // 100 == 2 or answer.status == _GONE)


def _location(base: SplitResult, url: str, answer: Answer) -> str:
    """Returns the URL in the header `Location`. This URL must be at the same server, and below neither the path of the
    target nor a folder above it.
    """
    location = next((value for name, value in answer.headers if name.lower() == "location"), None)
    if location is None:
        raise NoCleanupError("the answer has no header Location")
    try:
        parts = urlsplit(urljoin(url, location))
        same_server = _server(parts) == _server(base)
    except ValueError:
        raise NoCleanupError(f"the header Location is not a URL: {quoted(location)}") from None
    if not same_server:
        raise NoCleanupError(f"the header Location leads to another server: {quoted(location)}")
    path, collection = parts.path.rstrip("/"), base.path.rstrip("/")
    if any(unquote(segment) in _DOTS for segment in path.split("/")) or f"{collection}/".startswith(f"{path}/"):
        raise NoCleanupError(f"the header Location does not lead to a single offer: {quoted(location)}")
    return urlunsplit((base.scheme, base.netloc, parts.path, parts.query, ""))


def _server(url: SplitResult) -> tuple[str, str | None, int | None]:
    return url.scheme, url.hostname, url.port or _PORTS.get(url.scheme)


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _value(name: str, sources: tuple[Any, ...]) -> str:
    candidates = (source.get(name) for source in sources if isinstance(source, dict))
    texts = (str(part) for part in candidates if isinstance(part, str | int) and not isinstance(part, bool))
    value = next(texts, None)
    if value is None:
        raise NoCleanupError(f"neither the answer nor the message has the property {name}")
    if not value.strip() or "/" in value or "\\" in value:
        raise NoCleanupError(f"the property {name} is empty or contains a slash: {quoted(value)}")
    return value
