"""A game's saved players: ``minecraft_savedata`` of djkoloski/rust_serialization_benchmark, drawn exactly as
published."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from serbench.drawing.rand import Rand, pcg32
from serbench.model import (
    Array,
    Enum,
    Field,
    List,
    Optional,
    Record,
    bool_,
    f32,
    f64,
    i8,
    i32,
    i64,
    string,
    u8,
    u16,
    u32,
)
from serbench.workload import Parameter, Workload

MODES = ("Survival", "Creative", "Adventure", "Spectator")
ITEMS = ("dirt", "stone", "pickaxe", "sand", "gravel", "shovel", "chestplate", "steak")
ANIMALS = ("cow", "sheep", "zombie", "skeleton", "spider", "creeper", "parrot", "bee")
NAMES = ("rainbow", "princess", "steve", "johnny", "missy", "coward", "fairy", "howard")
RECIPES = ("pickaxe", "torch", "bow", "crafting table", "furnace", "shears", "arrow", "tnt")
DIMENSIONS = ("overworld", "nether", "end")
SETTINGS = (
    *("is_filtering_craftable", "is_gui_open"),
    *("is_furnace_filtering_craftable", "is_furnace_gui_open"),
    *("is_blasting_furnace_filtering_craftable", "is_blasting_furnace_gui_open"),
    *("is_smoker_filtering_craftable", "is_smoker_gui_open"),
)
ABILITIES = ("may_fly", "flying", "invulnerable", "may_build", "instabuild")

game_type = Enum("GameType", u8, MODES)
item = Record("Item", [Field("count", i8), Field("slot", u8), Field("id", string)])
abilities = Record(
    "Abilities",
    [Field("walk_speed", f32), Field("fly_speed", f32), *(Field(name, bool_) for name in ABILITIES)],
)
point = Array(f64, 3)
uuid = Array(u32, 4)
entity = Record(
    "Entity",
    [
        Field("id", string),
        Field("pos", point),
        Field("motion", point),
        Field("rotation", Array(f32, 2)),
        Field("fall_distance", f32),
        Field("fire", u16),
        Field("air", u16),
        Field("on_ground", bool_),
        Field("no_gravity", bool_),
        Field("invulnerable", bool_),
        Field("portal_cooldown", i32),
        Field("uuid", uuid),
        Field("custom_name", Optional(string)),
        Field("custom_name_visible", bool_),
        Field("silent", bool_),
        Field("glowing", bool_),
    ],
)
recipe_book = Record(
    "RecipeBook",
    [
        Field("recipes", List(string)),
        Field("to_be_displayed", List(string)),
        *(Field(name, bool_) for name in SETTINGS),
    ],
)
# A pair there; a record here, whose fields are named in formats that name fields.
vehicle = Record("Vehicle", [Field("uuid", uuid), Field("entity", entity)])
player = Record(
    "Player",
    [
        Field("game_type", game_type),
        Field("previous_game_type", game_type),
        Field("score", i64),
        Field("dimension", string),
        Field("selected_item_slot", u32),
        Field("selected_item", item),
        Field("spawn_dimension", Optional(string)),
        Field("spawn_x", i64),
        Field("spawn_y", i64),
        Field("spawn_z", i64),
        Field("spawn_forced", Optional(bool_)),
        Field("sleep_timer", u16),
        Field("food_exhaustion_level", f32),
        Field("food_saturation_level", f32),
        Field("food_tick_timer", u32),
        Field("xp_level", u32),
        Field("xp_p", f32),
        Field("xp_total", i32),
        Field("xp_seed", i32),
        Field("inventory", List(item)),
        Field("ender_items", List(item)),
        Field("abilities", abilities),
        Field("entered_nether_position", Optional(point)),
        Field("root_vehicle", Optional(vehicle)),
        Field("shoulder_entity_left", Optional(entity)),
        Field("shoulder_entity_right", Optional(entity)),
        Field("seen_credits", bool_),
        Field("recipe_book", recipe_book),
    ],
)
players = Record("Players", [Field("players", List(player))])


class _Recipe:
    """Makes the random draws of the published program in its order, which is the order of the fields."""

    def __init__(self, rand: Rand):
        self.rand = rand

    def perhaps(self, draw: Callable[[], Any]) -> Any:
        return draw() if self.rand.happens() else None

    def up_to(self, least_not: int, draw: Callable[[], Any]) -> list[Any]:
        return [draw() for _ in range(self.rand.size_in(0, least_not))]

    def flags(self, names: tuple[str, ...]) -> list[bool]:
        return [self.rand.happens() for _ in names]

    def point(self) -> list[float]:
        return [self.rand.f64() for _ in range(3)]

    def uuid(self) -> list[int]:
        return [self.rand.u32() for _ in range(4)]

    def dimension(self) -> str:
        return self.rand.one_of(DIMENSIONS)

    def item(self) -> Any:
        return item(self.rand.i8(), self.rand.u8(), self.rand.one_of(ITEMS))

    def abilities(self) -> Any:
        return abilities(self.rand.f32(), self.rand.f32(), *self.flags(ABILITIES))

    def entity(self) -> Any:
        rand = self.rand
        return entity(
            id=rand.one_of(ANIMALS),
            pos=self.point(),
            motion=self.point(),
            rotation=[rand.f32(), rand.f32()],
            fall_distance=rand.f32(),
            fire=rand.u16(),
            air=rand.u16(),
            on_ground=rand.happens(),
            no_gravity=rand.happens(),
            invulnerable=rand.happens(),
            portal_cooldown=rand.i32(),
            uuid=self.uuid(),
            custom_name=self.perhaps(lambda: rand.one_of(NAMES)),
            custom_name_visible=rand.happens(),
            silent=rand.happens(),
            glowing=rand.happens(),
        )

    def vehicle(self) -> Any:
        return vehicle(self.uuid(), self.entity())

    def recipe_book(self) -> Any:
        lists = [self.up_to(most, lambda: self.rand.one_of(RECIPES)) for most in (30, 10)]
        return recipe_book(*lists, *self.flags(SETTINGS))

    def player(self) -> Any:
        rand = self.rand
        return player(
            game_type=rand.in_range(0, len(MODES)),
            previous_game_type=rand.in_range(0, len(MODES)),
            score=rand.i64(),
            dimension=self.dimension(),
            selected_item_slot=rand.u32(),
            selected_item=self.item(),
            spawn_dimension=self.perhaps(self.dimension),
            spawn_x=rand.i64(),
            spawn_y=rand.i64(),
            spawn_z=rand.i64(),
            spawn_forced=self.perhaps(rand.happens),
            sleep_timer=rand.u16(),
            food_exhaustion_level=rand.f32(),
            food_saturation_level=rand.f32(),
            food_tick_timer=rand.u32(),
            xp_level=rand.u32(),
            xp_p=rand.f32(),
            xp_total=rand.i32(),
            xp_seed=rand.i32(),
            inventory=self.up_to(40, self.item),
            ender_items=self.up_to(27, self.item),
            abilities=self.abilities(),
            entered_nether_position=self.perhaps(self.point),
            root_vehicle=self.perhaps(self.vehicle),
            shoulder_entity_left=self.perhaps(self.entity),
            shoulder_entity_right=self.perhaps(self.entity),
            seen_credits=rand.happens(),
            recipe_book=self.recipe_book(),
        )


def generate(count: int) -> Iterator[Any]:
    rand = Rand(pcg32(3141592653, 5897932384))
    recipe = _Recipe(rand)
    yield players([recipe.player() for _ in range(rand.size_in(count, count + 1))])


workload = Workload(
    name="minecraft_savedata",
    summary="one list of a game's saved players: wide records, nested optionals, short strings",
    root=players,
    generate=generate,
    parameters=[Parameter("count", 500, "number of players in the list", least=1)],
)
