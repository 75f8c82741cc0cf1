"""Explains why a campaign ended before its first case: the target accepted none of the plain messages.

If the path is wrong, or if credentials or known IDs are missing, the target rejects every message. Then the cases would
say nothing about the target, and would be reported as hundreds of findings with the same cause.
"""

from collections.abc import Iterator, Sequence

from brokerfuzz.campaign.named_properties import named_words
from brokerfuzz.campaign.outcome import Stop
from brokerfuzz.campaign.target_health import FirstContact
from brokerfuzz.cases.case import Case
from brokerfuzz.json_trees import Number, sites, tree_of
from brokerfuzz.targets import Answer, Target
from brokerfuzz.wording import counted, listed, printable, readable

_LONGEST = 300
_MOST_ANSWERS = 3
_MOST_SITES = 3
_REMEDIES = {
    401: "the target requires credentials: provide them with -H 'Authorization: ...' or in the URL",
    403: "these credentials give no access: provide other credentials with -H 'Authorization: ...'",
    404: "nothing exists at this path: correct the path of the URL (the contract does not define a path)",
    405: "the target does not support {method} at this path: use another method with --method",
    407: "a proxy requires credentials: specify --proxy http://USER:PASSWORD@HOST:PORT",
    409: "the target may already know the number of this offer: --fresh number sends a new number in each message",
    415: "the target does not support {content_type}: use another type with -H 'Content-Type: ...'",
}
_ANYTHING = (
    "the target may require a header (-H) or another path, know only certain IDs (--values FILE), require a "
    "new number in each message "
    "(--fresh number), or use other statuses than brokerfuzz expects (--accept, --reject)"
)


def refusal(contact: FirstContact, target: Target) -> Stop:
    """Returns the reason why no case is sent, with the plain messages, the answers, and the option that probably
    helps.
    """
    different = _different(contact)
    reasons = listed([printable(answer.reason, _LONGEST) for _, answer in different[:_MOST_ANSWERS]], "or")
    reason = f"the target accepted none of {counted(len(contact.refused), 'plain valid message')}: {reasons}"
    specific = (advice for _, answer in different if (advice := _specific_advice(answer, target)))
    advice = next(specific, None) or _advice_for_values(contact) or _general_advice(target)
    return Stop(reason, "contact", "\n".join(_lines(different)), advice)


def _different(contact: FirstContact) -> list[tuple[Case, Answer]]:
    """Returns each different answer once, with the shortest message that was answered in this way."""
    by_answer: dict[tuple[str, bytes], tuple[Case, Answer]] = {}
    for case, answer in sorted(contact.refused, key=lambda pair: len(pair[0].body)):
        by_answer.setdefault((answer.reason, answer.body), (case, answer))
    return list(by_answer.values())


def _lines(different: Sequence[tuple[Case, Answer]]) -> Iterator[str]:
    for case, answer in different[:_MOST_ANSWERS]:
        yield f"sent:     {readable(case.body, _LONGEST)}"
        yield f"answered: {_described(answer)}"
    yield "No case was sent. To send the cases all the same, use --no-preflight (in Python: preflight=False)."


def _described(answer: Answer) -> str:
    said = f"{answer.kind} ({printable(answer.reason, _LONGEST)})"
    return f"{said}: {readable(answer.body, _LONGEST)}" if answer.body and answer.status is not None else said


def _specific_advice(answer: Answer, target: Target) -> str | None:
    if answer.kind == "rejected":
        return _remedy(target, answer)
    if answer.kind == "crashed" and answer.status is not None:
        return (
            _remedy(target, answer)
            or "the target fails on ordinary messages: read its log, or check that it is the right service"
        )
    return advice_for_program(target) or ("allow more time with --timeout" if answer.kind == "timeout" else None)


def _general_advice(target: Target) -> str:
    program = advice_for_program(target)
    return _ANYTHING if program is None else f"{program}; if it knows only certain IDs, list them with --values FILE"


def advice_for_program(target: Target) -> str | None:
    """Returns advice if the target is a program or a function, else None."""
    return target.advice


def _remedy(target: Target, answer: Answer) -> str | None:
    """Returns advice for a status that concerns the request and not the message, unless `--accept` or `--reject` lists
    this status.
    """
    status, rules = answer.status or 0, target.rules
    if rules.has_code(status):
        return None
    if status // 100 == 3:
        place = "the URL of its destination" if answer.location is None else "that URL"
        to = "" if answer.location is None else f" to {answer.location}"
        return f"a redirect{to}, which brokerfuzz does not follow: use {place}"
    headers = {name.lower(): value for name, value in target.headers}
    given = dict(target.about["request"]["headers"]) if target.is_http else headers
    if status == 401 and ("authorization" in headers or "authorization" in given):
        return "the target does not accept these credentials: provide other credentials with -H 'Authorization: ...'"
    content_type = headers.get("content-type", "")
    return _REMEDIES.get(status, "").format(method=target.method, content_type=content_type) or None


def _advice_for_values(contact: FirstContact) -> str | None:
    """Returns advice if an answer names a property of its message, because the target may not know the value of this
    property.
    """
    for case, answer in contact.refused:
        names = named_words(answer.body) | named_words(answer.reason.encode(errors="replace"))
        values = [site for site, value in sites(tree_of(case.body)) if isinstance(value, str | Number)]
        named = sorted({site for site in values if site.removesuffix("[]").rpartition(".")[2].lower() in names})
        if named and answer.kind == "rejected":
            return (
                f"the answer names {listed(named[:_MOST_SITES])}: if the target knows only certain values, list "
                "them with --values FILE"
            )
    return None
