"""An offer service with pydantic in strict mode, or in its ordinary mode, as FastAPI uses it."""

from datetime import datetime

from pydantic import ConfigDict, ValidationError

from benchmarks.stacks.runner import LAX, main
from examples.services.strict_fastapi import Offer, Shape


def relax() -> None:
    """Lets all models convert values and ignore unknown properties, as models without a configuration do."""
    for shape in Shape.__subclasses__():
        shape.model_config |= ConfigDict(strict=False, extra="ignore", allow_inf_nan=True)
    for shape in Shape.__subclasses__():
        shape.model_rebuild(force=True)


if LAX:
    relax()


def accepts(body: bytes, now: datetime) -> bool:
    try:
        Offer.model_validate_json(body, context=now)
    except ValidationError:
        return False
    return True


if __name__ == "__main__":
    main(accepts)
