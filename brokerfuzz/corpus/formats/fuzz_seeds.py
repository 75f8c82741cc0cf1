"""Fuzz seeds: what coverage-guided fuzzers begin from, a folder of messages and a dictionary of tokens for each message type.

    seeds/offer-creation-request/da39a3ee5e6b4b0d3255bfef95601890afd80709
    offer-creation-request.dict

A seed's name is the SHA-1 of its bytes, as libFuzzer calls what it finds: seeds of several corpora can be put together, and each message is there
once. Messages of more than 64 KiB are left out: libFuzzer makes all inputs as long as the longest seed. Which verdict a message has is not told:
fuzzers do not ask.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha1

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.format import About, File, Folder
from brokerfuzz.corpus.formats.fuzz_dictionary import dictionary
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MessageType

LARGEST_SEED = 64 * 1024
"""Bytes."""

_README = """\
Seeds and dictionaries for fuzzers, one each a message type. In the calls below, TYPE is one of:

{types}

Fuzzers add what they find to the first folder that they are given: let that be one of your own (mkdir found), so that these files stay
as they are.

libFuzzer    ./target -dict=TYPE.dict found seeds/TYPE
Atheris      python target.py -dict=TYPE.dict found seeds/TYPE
Jazzer       jazzer --cp=target.jar --target_class=Target -dict=TYPE.dict found seeds/TYPE
AFL++        afl-fuzz -i seeds/TYPE -o found -x TYPE.dict -- ./target @@
SharpFuzz    afl-fuzz -i seeds/TYPE -o found -x TYPE.dict -- dotnet Target.dll
             libfuzzer-dotnet --target_path=Target -dict=TYPE.dict found seeds/TYPE

libFuzzer, and what is built on it, makes inputs as long as the longest seed: -max_len=4096 keeps them short and the fuzzer fast.
afl-cmin and -merge=1 find the seeds that are worth their time for a target.
"""


def _files(cases: Iterable[Case], about: About) -> Iterator[File]:
    seen: dict[MessageType, set[bytes]] = {}
    for case in cases:
        digest = sha1(case.body, usedforsecurity=False)
        known = seen.setdefault(case.message_type, set())
        if len(case.body) > LARGEST_SEED:
            about.left_out.add(case, f"longer than {LARGEST_SEED:,} bytes")
        elif digest.digest() in known:
            about.left_out.add(case, "with the bytes of another")
        else:
            known.add(digest.digest())
            yield File(f"seeds/{case.message_type}/{digest.hexdigest()}", (case.body,))
    if not any(seen.values()):
        raise CorpusError(f"every message is longer than {LARGEST_SEED:,} bytes, too long for a seed: choose more cases")
    seeded: list[MessageType] = [message_type for message_type, digests in seen.items() if digests]
    for message_type in seeded:
        yield File(f"{message_type}.dict", (dictionary(about.contract, message_type),))
    yield File("README.txt", (_README.format(types="\n".join(f"    {message_type}" for message_type in seeded)).encode(),))


FORMAT = Folder("fuzz-seeds", "seeds and dictionaries for libFuzzer, AFL++, Atheris, Jazzer and SharpFuzz", _files)
