"""The updates that a game sends its players: ``mk48`` of djkoloski/rust_serialization_benchmark, drawn
exactly as published."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from serbench.drawing.draws import to_f32
from serbench.drawing.rand import Rand, pcg32, square_root_f32
from serbench.model import Array, Enum, Field, List, Optional, Record, bool_, f32, i8, i16, u8, u16, u32
from serbench.workload import Parameter, Workload

SHIPS = (  # name, how frequent, turrets, weapons
    ("ArleighBurke", 2.14, 1, 20),
    ("Bismarck", 0.52, 4, 10),
    ("Clemenceau", 0.97, 4, 16),
    ("Fletcher", 1.46, 4, 18),
    ("G5", 13.16, 0, 2),
    ("Iowa", 1.55, 3, 28),
    ("Kolkata", 0.83, 1, 15),
    ("Osa", 7.25, 2, 6),
    ("Yasen", 4.06, 0, 14),
    ("Zubr", 12.92, 3, 11),
)
SUBMARINE = 8

entity_type = Enum("EntityType", u8, [name for name, *_ in SHIPS])
transform = Record(
    "Transform",
    [
        Field("altitude", i8),
        Field("angle", u16),
        Field("position", Array(f32, 2)),
        Field("velocity", i16),
    ],
)
guidance = Record("Guidance", [Field("angle", u16), Field("submerge", bool_), Field("velocity", i16)])
contact = Record(
    "Contact",
    [
        Field("damage", u8),
        Field("entity_id", u32),
        Field("entity_type", Optional(entity_type)),
        Field("guidance", guidance),
        Field("player_id", Optional(u16)),
        Field("reloads", List(bool_)),
        Field("transform", transform),
        Field("turret_angles", List(u16)),
    ],
)
terrain_update = Record("TerrainUpdate", [Field("chunk_id", Array(i8, 2)), Field("data", List(u8))])
update = Record(
    "Update",
    [
        Field("contacts", List(contact)),
        Field("score", u32),
        Field("world_radius", f32),
        Field("terrain_updates", List(terrain_update)),
    ],
)
updates = Record("Updates", [Field("updates", List(update))])


class _Recipe:
    """Makes the random draws of the published program in its order."""

    def __init__(self, rand: Rand):
        self.rand = rand

    def update(self) -> Any:
        rand = self.rand
        players = rand.in_range(200, 400)
        radius = to_f32(square_root_f32(to_f32(players * 15000.0)) + rand.f32_in(-50.0, 50.0))
        chunks = math.ceil(to_f32(radius / 1600.0))
        contacts = [self.contact(players) for _ in range(rand.in_range(20, 40))]
        squared = to_f32(rand.f32() ** 2)
        score = int(to_f32(to_f32(squared * squared) * 5000.0)) + rand.in_range(0, 50)
        terrain = [self.terrain_update(chunks) for _ in range(rand.in_range(3, 10))]
        return update(contacts, score, radius, terrain)

    def contact(self, players: int) -> Any:
        rand = self.rand
        ship = rand.weighted([frequency for _, frequency, *_ in SHIPS])
        _, _, turrets, weapons = SHIPS[ship]
        is_visible = rand.happens(0.7)
        return contact(
            damage=0 if is_visible and rand.happens(0.6) else rand.short_in(0, 200),
            entity_id=rand.in_range(0, players * 20),
            entity_type=ship if is_visible else None,
            guidance=guidance(rand.u16(), self.submerges(ship), self.velocity()),
            player_id=rand.short_in(0, players) if is_visible else None,
            reloads=self.reloads(weapons) if is_visible else [],
            transform=self.transform(ship),
            turret_angles=self.angles(turrets) if is_visible else [],
        )

    def submerges(self, ship: int) -> bool:
        return ship == SUBMARINE and self.rand.happens(0.9)

    def velocity(self) -> int:
        kind = self.rand.in_range(0, 100)
        if kind < 80:
            return self.rand.short_in(140, 900)
        return 0 if kind < 90 else self.rand.short_in(-225, -35)

    def reloads(self, weapons: int) -> list[bool]:
        probability = self.rand.f64_in(0.0, 1.0)
        return [self.rand.happens(probability) for _ in range(weapons)]

    def transform(self, ship: int) -> Any:
        return transform(
            altitude=self.rand.short_in(-120, -35) if self.submerges(ship) else 0,
            angle=self.rand.u16(),
            position=[self.rand.f32_in(-750.0, 750.0), self.rand.f32_in(-750.0, 750.0)],
            velocity=self.velocity(),
        )

    def angles(self, turrets: int) -> list[int]:
        base = self.rand.u16()
        return [
            base + self.rand.short_in(-200, 200) & 0xFFFF if self.rand.happens(0.75) else self.rand.u16()
            for _ in range(turrets)
        ]

    def terrain_update(self, chunks: int) -> Any:
        is_new = self.rand.happens(0.02)
        chunk = [self.rand.short_in(-chunks, chunks), self.rand.short_in(-chunks, chunks)]
        length = self.rand.size_in(900, 1100) if is_new else self.rand.size_in(3, 9)
        return terrain_update(chunk, [self.rand.u8() for _ in range(length)])


def generate(count: int) -> Iterator[Any]:
    rand = Rand(pcg32(3141592653, 5897932384))
    recipe = _Recipe(rand)
    yield updates([recipe.update() for _ in range(rand.size_in(count, count + 1))])


workload = Workload(
    name="mk48",
    summary="one list of a game's updates: small integers, flags and optionals in records",
    root=updates,
    generate=generate,
    parameters=[Parameter("count", 1000, "number of updates in the list", least=1)],
)
