"""The words of FlatBuffers' schemas, and the names that these and the code that flatc generates can have."""

from __future__ import annotations

from serbench.codegen.naming import Naming, Scope
from serbench.codegen.words import CALLED_MACROS, CPP, MACROS, words
from serbench.model.names import bare, capitalised

SCALARS = {
    "bool": "bool",
    "i8": "byte",
    "i16": "short",
    "i32": "int",
    "i64": "long",
    "u8": "ubyte",
    "u16": "ushort",
    "u32": "uint",
    "u64": "ulong",
    "f32": "float",
    "f64": "double",
    "string": "string",
    "bytes": "[ubyte]",
}

WORDS = words(
    """attribute bool byte double enum file_extension file_identifier float float32 float64 include int
    int16 int32 int64 int8 long namespace root_type rpc_service short string struct table ubyte uint
    uint16 uint32 uint64 uint8 ulong union ushort"""
)
"""The reserved words of FlatBuffers' schemas."""

# flatc escapes the words of C++, but not the last three here, which were added to C++ after flatc's list was
# made. Its list also has words that C++20 does not reserve.
_WORDS = WORDS | words(
    """atomic_cancel atomic_commit atomic_noexcept import module override final reflexpr synchronized char8_t
    consteval constinit"""
)

# Members that the classes have or inherit which flatc generates for tables and structs.
_IN_CLASSES = words(
    """Builder CheckField EndTable GetAddressOf GetField GetOptional GetPointer GetPointer64 GetStruct
    GetVTable KeyCompareLessThan KeyCompareWithValue MiniReflectTypeTable NativeTableType Pack SetField
    SetPointer Table Traits UnPack UnPackTo Verify VerifyField VerifyOffset VerifyTableStart flatbuffers
    serbench std"""
)


_IN_ENUMS = words("ANY MIN MAX NONE")
"""Names that no member can have, since flatc itself adds members of these names to enums and unions."""


def _of_type(name: str) -> list[str]:
    made = (
        "{} {}Builder {}T {}Identifier Create{} Create{}Direct Get{} Verify{} EnumNames{} "
        "EnumName{} EnumValues{} {}Traits"
    )
    return made.replace("{}", name).split()


def _of_field(name: str) -> list[str]:
    """The names that generated code derives from that of a field; a union has a second field for its type."""
    return [name, f"{name}_type", f"~{bare(name)}"]


NAMING = Naming(
    types=Scope(style=capitalised, reserved=_WORDS | CPP | _IN_CLASSES, pattern=MACROS, claims=_of_type),
    # flatc escapes the words of C++, but not in the name of the function for the type of a union: for a union
    # "try" there is no function try__type().
    fields=Scope(reserved=_WORDS | CPP | CALLED_MACROS | _IN_CLASSES, pattern=MACROS, claims=_of_field),
    alternatives=Scope(
        reserved=_WORDS | CPP | CALLED_MACROS | _IN_CLASSES | _IN_ENUMS, pattern=MACROS, claims=_of_field
    ),
    members=Scope(reserved=_WORDS | _IN_ENUMS, pattern=MACROS),
)
"""Makes names that FlatBuffers and the generated C++ can have."""
