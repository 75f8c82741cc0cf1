"""Bytes that are no JSON (RFC 8259), each a slip that lenient parsers forgive."""

from orjson import Fragment

from brokerfuzz.cases.changes import Change, Put, Rewrite
from brokerfuzz.cases.techniques.registry import Spot, breaks
from brokerfuzz.schemas.sites import JSON_RULE


@breaks(JSON_RULE, family="syntax")
def trailing_comma(spot: Spot) -> Change:
    """A comma behind the last member."""
    return Rewrite(lambda body: body[:-1] + b",}")


@breaks(JSON_RULE, family="syntax")
def truncated(spot: Spot) -> Change:
    """The text ends before its last bracket."""
    return Rewrite(lambda body: body[:-1])


@breaks(JSON_RULE, family="syntax")
def cut_in_half(spot: Spot) -> Change:
    """The text ends in its middle."""
    return Rewrite(lambda body: body[: len(body) // 2].rstrip(b"}] "))


@breaks(JSON_RULE, family="syntax")
def empty_body(spot: Spot) -> Change:
    """No byte at all."""
    return Rewrite(lambda body: b"")


@breaks(JSON_RULE, family="syntax")
def white_space_alone(spot: Spot) -> Change:
    """White space and nothing else."""
    return Rewrite(lambda body: b" \n\t\r\n")


@breaks(JSON_RULE, family="syntax")
def trailing_text(spot: Spot) -> Change:
    """A word behind the message."""
    return Rewrite(lambda body: body + b" x")


@breaks(JSON_RULE, family="syntax")
def two_documents(spot: Spot) -> Change:
    """The message twice, a line each."""
    return Rewrite(lambda body: body + b"\n" + body)


@breaks(JSON_RULE, family="syntax")
def closed_twice(spot: Spot) -> Change:
    """One closing bracket too many."""
    return Rewrite(lambda body: body + b"}")


@breaks(JSON_RULE, family="syntax")
def comment(spot: Spot) -> Change:
    """A comment before the message."""
    return Rewrite(lambda body: b"/* offer */" + body)


@breaks(JSON_RULE, family="syntax")
def line_comment(spot: Spot) -> Change:
    """A comment on a line behind the message."""
    return Rewrite(lambda body: body + b"\n// offer\n")


@breaks(JSON_RULE, family="syntax")
def single_quotes(spot: Spot) -> Change:
    """Names and texts between single quotes."""
    return Rewrite(lambda body: body.replace(b"'", b"").replace(b'"', b"'"))


@breaks(JSON_RULE, family="syntax")
def unquoted_key(spot: Spot) -> Change:
    """The first name without quotes."""
    return Rewrite(lambda body: body.replace(b'"', b"", 2))


@breaks(JSON_RULE, family="syntax")
def missing_colon(spot: Spot) -> Change:
    """No colon between a name and its value."""
    return Rewrite(lambda body: body.replace(b'":', b'" ', 1))


@breaks(JSON_RULE, family="syntax")
def missing_comma(spot: Spot) -> Change:
    """No comma between two members."""
    return Rewrite(lambda body: body.replace(b',"', b' "', 1))


@breaks(JSON_RULE, family="syntax")
def doubled_comma(spot: Spot) -> Change:
    """Two commas between two members."""
    return Rewrite(lambda body: body.replace(b',"', b',,"', 1))


@breaks(JSON_RULE, family="syntax")
def unclosed_string(spot: Spot) -> Change:
    """A text that is not closed."""
    return Rewrite(lambda body: body.rstrip(b"}]") + b',"a":"b')


@breaks(JSON_RULE, family="syntax")
def nan_value(spot: Spot) -> Change:
    """A member whose value is NaN."""
    return _in_place_of(spot, (int, float), b"NaN")


@breaks(JSON_RULE, family="syntax")
def infinite_value(spot: Spot) -> Change:
    """A member whose value is -Infinity."""
    return _in_place_of(spot, (int, float), b"-Infinity")


@breaks(JSON_RULE, family="syntax")
def leading_zero(spot: Spot) -> Change:
    """A number that begins with a zero."""
    return _in_place_of(spot, (int, float), b"01")


@breaks(JSON_RULE, family="syntax")
def leading_plus(spot: Spot) -> Change:
    """A number with a plus sign."""
    return _in_place_of(spot, (int, float), b"+1")


@breaks(JSON_RULE, family="syntax")
def bare_point(spot: Spot) -> Change:
    """A number that ends in its point."""
    return _in_place_of(spot, (int, float), b"1.")


@breaks(JSON_RULE, family="syntax")
def hexadecimal(spot: Spot) -> Change:
    """A number in hexadecimal."""
    return _in_place_of(spot, (int, float), b"0x10")


@breaks(JSON_RULE, family="syntax")
def capital_true(spot: Spot) -> Change:
    """The constant True, as Python writes it."""
    return _in_place_of(spot, bool, b"True")


@breaks(JSON_RULE, family="syntax")
def raw_newline(spot: Spot) -> Change:
    """A line break within a text."""
    return _in_place_of(spot, str, b'"a\nb"')


@breaks(JSON_RULE, family="syntax")
def bad_escape(spot: Spot) -> Change:
    """An escape that JSON does not have."""
    return _in_place_of(spot, str, rb'"\x41"')


@breaks(JSON_RULE, family="syntax")
def short_unicode_escape(spot: Spot) -> Change:
    """A Unicode escape of three digits."""
    return _in_place_of(spot, str, rb'"\u004"')


@breaks(JSON_RULE, family="syntax")
def many_brackets(spot: Spot) -> Change:
    """100,000 opening brackets."""
    return Rewrite(lambda body: b"[" * 100_000)


def _in_place_of(spot: Spot, kinds: type | tuple[type, ...], text: bytes) -> Change:
    """This text in place of the first member of the kind (of the first member, where there is none of it)."""
    names = [name for name, value in spot.present.items() if isinstance(value, kinds) and (kinds is bool or not isinstance(value, bool))]
    return Put({**spot.present, (names or list(spot.present))[0]: Fragment(text)})
