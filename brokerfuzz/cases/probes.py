"""Probes of silences: messages about which the contract says nothing, to see what a program does with them.

A probe is named by what it looks like; the values of each silence lean both ways: some are what most programs take, some what most
refuse.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from orjson import Fragment

from brokerfuzz.cases.building import Plan, build, with_place
from brokerfuzz.cases.case import Case, compact, now_tag
from brokerfuzz.cases.changes import Change, Put, Rewrite, Steps, apply, places, value_at
from brokerfuzz.schemas import Contract, MessageType, Silence
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.instants import spell

_TIMES = {
    "date-alone": "2020-01-01", "offset": "2020-01-01T02:00:00+02:00", "zero-offset": "2020-01-01T00:00:00+00:00", "no-zone": "2020-01-01T00:00:00",
    "lower-case": "2020-01-01t00:00:00z", "space-for-t": "2020-01-01 00:00:00Z", "no-seconds": "2020-01-01T00:00Z",
    "leap-second": "2016-12-31T23:59:60Z",
    "no-such-day": "2021-02-30T00:00:00Z", "week-date": "2020-W01-3", "epoch-text": "1577836800", "us-date": "01/31/2020",
    "year-zero": "0000-01-01T00:00:00Z",
    "hour-24": "2020-01-01T24:00:00Z", "comma-fraction": "2020-01-01T00:00:00,5Z", "arabic-digits": "٢٠٢٠-٠١-٠١T٠٠:٠٠:٠٠Z", "word": "yesterday",
    "empty": "", "padded": " 2020-01-01T00:00:00Z ",
}  # fmt: skip
_CRONS = {
    "nickname": "@daily", "six-fields": "0 0 12 * * ?", "seven-fields": "0 0 12 * * ? 2030", "names": "0 9 * jan mon-fri", "last-day": "0 0 L * *",
    "four-fields": "0 0 * *", "out-of-range": "61 25 * * *", "word": "weekly", "empty": "", "iso-duration": "P1D",
}  # fmt: skip
_URLS = {
    "relative": "/images/a.png", "no-scheme": "example.com/a.png", "ftp": "ftp://example.com/a.pdf", "data": "data:image/png;base64,AA==",
    "word": "picture",
    "script": "javascript:alert(1)", "blank-inside": "https://example.com/a b.png", "letters-beyond-ascii": "https://example.com/ü.png", "empty": "",
    "file": "file:///etc/passwd", "capital-scheme": "HTTPS://EXAMPLE.COM/", "port-too-large": "https://example.com:99999/", "user": "https://a:b@example.com/",
}  # fmt: skip
_NAMES = {
    "empty": "", "blank": " ", "digits": "7", "underscore": "IN_REVIEW", "punctuation": "n/a", "letters-beyond-ascii": "prüfen", "long": "A" * 65,
}  # fmt: skip
_DOUBLES = {
    "too-large": "1e400", "too-small": "1e-400", "too-fine": "0.1234567890123456789", "long-integer": "9007199254740993",
    "forty-digits": "1" + "0" * 38 + "1",
}  # fmt: skip
_DECIMALS = {"large": "1e29", "small": "1e-29", "largest-double": "1.7976931348623157e308", "below-zero": "-8e28"}
_SURROGATES = {"high": r"\ud800", "low": r"\udc00", "reversed": r"\ude00\ud83d"}
_NULS = {"alone": r"\u0000", "inside": r"a\u0000b"}

Probe = tuple[str, Steps, Change]
"""(its name, the place, the change)."""


@dataclass(frozen=True)
class ProbeMaker:
    """Makes the unspecified cases of a message type, against a time."""

    contract: Contract
    message_type: MessageType
    now: datetime

    def of_silence(self, silence: Silence) -> Iterator[Case]:
        """Every probe of a silence at every site that it concerns; none where it does not concern this message type."""
        if not silence.concerns(self.message_type):
            return
        for site in self.sites(silence):
            message = self._message(site)
            for name, steps, change in self.probes(silence, site, message):
                case = self.case(silence, name, apply(message, steps, change))
                if case is not None:
                    yield case

    def case(self, silence: Silence, name: str, body: bytes) -> Case | None:
        """The case of a probe's bytes; None where a changed contract has a rule about it."""
        tags = (f"probe:{silence.id}", f"as:{name}", *([now_tag(self.now)] if silence.detector == "near_now" else []))
        return Case.confirmed(self.message_type, body, claim=silence.id, tags=tags, now=self.now, contract=self.contract)

    def _message(self, site: Any) -> Any:
        return build(self.contract, self.message_type, Plan(narrowed=with_place(self.contract, self.message_type, self.path(site))))

    @staticmethod
    def path(site: Any) -> str:
        """The path of a site as a silence's table gives it."""
        return site if isinstance(site, str) else str(site[0])

    def sites(self, silence: Silence) -> list[Any]:
        """The places of a silence, as its table gives them; for one that is everywhere, one place of each type that it is about."""
        known = self.contract.sites[self.message_type]
        if silence.sites is not None:
            return [where for where in silence.sites.get(self.message_type, ()) if self.path(where) in known]
        about = _ABOUT.get(str(silence.detector))
        if about is None:
            return [""]
        fitting = [path for path, site in known.items() if types_of(site.schema) - {"null"} == {about} and "enum" not in site.schema]
        return fitting[:2] if about == "string" else fitting

    def probes(self, silence: Silence, site: Any, message: Any) -> Iterator[Probe]:
        """The probes of a silence at a site that fit a message."""
        make = _PROBES.get(str(silence.detector))
        steps = places(message, self.path(site))
        if make is not None and steps:
            yield from make(_Asked(silence, site, message, steps[0], self.now))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a maker of probes knows: the silence, its site as the table gives it, a plain message, the way to the place, the time."""

    silence: Silence
    site: Any
    message: Any
    steps: Steps
    now: datetime

    @property
    def present(self) -> Any:
        return value_at(self.message, self.steps)


def _spelled(values: Mapping[str, str]) -> Callable[[_Asked], Iterator[Probe]]:
    return lambda asked: ((name, asked.steps, Put(value)) for name, value in values.items())


def _literal(values: Mapping[str, str]) -> Callable[[_Asked], Iterator[Probe]]:
    return lambda asked: ((name, asked.steps, Put(Fragment(value))) for name, value in values.items())


def _quoted(values: Mapping[str, str]) -> Callable[[_Asked], Iterator[Probe]]:
    return lambda asked: ((name, asked.steps, Put(Fragment(f'"{value}"'))) for name, value in values.items())


def _near_now(asked: _Asked) -> Iterator[Probe]:
    for name, seconds in (("now", 0), ("a-second-ago", -1), ("in-a-second", 1), ("in-four-minutes", 240)):
        yield name, asked.steps, Put(spell(asked.now + timedelta(seconds=seconds)))


def _crossed(low: Any, high: Any) -> Callable[[_Asked], Iterator[Probe]]:
    def make(asked: _Asked) -> Iterator[Probe]:
        _, first, last = asked.site
        yield "crossed", asked.steps, Put({**asked.present, first: high, last: low})

    return make


def _ends_early(asked: _Asked) -> Iterator[Probe]:
    _, start, end = asked.site
    yield "before", asked.steps, Put({**asked.present, start: "2024-02-29T23:59:59Z", end: "2020-01-01T00:00:00Z"})
    yield "at-once", asked.steps, Put({**asked.present, start: "2020-01-01T00:00:00Z", end: "2020-01-01T00:00:00Z"})


def _repeated(asked: _Asked) -> Iterator[Probe]:
    items = asked.present
    if isinstance(items, list) and items:
        yield "same-item", asked.steps, Put([*items, items[0]])
        if len(asked.site) > 1 and isinstance(items[0], dict) and isinstance(items[0].get(asked.site[1]), str):
            others = [name for name in items[0] if name != asked.site[1] and isinstance(items[0][name], int) and not isinstance(items[0][name], bool)]
            if others:
                yield "same-identifier", asked.steps, Put([*items, {**items[0], others[0]: 1 if items[0][others[0]] != 1 else 2}])


def _integer_forms(asked: _Asked) -> Iterator[Probe]:
    for name, suffix in (("fraction-of-zero", ".0"), ("exponent", "e0")):
        yield name, asked.steps, Put(Fragment(f"{asked.present}{suffix}"))


def _twice(asked: _Asked) -> Iterator[Probe]:
    name = next(iter(asked.message))
    yield "same-value", (), Rewrite(lambda body: body[:-1] + b"," + compact({name: asked.message[name]})[1:])
    yield "null-last", (), Rewrite(lambda body: body[:-1] + b"," + compact({name: None})[1:])
    yield "null-first", (), Rewrite(lambda body: compact({name: None})[:-1] + b"," + body[1:])


def _encoded(asked: _Asked) -> Iterator[Probe]:
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        yield encoding, (), Rewrite(lambda body, encoding=encoding: body.decode().encode(encoding))  # type: ignore[misc]
    text = next((steps for steps in _texts(asked.message)), None)
    if text is not None:
        yield "latin-1", text, Rewrite(lambda body: _with_bytes(asked.message, text, b"\xe9"))
        yield "broken-utf-8", text, Rewrite(lambda body: _with_bytes(asked.message, text, b"\xc3"))
        yield "overlong", text, Rewrite(lambda body: _with_bytes(asked.message, text, b"\xc0\xaf"))


def _texts(message: Any) -> Iterator[Steps]:
    for name, value in message.items():
        if isinstance(value, str) and name != "offerType":
            yield (name,)
        elif isinstance(value, list) and value and isinstance(value[0], str):
            yield (name, 0)


def _with_bytes(message: Any, steps: Steps, raw: bytes) -> bytes:
    return apply(message, steps, Put("@@raw@@")).replace(b"@@raw@@", raw)


def _marked(asked: _Asked) -> Iterator[Probe]:
    yield "utf-8-mark", (), Rewrite(lambda body: b"\xef\xbb\xbf" + body)


def _long(asked: _Asked) -> Iterator[Probe]:
    for size in (asked.silence.options["limit"] + 1, 65_536):
        yield f"{size}-characters", asked.steps, Put("b" * size)


def _many(asked: _Asked) -> Iterator[Probe]:
    limit = asked.silence.options["limit"]
    items = asked.present
    for size in (limit + 1, 10 * limit):
        if isinstance(items, list) and items and isinstance(items[0], str):
            yield f"{size}-items", asked.steps, Put([f"{items[0]}-{number}" for number in range(size)])


def _large(asked: _Asked) -> Iterator[Probe]:
    yield "white-space", (), Rewrite(lambda body: body + b" " * (asked.silence.options["limit"] + 1))


def _contradicting(asked: _Asked) -> Iterator[Probe]:
    base = asked.message
    yield "success-without-data", (), Put({**base, "data": None, "failureMessages": [], "operationWasSuccessful": True})
    yield "success-with-failures", (), Put({**base, "failureMessages": ["a"], "operationWasSuccessful": True})
    if base["data"] is not None:
        yield "failure-with-data", (), Put({**base, "failureMessages": ["a"], "operationWasSuccessful": False})
    yield "failure-without-message", (), Put({**base, "data": None, "failureMessages": [], "operationWasSuccessful": False})


def _wrong_sums(asked: _Asked) -> Iterator[Probe]:
    data = asked.present
    offers: Sequence[Any] = data["offers"] if data else []
    yield "wrong-total", asked.steps, Put({**data, "totalExtendedPrice": _off(data["totalExtendedPrice"])})
    if offers:
        surcharged = [{**offers[0], "extendedPrice": _off(offers[0]["extendedPrice"])}, *offers[1:]]
        yield "surcharge", asked.steps, Put({**data, "offers": surcharged, "totalExtendedPrice": sum(offer["extendedPrice"] for offer in surcharged)})
        if data["totalExtendedPrice"] > 1:
            free_of_charge = [{**offer, "extendedPrice": 0} for offer in offers]
            yield "nothing-to-pay", asked.steps, Put({**data, "offers": free_of_charge, "totalExtendedPrice": 0})


def _off(amount: float) -> float:
    """Another amount, plainly: a few more, or half of what is so much that a few would not show."""
    return amount + 5 if amount < 1e6 else amount / 2


_ABOUT = {
    "integer_form": "integer",
    "double_range": "number",
    "lone_surrogates": "string",
    "nul_characters": "string",
    "string_length": "string",
    "item_count": "array",
}
"""The type of the places that a silence without sites is about; the root for the others."""

_PROBES: Mapping[str, Callable[[_Asked], Iterator[Probe]]] = {
    "timestamp": _spelled(_TIMES),
    "near_now": _near_now,
    "cron": _spelled(_CRONS),
    "url": _spelled(_URLS),
    "name": _spelled(_NAMES),
    "ordered_numbers": _crossed(3, 7),
    "ordered_instants": _ends_early,
    "distinct": _repeated,
    "integer_form": _integer_forms,
    "double_range": _literal(_DOUBLES),
    "decimal_range": _literal(_DECIMALS),
    "duplicate_members": _twice,
    "lone_surrogates": _quoted(_SURROGATES),
    "nul_characters": _quoted(_NULS),
    "byte_order_mark": _marked,
    "encoding": _encoded,
    "string_length": _long,
    "item_count": _many,
    "message_size": _large,
    "envelope": _contradicting,
    "arithmetic": _wrong_sums,
}
