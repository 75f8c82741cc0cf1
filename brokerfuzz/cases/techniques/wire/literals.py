"""Defines syntax errors in numbers and in true, false and null."""

from brokerfuzz.cases.techniques.wire.syntax_slips import at, boolean, number, slip, string

# ------------------------------------------------------------------------------------------------------- numbers

for _name, _words, _number in (
    ("leading-zero", "A number with a leading zero.", "01"),
    ("negative-leading-zero", "A negative number with a leading zero.", "-01"),
    ("leading-plus", "A number with a plus sign.", "+1"),
    ("two-plus-signs", "A number with two plus signs.", "++1"),
    ("two-minus-signs", "A number with two minus signs.", "--1"),
    ("plus-infinite", "The word Inf with a plus sign.", "+Inf"),
    ("lone-minus", "A minus sign without a number.", "-"),
    ("minus-apart", "A space between the minus sign and the number.", "- 1"),
    ("minus-word", "A minus sign before a word.", "-foo"),
    ("bare-point", "A number that ends with the decimal point.", "1."),
    ("leading-point", "A number that begins with the decimal point.", ".5"),
    ("negative-leading-point", "A negative number without a digit before the decimal point.", "-.5"),
    ("point-before-minus", "A decimal point before the minus sign.", ".-1"),
    ("point-and-exponent", "A number that begins with the decimal point and has an exponent.", ".2e-3"),
    ("point-before-exponent", "A decimal point directly before the exponent.", "2.e3"),
    ("two-points", "A number with two decimal points.", "0.1.2"),
    ("bare-exponent", "A number that ends with the exponent letter e.", "1e"),
    ("bare-capital-exponent", "A number that ends with the exponent letter E.", "0E"),
    ("bare-exponent-sign", "A number that ends with the sign of its exponent.", "1.0e+"),
    ("two-exponent-letters", "An exponent with two letters.", "1eE2"),
    ("two-exponent-signs", "An exponent with two signs.", "0e+-1"),
    ("exponent-with-point", "An exponent with a fraction.", "1e1.5"),
    ("letter-in-exponent", "A letter among the digits of an exponent.", "1ea"),
    ("hexadecimal", "A hexadecimal number.", "0x10"),
    ("octal", "An octal number.", "0o17"),
    ("binary", "A binary number.", "0b11"),
    ("digits-apart", "A number with a space as the thousands separator.", "1 000.0"),
    ("digits-underscored", "A number with an underscore as the thousands separator.", "1_000"),
    ("digits-with-apostrophe", "A number with an apostrophe as the thousands separator.", "1'000"),
    ("decimal-comma", "A number with a decimal comma.", "1,5"),
    ("full-width-digit", "A number written with a full-width digit.", "１"),
    ("sum", "A sum instead of a number.", "1+2"),
    ("letter-behind-number", "A number, followed by a letter.", "-1x"),
    ("letter-in-number", "A letter inside a number.", "1.2a-3"),
    ("letter-for-exponent", "A number with H instead of the exponent letter.", "1.8H-3"),
    ("big-integer-suffix", "A number with the suffix n, a JavaScript big integer.", "1n"),
    ("double-suffix", "A number with the suffix d, a Java double.", "1.5d"),
    ("currency-sign", "A number with a dollar sign before it.", "$1.5"),
    ("nan-value", "The word NaN instead of a number.", "NaN"),
    ("negative-nan", "The word -NaN instead of a number.", "-NaN"),
    ("infinite-value", "The word -Infinity instead of a number.", "-Infinity"),
    ("positive-infinite-value", "The word Infinity instead of a number.", "Infinity"),
    ("infinite-cut-short", "The word Inf instead of a number.", "Inf"),
    ("undefined-value", "The word undefined instead of a number.", "undefined"),
    ("none-value", "The word None (null in Python) instead of a number.", "None"),
    ("nil-value", "The word nil (null in Ruby and Go) instead of a number.", "nil"),
    ("capital-null", "The word null in upper case.", "NULL"),
    ("null-cut-short", "The word null without its last letter.", "nul"),
):
    slip(_name, _words, at(number, _number.encode()))

for _name, _words, _bytes in (
    ("broken-byte-behind-number", "A number, followed by a byte that is not valid UTF-8.", b"1\xe5"),
    ("broken-byte-in-exponent", "An exponent with a byte that is not valid UTF-8 instead of its digits.", b"1e\xe5"),
    ("broken-byte-behind-exponent", "An exponent, followed by a byte that is not valid UTF-8.", b"1e1\xe5"),
    ("nul-behind-number", "A number, followed by a NUL byte.", b"1\0"),
    ("escape-in-number", "A number with one digit written as a Unicode escape.", rb"1\u0030"),
):
    slip(_name, _words, at(number, _bytes))

# ---------------------------------------------------------------------------------------------------------- words

for _name, _words, _change in (
    ("capital-true", "The word true or false with a capital first letter, as in Python.", bytes.capitalize),
    ("upper-case-true", "The word true or false in upper case.", bytes.upper),
    ("boolean-cut-short", "The word true or false without its last letter.", lambda token: token[:-1]),
    ("truth", "The word truth instead of a boolean.", lambda token: b"truth"),
    ("yes", "The word yes without quotes instead of a boolean.", lambda token: b"yes"),
):
    slip(_name, _words, at(boolean, _change))

for _name, _words, _change in (
    ("unquoted-string", "A string without quotes.", lambda token: b"abc"),
    (
        "accented-unquoted-string",
        "A string without quotes that contains a non-ASCII letter.",
        lambda token: "é".encode(),
    ),
    (
        "broken-unquoted-string",
        "A string without quotes that contains a byte that is not valid UTF-8.",
        lambda token: b"a\xe5",
    ),
    (
        "constructed-string",
        "A string as the argument of a constructor, as in JavaScript.",
        lambda token: b"new String(" + token + b")",
    ),
):
    slip(_name, _words, at(string, _change))
