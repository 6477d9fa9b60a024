"""Maps Arrow's types without parts, such as numbers, texts and times (leaves), to the type model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from serbench.imports.base import setting
from serbench.imports.columns import arrays
from serbench.imports.columns.arrays import Convert, plain
from serbench.imports.columns.library import arrow
from serbench.imports.json.settings import WantedValues
from serbench.model import types
from serbench.text import safe, shortened

_SCALARS: dict[str, types.Scalar] = {
    "bool": types.bool_,
    **{f"int{each.width * 8}": each for each in (types.i8, types.i16, types.i32, types.i64)},
    **{f"uint{each.width * 8}": each for each in (types.u8, types.u16, types.u32, types.u64)},
    "float": types.f32,
    "double": types.f64,
    **dict.fromkeys(("string", "large_string", "string_view"), types.string),
    **dict.fromkeys(("binary", "large_binary", "binary_view"), types.bytes_),
}
"""Arrow's name of a type → the scalar of the type model."""

_INTERVAL = (
    "that it is an interval of months, days and milliseconds: it becomes the bytes that it is stored as"
)

_UTC = ("UTC", "Etc/UTC", "+00:00", "Z")

_INT96 = (
    "INT96 does not say whether times are of UTC, and one before 1677 or after 2262 would be another: "
    "pyarrow counts nanoseconds in 64 bits"
)


@dataclass(frozen=True)
class MappedType:
    """A type of the type model that stands for one of Arrow's.

    Attributes:
        convert: makes its values from an array of Arrow that has no nulls.
        why: the reason for the type, if it was guessed, or a setting that gives another type; else empty.
        losses: the properties of Arrow's type that the type model does not have, in words.
    """

    type: types.Type
    convert: Convert
    why: str = ""
    losses: tuple[str, ...] = ()


def leaf(type: Any, path: str, told: str, most_bytes: int) -> MappedType | str:
    """Maps one of Arrow's types without parts to the type model; returns Arrow's type in words if the type
    model has nothing like it.

    Args:
        path: the path of the column, which errors and settings name.
        told: Parquet's own type of the column, such as ``ENUM`` or ``INT96``; empty for other formats.
        most_bytes: the greatest allowed length of values of a fixed length.
    """
    pa = arrow()
    name = str(type)
    if name in _SCALARS:
        return _scalar(_SCALARS[name], path, told)
    if pa.types.is_null(type):
        why = "all values are null"
        return MappedType(types.Optional(types.string), lambda array: [None] * len(array), why)
    if name == "halffloat":
        return MappedType(
            types.f32,
            plain,
            losses=("that it has 16 bits: it becomes f32, with the same values in twice the bytes",),
        )
    if pa.types.is_fixed_size_binary(type):
        size = type.byte_width
        losses = (_INTERVAL,) if told == "INTERVAL" else ()
        is_allowed = 1 <= size <= most_bytes
        return (
            MappedType(types.FixedBytes(size), plain, losses=losses)
            if is_allowed
            else f"a type of {size} bytes"
        )
    if name == "extension<arrow.uuid>":
        return MappedType(types.Logical("uuid", types.FixedBytes(16)), arrays.stored(plain))
    if pa.types.is_decimal(type):
        return _decimal(type, path)
    if pa.types.is_temporal(type):
        return _time(type, path, told)
    return f"the type {name[:100]}"


def _scalar(type: types.Scalar, path: str, told: str) -> MappedType:
    if type == types.bytes_ and told in ("ENUM", "JSON"):
        losses = () if told == "ENUM" else ("that it is JSON: it becomes text",)
        why = f"ENUM does not list its members; {setting(path, 'enum')} makes an enum of the texts found"
        return MappedType(types.string, arrays.texts(path), why if told == "ENUM" else "", losses)
    return MappedType(type, plain, losses=("that it is BSON: it becomes bytes",) if told == "BSON" else ())


def _decimal(type: Any, path: str) -> MappedType | str:
    """Maps a decimal to one over an integer if 64 bits hold it, as in Parquet, and else over as many bytes as
    its digits need."""
    precision, scale = type.precision, type.scale
    if precision <= 18:
        base: types.Scalar | types.FixedBytes = types.SCALARS["i32" if precision <= 9 else "i64"]
    else:
        base = types.FixedBytes(((10**precision - 1).bit_length() + 8) // 8)
    convert = arrays.decimals(base, precision, type.bit_width // 8, path)
    if 0 <= scale <= precision:
        return MappedType(types.Logical("decimal", base, precision=precision, scale=scale), convert)
    return MappedType(
        base,
        convert,
        losses=(
            f"that it is a decimal with {scale} digits after the point: it becomes the number without "
            "the point",
        ),
    )


def _time(type: Any, path: str, told: str) -> MappedType | str:
    pa = arrow()
    narrow, wide = arrays.viewed(pa.int32()), arrays.viewed(pa.int64())
    if pa.types.is_date32(type):
        return MappedType(types.Logical("date", types.i32), narrow)
    if pa.types.is_date64(type):
        return MappedType(types.Logical("date", types.i32), arrays.days(pa.int64(), path))
    if pa.types.is_time32(type):
        return MappedType(types.Logical("time", types.i32, type.unit), narrow)
    if pa.types.is_time64(type):
        return MappedType(types.Logical("time", types.i64, type.unit), wide)
    if pa.types.is_duration(type):
        return MappedType(types.Logical("duration", types.i64, type.unit), wide)
    if not pa.types.is_timestamp(type):
        return f"the type {type}"
    try:
        zone = type.tz
    except UnicodeDecodeError:
        return "a timestamp of a zone that is not valid UTF-8"
    if zone is None:
        losses = (_INT96,) if told == "INT96" else ()
        return MappedType(types.Logical("timestamp", types.i64, type.unit, zoned=False), wide, losses=losses)
    of_zone = f"the zone {shortened(safe(zone, lines=False), 50)}: times are in UTC, as stored"
    return MappedType(
        types.Logical("timestamp", types.i64, type.unit), wide, losses=() if zone in _UTC else (of_zone,)
    )


def as_wanted(type: types.Type, convert: Convert, wanted: WantedValues, path: str) -> MappedType | None:
    """Maps a column of type ``type`` to the type that a setting of the user wants; None if there is no way.
    That each value fits is checked when the value is written."""
    chosen = wanted.type
    if chosen is None or chosen == type:
        return MappedType(type, convert) if chosen == type else None
    if isinstance(chosen, types.Scalar) and isinstance(type, types.Scalar):
        if chosen.is_integer and type.is_integer:
            return MappedType(chosen, convert)
        if chosen.is_float and type.is_float:
            losses = ("numbers are rounded to single precision",) if chosen.name == "f32" else ()
            return MappedType(chosen, convert, losses=losses)
    if isinstance(chosen, types.Logical):
        if chosen.kind == "timestamp" and type == types.i64:
            return MappedType(chosen, convert)
        if chosen.kind == "uuid" and type == types.FixedBytes(16):
            return MappedType(types.Logical("uuid", types.FixedBytes(16)), convert)
        if chosen.kind == "uuid" and type == types.string:
            return MappedType(chosen, arrays.uuids(path, convert))
        if isinstance(type, types.Logical) and replace(chosen, base=type.base) == type:
            return MappedType(type, convert)
    return None
