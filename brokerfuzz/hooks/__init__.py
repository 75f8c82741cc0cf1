"""Hooks are functions that the user writes, and that brokerfuzz calls while it sends messages. The Python file given
with `--hooks` defines one or more of these functions:

| function | purpose |
|---|---|
| `authenticate() -> Mapping[str, str]` | returns headers for each request, such as a token |
| `before_request(request: Request) -> Request` | adds headers that depend on the request, such as a signature |
| `classify(answer: Answer) -> AnswerKind | None` | interprets an answer; None keeps the usual interpretation |
| `after_answer(case: SentCase, answer: Answer) -> None` | uses the answer |

The hook `authenticate` is called before the first message. If the target answers a message with status 401, brokerfuzz
calls `authenticate` again and sends the message once more. Then the second answer counts.

Hooks run one at a time in a separate thread. The time limit `--timeout` also applies to each call of a hook. If a hook
fails, the campaign stops with the outcome `partial`, because a failing hook says nothing about the target.

Hooks are code, so for security they come only from the command line or the user's configuration, and never from a
journal or a report.
"""

from brokerfuzz.hooks.hooks import SentCase
from brokerfuzz.targets.answers import Answer, AnswerKind
from brokerfuzz.targets.http_messages import Request

__all__ = ["Answer", "AnswerKind", "Request", "SentCase"]
