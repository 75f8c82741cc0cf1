"""Builds the cleanup request, which deletes the offer of an accepted message: for example, `DELETE /offers/{number}`."""

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urljoin

from brokerfuzz.errors import TargetError, quoted
from brokerfuzz.targets.answers import Answer

_TEMPLATE = re.compile(r"([A-Z]+)\s+(/\S*)")
_PROPERTY = re.compile(r"\{([^{}/]+)\}")
_GONE = (404, 410)


@dataclass(frozen=True)
class Cleanup:
    """A template for the cleanup request. In `path`, `{NAME}` stands for the value of a property. The property comes from the
    answer, from `data` of the answer, or from the message, in this order.
    """

    method: str
    path: str

    def url(self, base: str, body: bytes, answer: Answer) -> str | None:
        """Returns None if `path` names a property that neither the answer nor the message has."""
        answered, sent = _object(answer.body), _object(body)
        sources = (answered, answered.get("data"), sent)
        values = {name: _value(name, sources) for name in _PROPERTY.findall(self.path)}
        if None in values.values():
            return None
        return urljoin(base, _PROPERTY.sub(lambda found: values[found[1]] or "", self.path))


def cleanup(text: str) -> Cleanup:
    """Parses a template such as `DELETE /offers/{number}`. Raises `TargetError` if the template is invalid."""
    found = _TEMPLATE.fullmatch(text.strip())
    if found is None or "{" in _PROPERTY.sub("", found[2]) or "}" in _PROPERTY.sub("", found[2]):
        raise TargetError(f"the cleanup {quoted(text)} is not a method and a path: write a request such as 'DELETE /offers/{{number}}'")
    return Cleanup(found[1], found[2])


def is_clean(answer: Answer) -> bool:
    """Returns whether the answer to the cleanup request shows that the offer no longer exists."""
    return answer.status is not None and (answer.status // 100 == 2 or answer.status in _GONE)


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _value(name: str, sources: tuple[Any, ...]) -> str | None:
    for source in sources:
        value = source.get(name) if isinstance(source, dict) else None
        if isinstance(value, str | int) and not isinstance(value, bool):
            return quote(str(value), safe="", errors="surrogatepass")
    return None
