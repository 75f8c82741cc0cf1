"""An offer service with pydantic in strict mode."""

from datetime import datetime

from pydantic import ValidationError

from benchmarks.stacks.runner import main
from examples.broker.offer import Offer


def accepts(body: bytes, now: datetime) -> bool:
    try:
        Offer.model_validate_json(body, context=now)
    except ValidationError:
        return False
    return True


if __name__ == "__main__":
    main(accepts)
