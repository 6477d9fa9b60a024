"""Spans as tracing systems send them: attributes of any type, events and links, in batches by resource and
scope.

The schema and the data are our own, and have what such messages have in common. A message is what an agent
sends at once: the spans of a few services, each with the resource that it runs on. Spans belong to traces,
which are trees. The attributes and events of a span follow from what it stands for (a request served, a call,
a query, a message, work inside), so that sizes and repetition are like those of real traffic: 100 to 2,000
bytes a span, keys that repeat, identifiers that never do.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from serbench.model import (
    Alternative,
    Enum,
    Field,
    FixedBytes,
    List,
    Optional,
    Record,
    Ref,
    Union,
    bool_,
    bytes_,
    f64,
    i32,
    i64,
    string,
    timestamp,
    u32,
)
from serbench.workload import Parameter, Workload

any_value = Union(
    "AnyValue",
    [
        Alternative("text", string),
        Alternative("flag", bool_),
        Alternative("integer", i64),
        Alternative("real", f64),
        Alternative("values", List(Ref("AnyValue"))),
        Alternative("fields", List(Ref("Attribute"))),
        Alternative("octets", bytes_),
        Alternative("nothing"),
    ],
)
attribute = Record("Attribute", [Field("key", string), Field("value", Ref("AnyValue"))])
event = Record(
    "Event",
    [
        Field("time", timestamp("ns")),
        Field("name", string),
        Field("attributes", List(attribute)),
        Field("dropped_attributes", u32),
    ],
)
link = Record(
    "Link",
    [
        Field("trace_id", FixedBytes(16)),
        Field("span_id", FixedBytes(8)),
        Field("trace_state", string),
        Field("attributes", List(attribute)),
        Field("flags", u32),
    ],
)
span_kind = Enum(
    "SpanKind", i32, ["unspecified", "internal", "server", "client", "producer", "consumer"], open=True
)
status_code = Enum("StatusCode", i32, ["unset", "ok", "failed"], open=True)
status = Record("Status", [Field("message", string), Field("code", status_code)])
span = Record(
    "Span",
    [
        Field("trace_id", FixedBytes(16)),
        Field("span_id", FixedBytes(8)),
        Field("parent_span_id", Optional(FixedBytes(8))),
        Field("trace_state", string),
        Field("name", string),
        Field("kind", span_kind),
        Field("start", timestamp("ns")),
        Field("end", timestamp("ns")),
        Field("attributes", List(attribute)),
        Field("dropped_attributes", u32),
        Field("events", List(event)),
        Field("links", List(link)),
        Field("status", Optional(status)),
        Field("flags", u32),
    ],
)
scope = Record(
    "Scope", [Field("name", string), Field("version", string), Field("attributes", List(attribute))]
)
scope_spans = Record(
    "ScopeSpans", [Field("scope", scope), Field("spans", List(span)), Field("schema_url", string)]
)
resource = Record("Resource", [Field("attributes", List(attribute)), Field("dropped_attributes", u32)])
resource_spans = Record("ResourceSpans", [Field("resource", resource), Field("scopes", List(scope_spans))])
telemetry = Record("Telemetry", [Field("resources", List(resource_spans))])

INTERNAL, SERVER, CLIENT, PRODUCER, CONSUMER = range(1, 6)
UNSET, OK, FAILED = range(3)

SCHEMA_URL = "https://schemas.example/1.26.0"
FIRST_MOMENT = 1_750_000_000_000_000_000
SERVICES = ("checkout", "cart", "catalogue", "payment", "shipping", "accounts")
ROUTES = (
    "/api/cart/{user_id}",
    "/api/products/{product_id}",
    "/api/checkout",
    "/api/users/{user_id}/orders",
    "/healthz",
)
QUERIES = (
    "SELECT id, name, price, currency, stock FROM products WHERE id = $1",
    "SELECT o.id, o.created_at, o.total, l.product_id, l.quantity FROM orders o JOIN "
    "order_lines l ON l.order_id = o.id WHERE o.user_id = $1 AND o.created_at > $2 ORDER BY "
    "o.created_at DESC LIMIT 50",
    "UPDATE carts SET updated_at = now(), lines = $2 WHERE user_id = $1",
    "INSERT INTO payments (id, order_id, amount, currency, provider, state) VALUES ($1, $2, $3, $4, $5, $6)",
)
AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, "
        "like Gecko) Mobile/15E148"
    ),
    "shop-android/7.31.0 (Android 15)",
)
TOPICS = ("orders.created", "payments.settled", "stock.changed")
TASKS = ("validate", "render", "price", "serialize", "cache lookup", "apply discounts")
FRAMES = ("handle", "dispatch", "execute", "invoke", "call", "doFilter", "intercept", "process")

_KIND_OF = {"text": str, "flag": bool, "integer": int, "real": float}


def _any(value: Any) -> Any:
    """A plain Python value as a value of the union ``AnyValue``."""
    match value:
        case None:
            return any_value("nothing")
        case bytes():
            return any_value("octets", value)
        case list():
            return any_value("values", [_any(each) for each in value])
        case dict():
            return any_value("fields", _attributes(value))
    return any_value(next(name for name, kind in _KIND_OF.items() if type(value) is kind), value)


def _attributes(values: dict[str, Any]) -> list[Any]:
    return [attribute(key, _any(value)) for key, value in values.items()]


@dataclass
class _Place:
    """The place of a span in its trace: its parent, and the time in which it lies."""

    trace: bytes
    parent: bytes | None
    start: int
    end: int


class _Traffic:
    def __init__(self, seed: int):
        self.draws = random.Random(seed)
        self.now = FIRST_MOMENT
        self.kinds: list[tuple[float, Callable[[], tuple[str, int, dict[str, Any]]]]] = [
            (0.25, self.call),
            (0.30, self.query),
            (0.10, self.message),
            (0.35, self.work),
        ]

    def message_of(self, spans: int) -> Any:
        """A message with this many spans, grouped by service."""
        of_service: dict[str, list[Any]] = {name: [] for name in SERVICES}
        left = spans
        while left:
            for service, each in self.trace(left):
                of_service[service].append(each)
                left -= 1
        return telemetry([self.by_resource(service, made) for service, made in of_service.items() if made])

    def by_resource(self, service: str, spans: list[Any]) -> Any:
        number = SERVICES.index(service)
        attributes = {
            "service.name": service,
            "service.version": f"2.{number}.{self.draws.randrange(40)}",
            "service.instance.id": str(self.hexadecimal(32)),
            "telemetry.sdk.language": ("go", "java", "python")[number % 3],
            "telemetry.sdk.version": "1.34.1",
            "host.name": f"node-{self.draws.randrange(64):02}",
            "host.cpu.count": 16,
            "container.id": self.hexadecimal(64),
            "k8s.pod.name": f"{service}-{self.hexadecimal(10)}-{self.hexadecimal(5)}",
            "k8s.namespace.name": "shop",
            "process.pid": self.draws.randrange(1, 40_000),
            "process.command_args": ["/usr/bin/" + service, "--config", "/etc/shop/config.yaml"],
        }
        cut = len(spans) * 2 // 3
        scopes = [("http", spans[:cut]), ("database", spans[cut:])]
        made = [
            scope_spans(scope(f"shop.example/instrumentation/{name}", "0.61.0", []), part, SCHEMA_URL)
            for name, part in scopes
            if part
        ]
        return resource_spans(resource(_attributes(attributes), 0), made)

    def trace(self, most: int) -> Iterator[tuple[str, Any]]:
        """The spans of one request, each with its service: a tree of at most ``most`` spans."""
        self.now += self.draws.randrange(50_000_000)
        length = int(self.draws.lognormvariate(17.5, 1.0))
        root = _Place(self.draws.randbytes(16), None, self.now, self.now + length)
        places, services = [root], [self.draws.choice(SERVICES)]
        for at in range(min(most, 1 + int(self.draws.expovariate(1 / 8)))):
            place, service = places[at], services[at]
            identifier = self.draws.randbytes(8)
            kind = self.served() if at == 0 or self.draws.random() < 0.15 else self.drawn()
            yield service, self.span(place, identifier, *kind)
            for _ in range(1 + self.draws.randrange(3)):
                start = self.draws.randrange(place.start, place.end + 1)
                end = self.draws.randrange(start, place.end + 1)
                places.append(_Place(place.trace, identifier, start, end))
                services.append(service if self.draws.random() < 0.7 else self.draws.choice(SERVICES))

    def span(self, place: _Place, identifier: bytes, name: str, kind: int, values: dict[str, Any]) -> Any:
        failed = self.draws.random() < 0.05
        state = "" if self.draws.random() < 0.8 else f"vendor=t61rcWkgMzE,rojo={self.hexadecimal(16)}"
        return span(
            trace_id=place.trace,
            span_id=identifier,
            parent_span_id=place.parent,
            trace_state=state,
            name=name,
            kind=kind,
            start=place.start,
            end=place.end,
            attributes=_attributes(values),
            dropped_attributes=0,
            events=[self.failure(place.end)] if failed else self.noted(place),
            links=[self.link()] if kind == CONSUMER or self.draws.random() < 0.02 else [],
            status=status("upstream did not answer within 2000 ms", FAILED) if failed else self.well(),
            flags=1,
        )

    def well(self) -> Any:
        return status("", OK) if self.draws.random() < 0.2 else None

    def drawn(self) -> tuple[str, int, dict[str, Any]]:
        left = self.draws.random()
        for share, make in self.kinds:
            left -= share
            if left < 0:
                return make()
        return self.work()

    def served(self) -> tuple[str, int, dict[str, Any]]:
        route, method = self.draws.choice(ROUTES), self.draws.choice(("GET", "GET", "GET", "POST", "PUT"))
        values: dict[str, Any] = {
            "http.request.method": method,
            "http.route": route,
            "url.path": route.replace("{user_id}", self.hexadecimal(12)).replace(
                "{product_id}", self.hexadecimal(10)
            ),
            "url.scheme": "https",
            "server.address": "shop.example",
            "server.port": 443,
            "client.address": ".".join(str(self.draws.randrange(256)) for _ in range(4)),
            "user_agent.original": self.draws.choice(AGENTS),
            "http.response.status_code": self.draws.choice((200, 200, 200, 200, 204, 304, 404, 500)),
            "http.response.body.size": int(self.draws.lognormvariate(7, 2)),
            "network.protocol.version": "2",
        }
        if self.draws.random() < 0.3:
            values["http.request.headers"] = {
                "accept": ["application/json"],
                "x-request-id": [self.hexadecimal(32)],
            }
        return f"{method} {route}", SERVER, values

    def call(self) -> tuple[str, int, dict[str, Any]]:
        service = self.draws.choice(SERVICES)
        values: dict[str, Any] = {
            "rpc.system": "grpc",
            "rpc.service": f"shop.{service}.v1.{service.capitalize()}",
            "rpc.method": "Get",
            "rpc.grpc.status_code": 0,
            "server.address": f"{service}.shop.svc",
            "server.port": 8443,
            "retried": self.draws.random() < 0.03,
        }
        return f"shop.{service}.v1.{service.capitalize()}/Get", CLIENT, values

    def query(self) -> tuple[str, int, dict[str, Any]]:
        text = self.draws.choice(QUERIES)
        verb = text.split()[0]
        values: dict[str, Any] = {
            "db.system.name": "postgresql",
            "db.namespace": "shop",
            "db.operation.name": verb,
            "db.query.text": text,
            "db.response.returned_rows": self.draws.randrange(50),
            "server.address": "db-0.shop.svc",
            "pool.waited_ms": round(self.draws.expovariate(1 / 3), 3),
        }
        if self.draws.random() < 0.4:
            values["db.query.parameters"] = [self.hexadecimal(12), self.draws.randrange(1000), None]
        return f"{verb} shop", CLIENT, values

    def message(self) -> tuple[str, int, dict[str, Any]]:
        topic, sends = self.draws.choice(TOPICS), self.draws.random() < 0.5
        values: dict[str, Any] = {
            "messaging.system": "kafka",
            "messaging.destination.name": topic,
            "messaging.destination.partition.id": str(self.draws.randrange(24)),
            "messaging.kafka.offset": self.draws.randrange(1 << 40),
            "messaging.message.body.size": int(self.draws.lognormvariate(6, 1)),
            "messaging.message.key": self.draws.randbytes(12),
        }
        return f"{'send' if sends else 'process'} {topic}", PRODUCER if sends else CONSUMER, values

    def work(self) -> tuple[str, int, dict[str, Any]]:
        values: dict[str, Any] = {
            "thread.id": self.draws.randrange(1, 200),
            "items": self.draws.randrange(100),
        }
        if self.draws.random() < 0.3:
            values["decision"] = {
                "rule": f"rule-{self.draws.randrange(400)}",
                "matched": self.draws.random() < 0.5,
                "scores": [round(self.draws.random(), 6) for _ in range(4)],
                "because": {"of": ["price", "stock"], "since": self.now // 1_000_000},
            }
        return self.draws.choice(TASKS), INTERNAL, values

    def noted(self, place: _Place) -> list[Any]:
        """The events of a span that ended well; most spans have none."""
        count = self.draws.choice((0, 0, 0, 0, 0, 0, 1, 2))
        times = sorted(self.draws.randrange(place.start, place.end + 1) for _ in range(count))
        return [
            event(time, "cache miss", _attributes({"cache.key": self.hexadecimal(16)}), 0) for time in times
        ]

    def failure(self, time: int) -> Any:
        frames = [self.frame() for _ in range(4 + self.draws.randrange(12))]
        values = {
            "exception.type": "java.net.SocketTimeoutException",
            "exception.message": "Read timed out",
            "exception.stacktrace": "\n".join(["java.net.SocketTimeoutException: Read timed out", *frames]),
            "exception.escaped": False,
        }
        return event(time, "exception", _attributes(values), 0)

    def frame(self) -> str:
        place = f"{self.draws.choice(SERVICES)}.{self.draws.choice(FRAMES)}"
        return f"  at example.shop.{place}(Handler.java:{self.draws.randrange(20, 900)})"

    def link(self) -> Any:
        return link(
            self.draws.randbytes(16), self.draws.randbytes(8), "", _attributes({"reason": "batch"}), 1
        )

    def hexadecimal(self, digits: int) -> str:
        return f"{self.draws.getrandbits(4 * digits):0{digits}x}"


def generate(spans: int, messages: int, seed: int) -> Iterator[Any]:
    traffic = _Traffic(seed)
    for _ in range(messages):
        yield traffic.message_of(spans)


workload = Workload(
    name="telemetry",
    summary="spans of a tracing system: attributes of any type, events, links",
    root=telemetry,
    also=[any_value],
    generate=generate,
    parameters=[
        Parameter("spans", 512, "spans in a message", least=0),
        Parameter("messages", 1, "messages", least=1),
        Parameter("seed", 1, "seed of the traffic", least=0),
    ],
)
