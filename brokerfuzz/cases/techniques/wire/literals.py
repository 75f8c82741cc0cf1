"""Slips in numbers, in true, false and null, and words that are none of them."""

from brokerfuzz.cases.techniques.wire.syntax_slips import at, boolean, number, slip, text

# ------------------------------------------------------------------------------------------------------- numbers

for _name, _words, _number in (
    ("leading-zero", "A number that begins with a zero.", "01"),
    ("negative-leading-zero", "A negative number that begins with a zero.", "-01"),
    ("leading-plus", "A number with a plus sign.", "+1"),
    ("two-plus-signs", "A number with two plus signs.", "++1"),
    ("two-minus-signs", "A number with two minus signs.", "--1"),
    ("plus-infinite", "Infinity with a plus sign, cut short.", "+Inf"),
    ("lone-minus", "A minus sign without a number.", "-"),
    ("minus-apart", "A blank between a minus sign and its number.", "- 1"),
    ("minus-word", "A minus sign before a word.", "-foo"),
    ("bare-point", "A number that ends in its point.", "1."),
    ("leading-point", "A number that begins with its point.", ".5"),
    ("negative-leading-point", "A negative number without a digit before its point.", "-.5"),
    ("point-before-minus", "A point before a minus sign.", ".-1"),
    ("point-and-exponent", "A number with an exponent that begins with its point.", ".2e-3"),
    ("point-before-exponent", "A number with an exponent behind its point.", "2.e3"),
    ("two-points", "A number with two points.", "0.1.2"),
    ("bare-exponent", "A number that ends in the letter of its exponent.", "1e"),
    ("bare-capital-exponent", "A number that ends in the capital letter of its exponent.", "0E"),
    ("bare-exponent-sign", "A number that ends in the sign of its exponent.", "1.0e+"),
    ("two-exponent-letters", "An exponent of two letters.", "1eE2"),
    ("two-exponent-signs", "An exponent of two signs.", "0e+-1"),
    ("exponent-with-point", "An exponent with a fraction.", "1e1.5"),
    ("letter-in-exponent", "A letter where the digits of an exponent belong.", "1ea"),
    ("hexadecimal", "A number in hexadecimal.", "0x10"),
    ("octal", "A number in octal.", "0o17"),
    ("binary", "A number in binary.", "0b11"),
    ("digits-apart", "A number with a blank between its thousands.", "1 000.0"),
    ("digits-underscored", "A number with an underscore between its thousands.", "1_000"),
    ("digits-with-apostrophe", "A number with an apostrophe between its thousands.", "1'000"),
    ("decimal-comma", "A number with a comma before its fraction.", "1,5"),
    ("full-width-digit", "A number of a full-width digit.", "１"),
    ("sum", "A sum in place of a number.", "1+2"),
    ("letter-behind-number", "A letter behind a number.", "-1x"),
    ("letter-in-number", "A letter within a number.", "1.2a-3"),
    ("letter-for-exponent", "Another letter where the one of an exponent belongs.", "1.8H-3"),
    ("big-integer-suffix", "The letter behind a number that makes it a big integer in JavaScript.", "1n"),
    ("double-suffix", "The letter behind a number that makes it a double in Java.", "1.5d"),
    ("currency-sign", "A number behind a dollar sign.", "$1.5"),
    ("nan-value", "A property whose value is NaN.", "NaN"),
    ("negative-nan", "A property whose value is -NaN.", "-NaN"),
    ("infinite-value", "A property whose value is -Infinity.", "-Infinity"),
    ("positive-infinite-value", "A property whose value is Infinity.", "Infinity"),
    ("infinite-cut-short", "A property whose value is Inf.", "Inf"),
    ("undefined-value", "A property whose value is undefined.", "undefined"),
    ("none-value", "A property whose value is None, as Python writes null.", "None"),
    ("nil-value", "A property whose value is nil, as Ruby and Go write null.", "nil"),
    ("capital-null", "The constant null in capitals.", "NULL"),
    ("null-cut-short", "The constant null without its last letter.", "nul"),
):
    slip(_name, _words, at(number, _number.encode()))

for _name, _words, _bytes in (
    ("broken-byte-behind-number", "A byte that is no UTF-8 behind a number.", b"1\xe5"),
    ("broken-byte-in-exponent", "A byte that is no UTF-8 where the digits of an exponent belong.", b"1e\xe5"),
    ("broken-byte-behind-exponent", "A byte that is no UTF-8 behind the digits of an exponent.", b"1e1\xe5"),
    ("nul-behind-number", "A NUL behind a number.", b"1\0"),
    ("escape-in-number", "A digit written as a Unicode escape.", rb"1\u0030"),
):
    slip(_name, _words, at(number, _bytes))

# ----------------------------------------------------------------------------------------------- words and others

for _name, _words, _change in (
    ("capital-true", "The constants True and False, as Python writes them.", bytes.capitalize),
    ("upper-case-true", "The constants true and false in capitals.", bytes.upper),
    ("boolean-cut-short", "The constants true and false without their last letter.", lambda token: token[:-1]),
    ("truth", "The word truth.", lambda token: b"truth"),
    ("yes", "The word yes, without quotes.", lambda token: b"yes"),
):
    slip(_name, _words, at(boolean, _change))

for _name, _words, _change in (
    ("unquoted-string", "A text without quotes.", lambda token: b"abc"),
    ("accented-unquoted-string", "A text of a letter beyond ASCII without quotes.", lambda token: "é".encode()),
    ("broken-unquoted-string", "A letter and a byte that is no UTF-8, without quotes.", lambda token: b"a\xe5"),
    ("constructed-string", "A text as the argument of a constructor.", lambda token: b"new String(" + token + b")"),
):
    slip(_name, _words, at(text, _change))
