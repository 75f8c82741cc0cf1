"""The same service as `strict_fastapi`, with Flask. It uses the same models."""

from flask import Flask, request
from pydantic import ValidationError
from strict_fastapi import Offer

app = Flask(__name__)


@app.post("/offers")
def create() -> tuple[str, int]:
    try:
        Offer.model_validate_json(request.get_data())
    except ValidationError:
        return "", 422
    return "", 201
