#!/usr/bin/env python3
"""Prints 1,000 made-up orders of a shop as JSON lines, to try serbench with:

python3 examples/orders.py > orders.jsonl
./serbench try orders.jsonl
"""

import json
import random
from typing import Any

TOWNS = ["Aarhus", "Berlin", "Gdańsk", "Graz", "Leeds", "Lyon", "Porto", "Turin"]
THINGS = ["basket", "bench", "candle", "chair", "clock", "desk", "lamp", "mirror", "shelf", "vase"]
STATUSES = ["open", "paid", "paid", "shipped", "shipped", "returned"]


def main() -> None:
    draws = random.Random(1)
    for number in range(1000):
        print(json.dumps(order(draws, number), ensure_ascii=False))


def order(draws: random.Random, number: int) -> dict[str, Any]:
    items = [item(draws) for _ in range(min(draws.randint(1, 9), draws.randint(1, 9)))]
    made: dict[str, Any] = {
        "id": 10_000_000 + 7 * number + draws.randrange(7),
        "created_at": timestamp(draws),
        "status": draws.choice(STATUSES),
        "customer": {
            "id": draws.randrange(10**6),
            "email": f"{draws.choice(THINGS)}{draws.randrange(1000)}@example.org",
            "newsletter": draws.random() < 0.4,
        },
        "ship_to": {
            "street": f"{draws.choice(THINGS).capitalize()} street {draws.randrange(200)}",
            "town": draws.choice(TOWNS),
            "postcode": f"{draws.randrange(10**5):05d}",
        },
        "items": items,
        "total": round(sum(each["price"] * each["quantity"] for each in items), 2),
    }
    if draws.random() < 0.2:
        made["coupon"] = f"SAVE{draws.choice([5, 10, 20])}"
    return made


def item(draws: random.Random) -> dict[str, Any]:
    return {
        "sku": f"{draws.choice(THINGS)}-{draws.randrange(10**5):05d}",
        "title": " ".join(draws.sample(THINGS, draws.randint(1, 4))).capitalize(),
        "quantity": min(draws.randint(1, 5), draws.randint(1, 5)),
        "price": round(draws.lognormvariate(3, 0.8), 2),
    }


def timestamp(draws: random.Random) -> str:
    day = f"2026-{draws.randint(1, 9):02d}-{draws.randint(1, 28):02d}"
    return f"{day}T{draws.randrange(24):02d}:{draws.randrange(60):02d}:{draws.randrange(60):02d}Z"


if __name__ == "__main__":
    main()
