"""Writes seeds for fuzzers: for each message type, a folder of messages, the same messages for `go test`, and a
dictionary.

    seeds/offer-creation-request/da39a3ee5e6b4b0d3255bfef95601890afd80709
    testdata/fuzz/FuzzOfferCreationRequest/da39a3ee5e6b4b0d3255bfef95601890afd80709
    offer-creation-request.dict

As in libFuzzer, the name of a seed is the SHA-1 of its bytes. Equal seeds have equal names, so folders of seeds can be
merged without duplicates. Messages of more than 64 KiB are left out, because long seeds make libFuzzer slow. The seeds
have no verdicts.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha1

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Format
from brokerfuzz.corpus.formats.fuzz_dictionary import dictionary, quoted
from brokerfuzz.corpus.formats.texts import filled
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MessageType

LARGEST_SEED = 64 * 1024
"""The maximum size of a seed, in bytes."""


def _files(cases: Iterable[Case], about: CorpusInfo) -> Iterator[File]:
    seen: dict[MessageType, set[bytes]] = {}
    for case in cases:
        digest = sha1(case.body, usedforsecurity=False)
        known = seen.setdefault(case.message_type, set())
        if len(case.body) > LARGEST_SEED:
            about.left_out.add(case, f"longer than {LARGEST_SEED:,} bytes")
        elif digest.digest() in known:
            about.left_out.add(case, "with the same bytes as another case")
        else:
            known.add(digest.digest())
            yield File(f"seeds/{case.message_type}/{digest.hexdigest()}", (case.body,))
            yield File(f"testdata/fuzz/{_go_target(case.message_type)}/{digest.hexdigest()}", (_go_seed(case.body),))
    if not any(seen.values()):
        raise CorpusError(
            f"every message is longer than {LARGEST_SEED:,} bytes, the maximum for a seed: remove a filter such as "
            "--rule or --verdict"
        )
    seeded: list[MessageType] = [message_type for message_type, digests in seen.items() if digests]
    for message_type in seeded:
        yield File(f"{message_type}.dict", (dictionary(about.contract, message_type),))
    types = "\n".join(f"    {message_type}" for message_type in seeded)
    yield File("README.txt", [filled("readme-seeds.txt", types=types)])


def _go_target(message_type: MessageType) -> str:
    """Returns the name of a fuzz target in Go, such as `FuzzOfferCreationRequest`."""
    return f"Fuzz{message_type.title().replace('-', '')}"


def _go_seed(body: bytes) -> bytes:
    """Returns a seed in the format of `go test`. Go and `fuzz_dictionary` use the same escapes in strings."""
    return f"go test fuzz v1\n[]byte({quoted(body)})\n".encode()


FORMAT = Format("fuzz-seeds", _files, scope="seeds")
