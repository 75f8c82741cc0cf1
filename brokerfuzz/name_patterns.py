"""Matches names such as the IDs of rules with patterns, in which `*` stands for any characters.

The time is proportional to the length of the pattern times the length of the name, so patterns may come from files of
other people. A regular expression with `.*` for each star would try all ways to distribute the characters among the
stars.
"""

import re
from fnmatch import translate

HTTP_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
"""What HTTP allows as the name of a header or of a method."""


def name_pattern(text: str, *, question_marks: bool = False) -> re.Pattern[str]:
    """Compiles a pattern. `*` matches any characters. If `question_marks` is true, `?` matches one character."""
    literal = text.replace("[", "[[]")
    return re.compile(translate(literal if question_marks else literal.replace("?", "[?]")))
