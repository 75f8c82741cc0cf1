"""Writes seeds for fuzzers: for each message type, a folder of messages, the same messages for `go test`, and a
dictionary.

    seeds/offer-creation-request/da39a3ee5e6b4b0d3255bfef95601890afd80709
    testdata/fuzz/FuzzOfferCreationRequest/da39a3ee5e6b4b0d3255bfef95601890afd80709
    offer-creation-request.dict

As in libFuzzer, the name of a seed is the SHA-1 of its bytes. Messages of more than 64 KiB are left out, because long
seeds make libFuzzer slow. A dictionary contains tokens that fuzzers insert into their inputs.
"""

import math
from collections.abc import Iterable, Iterator
from hashlib import sha1

import orjson

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Format, filled
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import Contract, MessageType

LARGEST_SEED = 64 * 1024
"""The maximum size of a seed, in bytes."""
LONGEST_TOKEN = 128
"""The maximum length of a token, in bytes. AFL++ rejects files with longer tokens."""

_PUNCTUATION = ("{", "}", "[", "]", ":", ",", '"', "{}", "[]", '""', "null", "true", "false")
_NUMBERS = (
    "0", "-0", "-1", "1.0", "1e0", "0.1", "1e400", "-2147483649", "2147483648", "9007199254740993",
    "18446744073709551616", "NaN", "Infinity",
)  # fmt: skip
_STRINGS = ("\\u0000", "\\ud800", "\\\\", '\\"', "\\n", "\ufeff", "2025-06-15T12:00:00Z")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def _files(cases: Iterable[Case], info: CorpusInfo) -> Iterator[File]:
    seen: dict[MessageType, set[bytes]] = {}
    for case in cases:
        digest = sha1(case.body, usedforsecurity=False)
        earlier = seen.setdefault(case.message_type, set())
        if len(case.body) > LARGEST_SEED:
            info.leave_out(case, f"longer than {LARGEST_SEED:,} bytes")
        elif digest.digest() in earlier:
            info.leave_out(case, "with the same bytes as another case")
        else:
            earlier.add(digest.digest())
            yield File(f"seeds/{case.message_type}/{digest.hexdigest()}", (case.body,))
            yield File(f"testdata/fuzz/{_go_target(case.message_type)}/{digest.hexdigest()}", (_go_seed(case.body),))
    if not any(seen.values()):
        raise CorpusError(
            f"every message is longer than {LARGEST_SEED:,} bytes, the maximum for a seed: remove a filter such as "
            "--rule or --verdict"
        )
    seeded: list[MessageType] = [message_type for message_type, digests in seen.items() if digests]
    for message_type in seeded:
        yield File(f"{message_type}.dict", (dictionary(info.contract, message_type),))
    types = "\n".join(f"    {message_type}" for message_type in seeded)
    yield File("README.txt", [filled("readme-seeds.txt", types=types)])


def _go_target(message_type: MessageType) -> str:
    return f"Fuzz{message_type.title().replace('-', '')}"


def _go_seed(body: bytes) -> bytes:
    """Returns a seed in the format of `go test`. Go and `fuzz_dictionary` use the same escapes in strings."""
    return f"go test fuzz v1\n[]byte({bytes_literal(body)})\n".encode()


# -------------------------------------------------------------------------------------------------------- dictionaries


def dictionary(contract: Contract, message_type: MessageType) -> bytes:
    """Returns the dictionary for a message type: property names, enumeration values, numbers near bounds, and the
    syntax of JSON.
    """
    names = (site.name for site in contract.sites[message_type].values() if site.name)
    rules = contract.rules[message_type]
    listed = (value for rule in rules if rule.keyword == "enum" for value in rule.value)
    bounds = (rule.value for rule in rules if rule.keyword in _BOUNDS)
    kinds: dict[str, Iterable[bytes]] = {
        "properties": (orjson.dumps(name) + b":" for name in names),
        "listed values": map(orjson.dumps, listed),
        "numbers at the bounds": (orjson.dumps(number) for bound in bounds for number in _around(bound)),
        "other numbers": (text.encode() for text in _NUMBERS),
        "strings": (text.encode() for text in _STRINGS),
        "punctuation": (text.encode() for text in _PUNCTUATION),
    }
    seen: set[bytes] = set()
    lines: list[str] = []
    for kind, tokens in kinds.items():
        new = [token for token in dict.fromkeys(tokens) if token not in seen and len(token) <= LONGEST_TOKEN]
        seen.update(new)
        lines += [f"# {kind}", *map(bytes_literal, new)] if new else []
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def bytes_literal(token: bytes) -> str:
    escapes = {ord(char): f"\\{char}" for char in '\\"'}
    shown = (chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}" for byte in token)
    return '"' + "".join(escapes.get(byte, char) for byte, char in zip(token, shown, strict=True)) + '"'


def _around(bound: float) -> tuple[float, ...]:
    if isinstance(bound, int):
        return bound - 1, bound, bound + 1
    return math.nextafter(bound, -math.inf), bound, math.nextafter(bound, math.inf)


FORMAT = Format("fuzz-seeds", _files, case_set="seeds")
