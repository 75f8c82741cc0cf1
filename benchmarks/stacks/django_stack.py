"""The offer service with Django REST framework from the examples. In the lax setting, it uses the fields of the
framework, which convert values of a wrong type. The import of the example configures Django.
"""

from datetime import datetime
from io import BytesIO

from benchmarks.stacks.runner import LAX, main
from examples.services import django_offers as example

# isort: split
from rest_framework.exceptions import APIException
from rest_framework.parsers import JSONParser

if LAX:
    for strict in (example.Text, example.Integer, example.Number, example.Flag, example.Choice, example.Shape):
        del strict.to_internal_value


def accepts(body: bytes, now: datetime) -> bool:
    try:
        return bool(example.Offer(data=JSONParser().parse(BytesIO(body)), context={"now": now}).is_valid())
    except (APIException, RecursionError):
        return False


if __name__ == "__main__":
    main(accepts)
