"""Ad-tech log records: the data of saint1991/serialization-benchmark, as published or varied."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from serbench.model import Field, List, Map, Optional, Record, i32, string
from serbench.workload import Parameter, Workload

spot = Record("Spot", [Field("id", i32), Field("name", string)])
nobid = Record(
    "Nobid",
    [
        Field("adnw_id", i32),
        Field("app_name", string),
        Field("auction_id", string),
        Field("host", string),
        Field("logged_at", string),
        Field("m_id", i32),
        Field("nbr", i32),
        Field("page", Optional(string)),
        Field("res_time", i32),
        Field("spot", spot),
        Field("history", List(string)),
        Field("tags", Map(string, string)),
    ],
)

PUBLISHED = nobid(
    adnw_id=12345,
    app_name="sampleApp",
    auction_id="14241c7f-7db1-4bcd-a3f7-82885e08e7ec",
    host="prd-dsp03",
    logged_at="2017-06-30 09:07:37.677",
    m_id=234,
    nbr=6260,
    page="http://diamond.jp/articles/-/15434",
    res_time=4,
    spot=spot(2406, "Mie"),
    history=["a", "b", "c"],
    tags={"media": "facebook", "ssp": "google"},
)

APPS = ["sampleApp", "news reader", "天気予報", "Météo", "puzzle_quest", "maps, routes", "radio", "乗換案内"]
SPOTS = ["Mie", "Tōkyō", "大阪", "Hokkaidō", "Zürich", "São Paulo", "Kyoto", "名古屋", "London", "Reykjavík"]
DOMAINS = ["diamond.jp", "news.example", "shop.example", "blog.example", "日本語.example"]
TAGS = {
    "media": ["facebook", "twitter", "line", "web"],
    "ssp": ["google", "openx", "rubicon", "pubmatic"],
    "device": ["ios", "android", "pc"],
    "carrier": ["docomo", "au", "softbank", "wifi"],
    "campaign": ["summer_2017", "new year", "50% off", "再販"],
}


def generate(count: int, values: str, seed: int) -> Iterator[Any]:
    if values == "constant":
        yield from (PUBLISHED for _ in range(count))
        return
    draws = random.Random(seed)
    start = datetime(2017, 6, 30, 9, 7, 37, 677_000)
    for n in range(count):
        yield _varied(draws, start + timedelta(milliseconds=7 * n + draws.randrange(7)))


def _varied(draws: random.Random, logged_at: datetime) -> Any:
    domain = draws.choice(DOMAINS)
    page = f"http://{domain}/articles/-/{draws.randrange(1_000_000)}" if draws.random() < 0.8 else None
    if page and draws.random() < 0.3:
        page += f"?ref={draws.getrandbits(64):x}&lang={draws.choice(['ja', 'en', 'de'])}"
    history_length = min(int(draws.expovariate(1 / 4)), 40)
    tag_names = draws.sample(list(TAGS), draws.randrange(len(TAGS) + 1))
    return nobid(
        adnw_id=draws.randrange(100_000),
        app_name=draws.choice(APPS),
        auction_id=str(uuid.UUID(int=draws.getrandbits(128), version=4)),
        host=f"prd-dsp{draws.randrange(1, 65):02}",
        logged_at=logged_at.isoformat(sep=" ", timespec="milliseconds"),
        m_id=draws.randrange(5000),
        nbr=draws.choice([0, 1, 2, 8, 6260, draws.randrange(1 << 31), -1]),
        page=page,
        res_time=min(int(draws.lognormvariate(2.5, 1.0)), 10_000),
        spot=spot(draws.randrange(1 << 20), draws.choice(SPOTS)),
        history=[f"{draws.choice('abcdef')}{draws.randrange(10_000)}" for _ in range(history_length)],
        tags={name: draws.choice(TAGS[name]) for name in tag_names},
    )


workload = Workload(
    name="nobid",
    summary="100,000 log records of an ad exchange: short strings, an optional, a map",
    root=nobid,
    generate=generate,
    parameters=[
        Parameter("count", 100_000, "number of records, each a message of its own", least=1),
        Parameter("values", "varied", "all records equal as published, or realistic", ("varied", "constant")),
        Parameter("seed", 1, "seed of the varied values", least=0),
    ],
)
