"""Parts that are gone in FlatBuffers' schemas: fields keep their slots, and alternatives their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from serbench.idl.fbs_names import SCALARS
from serbench.model import Enum, FixedBytes, Gone, Optional, Record, Scalar, Union

if TYPE_CHECKING:
    from serbench.idl.fbs import Tables


def deprecated(tables: Tables, gone: Gone) -> list[str]:
    """The lines by which a table keeps the slot of a field that is gone, or the two slots of a union."""
    held = gone.type.item if isinstance(gone.type, Optional) else gone.type
    kind = [f"{gone.name}_type:ubyte (deprecated);"] if isinstance(held, Union) else []
    return [*kind, f"{gone.name}:{_kept(tables, held)} (deprecated);"]


def _kept(tables: Tables, type: Any) -> str:
    """The type in the schema of a field that is gone: one as which values in old messages can be read."""
    match type:
        case Enum(_, underlying):
            return SCALARS[underlying.name]
        case Scalar(name):
            return SCALARS[name]
        case Record() | Union() if not tables.is_struct(type):
            return nothing(tables)
        case Record() | FixedBytes():
            return "ubyte"  # a struct, whose bytes lie in the table
        case _:
            return "[ubyte]"


def nothing(tables: Tables) -> str:
    """The name of the table without fields that stands for the tables of parts that are gone."""
    name = "Gone"
    while name in {each.name for each in tables.lowered.named}:
        name += "Made"
    return name


def has_nothing(tables: Tables) -> bool:
    """Whether the schema has this table: for a gone alternative, or for a gone field that was a table."""
    gone = [(each, part) for each in tables.lowered.composites for part in each.gone if part.is_known]
    return any(
        isinstance(each, Union)
        or (not tables.is_struct(each) and f":{nothing(tables)} " in deprecated(tables, part)[-1])
        for each, part in gone
    )


def gone_zero(enum: Enum) -> Gone | None:
    """The member with the number 0 that is gone. It stays in the schema, so fields keep their default."""
    return next((each for each in enum.gone if each.is_known and each.number == 0), None)
