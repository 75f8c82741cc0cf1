"""A consumer of product lists: counts the products by status, adds their weights, and finds the latest update."""

from collections import Counter
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel


class Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, alias_generator=to_camel)


class Record(Shape):
    product_id: str
    product_number: str
    product_type: str
    status: str
    last_update_date_time_utc: str
    billing_entity_id: str | None = None
    product_description: str | None = None
    product_owner: str | None = None
    unit_of_measure: str | None = None
    weight: float | None = None


class ProductList(Shape):
    data: list[Record] | None
    failure_messages: list[str]
    informational_messages: list[str]
    operation_was_successful: bool


def summary(body: bytes, now: datetime) -> Any:
    try:
        answer = ProductList.model_validate_json(body)
    except ValidationError:
        return None
    records = answer.data or []
    return {
        "successful": answer.operation_was_successful,
        "failures": len(answer.failure_messages),
        "products": len(records),
        "by status": dict(Counter(record.status for record in records)),
        "weight": sum(record.weight for record in records if record.weight is not None),
        "without weight": sum(record.weight is None for record in records),
        "latest": max((updated(record) for record in records), default=None),
        "labels": [label(record) for record in records],
    }


def updated(record: Record) -> str:
    """Returns an empty string if Python cannot read the time. This is not an error, because the contract states no format for times."""
    try:
        moment = datetime.fromisoformat(record.last_update_date_time_utc)
    except ValueError:
        return ""
    return moment.isoformat()


def label(record: Record) -> str:
    return f"{record.product_id} {record.product_number} {record.product_description or ''}"
