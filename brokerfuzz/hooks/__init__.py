"""Hooks are functions of the user that brokerfuzz calls while it sends messages. The Python file given with `--hooks` defines one
or more of these functions:

    def authenticate() -> Mapping[str, str]                     headers for each request, such as a token
    def before_request(request: Request) -> Request             adds headers that depend on the request, such as a signature
    def classify(answer: Answer) -> AnswerKind | None           interprets an answer; None keeps the usual interpretation
    def after_answer(case: SentCase, answer: Answer) -> None    uses the answer, for example to delete what was created

brokerfuzz calls `authenticate` before the first message and after each status 401. After a status 401, the message is sent once
more, and the second answer counts. Hooks run one at a time in a separate thread, and each call has the same time limit as an answer
(`--timeout`). If a hook fails, the campaign stops with the outcome `partial`, because a failing hook says nothing about the target.

Hooks are code, so they come only from the command line or the configuration of the user, and never from a journal or a report.
"""

from brokerfuzz.hooks.requests import Request, SentCase
from brokerfuzz.targets.answers import Answer, AnswerKind

__all__ = ["Answer", "AnswerKind", "Request", "SentCase"]
