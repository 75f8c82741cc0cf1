"""Lists strings for the formats of JSON Schema: valid ones, and ways of being wrong."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from brokerfuzz.generation.edge_values import PAST_INSTANTS
from brokerfuzz.schemas.questions.notations import URLS


class Examples(NamedTuple):
    """`valid` begins with the plainest value. The others are wrong: a value with the right shape that does not exist, a
    value that lacks a part, and a value in a notation that other systems use.
    """

    valid: Sequence[str]
    impossible: str
    incomplete: str
    other_notation: str


_URIS = tuple(URLS.values)
FORMATS: Mapping[str, Examples] = {
    "date-time": Examples(
        (*PAST_INSTANTS.values, "2000-01-01T00:00:00.123Z", "2000-01-01T01:00:00+01:00"),
        "2000-02-30T00:00:00Z", "2000-01-01T00:00:00", "2000-01-01 00:00",
    ),
    "date": Examples(("2000-01-01", "2024-02-29", "1970-01-01", "9999-12-31"), "2023-02-29", "2000-01", "01/31/2000"),
    "time": Examples(("00:00:00Z", "23:59:59Z", "12:30:00.5Z", "12:30:00+02:00"), "24:00:00Z", "12:30:00", "12:30 PM"),
    "duration": Examples(("P1D", "PT1S", "P1Y2M3DT4H5M6S", "P4W"), "P1S", "P", "1 day"),
    "email": Examples(("a@example.com", "a.b+c@example.com", "a_b@sub.example.org"), "a@b@c", "a@", "a at b.c"),
    "idn-email": Examples(("a@example.com", "é@example.com", "a@bücher.example"), "a@b@c", "@example.com", "a at b.c"),
    "hostname": Examples(("example.com", "a", "xn--bcher-kva.example", "a-b.example"), "-a.example", "a..b", "http://a.b/"),
    "idn-hostname": Examples(("example.com", "bücher.example", "例え.jp"), "-a.example", "a..b", "http://a.b/"),
    "ipv4": Examples(("127.0.0.1", "10.0.0.1", "255.255.255.255"), "256.0.0.1", "127.0.0", "127.0.0.1:80"),
    "ipv6": Examples(("::1", "::", "2001:db8::8a2e:370:7334", "::ffff:1.2.3.4"), "2001:db8::g", "2001:db8", "[::1]"),
    "uri": Examples((*_URIS, "urn:isbn:0451450523"), "https://[::1", "/a/b", "http://a.b/c d"),
    "uri-reference": Examples((*_URIS, "/a/b", "a?b", "#c", ""), "https://[::1", "%", "a\\b"),
    "iri": Examples((*_URIS, "https://bücher.example/é"), "https://[::1", "/a/b", "http://a.b/c d"),
    "iri-reference": Examples((*_URIS, "/é", "é?b", "#c"), "https://[::1", "%", "a\\b"),
    "uuid": Examples(
        ("00000000-0000-4000-8000-000000000000", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"),
        "g0000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000", "{00000000-0000-4000-8000-000000000000}",
    ),
    "uri-template": Examples(("https://example.com/{id}", "/a{?b,c}", "a"), "/{a b}", "/{a", "/a}"),
    "json-pointer": Examples(("", "/a", "/a/0", "/a~1b~0c"), "/~2", "a", "#/a"),
    "relative-json-pointer": Examples(("0", "1/a", "2#"), "01", "/a", "-1"),
    "regex": Examples(("a", "^[a-z]+$", "a|b", "\\d{3}"), "a{3,2}", "(a", "[a"),
}  # fmt: skip
