"""Converts the options of a campaign to the options of targets."""

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from brokerfuzz.config import substituted
from brokerfuzz.errors import TargetError
from brokerfuzz.targets import AnswerRules
from brokerfuzz.targets.secret_masking import of_environment
from brokerfuzz.targets.trace_headers import new_campaign_id, trace_headers

Replaced = Callable[[str, str], str]


def http_options(
    options: Mapping[str, Any], url: str | None, campaign_id: str = "", *, replaced: Replaced = substituted
) -> dict[str, Any]:
    """Returns the options of an HTTP target. Each request contains `campaign_id` (empty: a new ID). `replaced` replaces
    the environment variables in headers. Its second argument is the name of the setting.
    """
    return {
        "headers": [
            *((name, replaced(value, f"the header {name}")) for name, value in options["headers"]),
            *_credentials(options, url, replaced),
        ],
        "rules": AnswerRules(accept=options["accept"], reject=options["reject"]),
        "trace": trace_headers(options["trace_headers"], campaign_id or new_campaign_id()),
        "secrets": of_environment(options["secrets"]),
        **{
            name: options[name]
            for name in ("method", "timeout", "longest_wait", "insecure", "ca", "cert", "key", "proxy")
        },
    }


def _credentials(options: Mapping[str, Any], url: str | None, replaced: Replaced) -> Iterator[tuple[str, str]]:
    """Yields the header `Authorization` with the user and the password of `--auth`."""
    if options["auth"] is None:
        return
    if any(name.lower() == "authorization" for name, _ in options["headers"]) or (
        url is not None and urlsplit(url).username is not None
    ):
        raise TargetError(
            "the credentials are specified twice: use only one of --auth, -H 'Authorization: ...' and a user in the URL"
        )
    user_and_password = replaced(options["auth"], "--auth")
    if ":" not in user_and_password:
        raise TargetError("--auth has no password: write USER:PASSWORD")
    yield "Authorization", f"Basic {b64encode(user_and_password.encode()).decode()}"
