"""An offer broker with FastAPI and SQLite. The files in this folder configure a campaign against this broker.

The broker complies with the contract. It accepts only two products, demands a token and a signature, limits the rate,
and can delete offers.

    python -m examples.broker.service 8000
"""

import hmac
import os
import socket
import sqlite3
import sys
from secrets import token_hex
from time import monotonic
from typing import Any

import uvicorn
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse
from pydantic import ValidationError

from examples.services.strict_fastapi import Offer

KEY = os.environ.get("BROKER_KEY", "example key").encode()
TOKEN_LIFE = float(os.environ.get("BROKER_TOKEN_LIFE", "60"))
"""The number of seconds for which a token is valid."""
RATE = int(os.environ.get("BROKER_RATE", "500"))
"""The maximum number of requests per second."""
PRODUCTS = ("P-1", "P-2")

app = FastAPI(title="Example broker")
database = sqlite3.connect(":memory:", check_same_thread=False)
database.execute("CREATE TABLE products (id TEXT PRIMARY KEY)")
database.execute("CREATE TABLE offers (id INTEGER PRIMARY KEY, number TEXT NOT NULL, message BLOB NOT NULL)")
database.executemany("INSERT INTO products VALUES (?)", [(product,) for product in PRODUCTS])
tokens: dict[str, float] = {}
window = {"begun": 0.0, "requests": 0.0}


def envelope(status: int, data: Any = None, *failures: str) -> JSONResponse:
    messages = {"failureMessages": list(failures), "informationalMessages": []}
    return JSONResponse({"data": data, **messages, "operationWasSuccessful": not failures}, status)


@app.exception_handler(HTTPException)
async def failed(request: Request, problem: HTTPException) -> JSONResponse:
    response = envelope(problem.status_code, None, str(problem.detail))
    response.headers.update(problem.headers or {})
    return response


def check_rate() -> None:
    now = monotonic()
    if now - window["begun"] >= 1:
        window.update(begun=now, requests=0)
    window["requests"] += 1
    if window["requests"] > RATE:
        raise HTTPException(429, "too many requests", {"Retry-After": "1"})


async def check_caller(request: Request) -> bytes:
    """Raises an error if the token or the signature is wrong."""
    check_rate()
    token = request.headers.get("authorization", "").removeprefix("Bearer ")
    if tokens.get(token, 0) <= monotonic():
        raise HTTPException(401, "the token is unknown or has expired")
    body = await request.body()
    expected = hmac.new(KEY, request.method.encode() + b" " + body, "sha256").hexdigest()
    if not hmac.compare_digest(request.headers.get("x-signature", ""), expected):
        raise HTTPException(403, "the signature is wrong")
    return body


@app.post("/tokens")
async def create_token() -> JSONResponse:
    token = token_hex(16)
    tokens[token] = monotonic() + TOKEN_LIFE
    return JSONResponse({"token": token})


@app.post("/offers")
async def create_offer(request: Request) -> JSONResponse:
    body = await check_caller(request)
    try:
        offer = Offer.model_validate_json(body)
    except ValidationError as problem:
        return envelope(
            422,
            None,
            *(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in problem.errors(include_input=False)[:5]),
        )
    if (unknown := unknown_product(offer)) is not None:
        return envelope(422, None, f"{unknown}: the product does not exist")
    created = database.execute("INSERT INTO offers (number, message) VALUES (?, ?)", (offer.number, body))
    return envelope(201, {"id": created.lastrowid, "number": offer.number[:100]})


def unknown_product(offer: Offer) -> str | None:
    """Returns the place of the first product that is not in the database."""
    for at, cluster in enumerate(offer.product_clusters or ()):
        for inner, product in enumerate(cluster.products or ()):
            if database.execute("SELECT 1 FROM products WHERE id = ?", (product.product_id,)).fetchone() is None:
                return f"productClusters.{at}.products.{inner}.productId"
    return None


@app.delete("/offers/{offer}")
async def delete_offer(request: Request, offer: int) -> JSONResponse:
    await check_caller(request)
    deleted = database.execute("DELETE FROM offers WHERE id = ?", (offer,))
    return envelope(200) if deleted.rowcount else envelope(404, None, "the offer does not exist")


@app.get("/offers")
async def count_offers() -> JSONResponse:
    (count,) = database.execute("SELECT COUNT(*) FROM offers").fetchone()
    return envelope(200, {"count": count})


if __name__ == "__main__":
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", int(sys.argv[1])))
        print("listening", listener.getsockname()[1], flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listener])
