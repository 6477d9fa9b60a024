"""Realistic nested data: the monsters of fraillt/cpp_serializers_benchmark, drawn exactly as published."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.drawing.draws import Draw, mt19937_from_seed_seq, to_f32
from serbench.model import Enum, Field, List, Record, f32, i16, string, u8
from serbench.workload import Parameter, Workload

color = Enum("Color", u8, ["Red", "Green", "Blue"])
vec3 = Record("Vec3", [Field("x", f32), Field("y", f32), Field("z", f32)])
weapon = Record("Weapon", [Field("name", string), Field("damage", i16)])
monster = Record(
    "Monster",
    [
        Field("pos", vec3),
        Field("mana", i16),
        Field("hp", i16),
        Field("name", string),
        Field("inventory", List(u8)),
        Field("color", color),
        Field("weapons", List(weapon)),
        Field("equipped", weapon),
        Field("path", List(vec3)),
    ],
)
monsters = Record("Monsters", [Field("monsters", List(monster))])


class _Recipe:
    """Makes the random draws of the published program in its order."""

    def __init__(self, draw: Draw):
        self.draw = draw

    def between(self, low: int, high: int) -> int:
        """A random number from ``low`` to ``high`` - 1: the published method never draws ``high`` itself."""
        span = high - low
        scale = 4294967295 // span
        while (drawn := self.draw()) >= scale * span:
            pass
        return drawn // scale + low

    def coordinate(self) -> float:
        """A random number from -1 to 1, rounded to single precision at every step."""
        return to_f32(to_f32(to_f32(to_f32(self.draw()) / to_f32(4294967295.0)) * 2.0) - 1.0)

    def length(self) -> int:
        return self.between(1, 10)

    def number(self) -> int:
        return self.between(0, 32767)

    def text(self) -> str:
        return "".join(chr(self.between(65, 90)) for _ in range(self.length()))

    def vec3(self) -> Any:
        return vec3(self.coordinate(), self.coordinate(), self.coordinate())

    def weapon(self) -> Any:
        damage = self.number()
        return weapon(name=self.text(), damage=damage)

    def monster(self) -> Any:
        name = self.text()
        pos = self.vec3()
        drawn_color = self.length() % 3
        hp = self.number() % 1000
        mana = self.number() % 500
        inventory = [self.length() for _ in range(self.length())]
        path = [self.vec3() for _ in range(self.length())]
        equipped = self.weapon()
        weapons = [self.weapon() for _ in range(self.length())]
        return monster(
            pos=pos,
            mana=mana,
            hp=hp,
            name=name,
            inventory=inventory,
            color=drawn_color,
            weapons=weapons,
            equipped=equipped,
            path=path,
        )


def generate(count: int) -> Iterator[Any]:
    recipe = _Recipe(mt19937_from_seed_seq([1, 2, 3]))
    yield monsters([recipe.monster() for _ in range(count)])


workload = Workload(
    name="monsters",
    summary="one list of nested game objects: vectors, enums, lists, short strings",
    root=monsters,
    generate=generate,
    default=True,
    parameters=[Parameter("count", 50, "number of monsters in the list", least=0)],
)
