"""Writes schemas as Thrift files."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

from serbench.codegen.naming import Naming, Scope
from serbench.codegen.notation import Notation
from serbench.codegen.source import Source
from serbench.codegen.words import (
    CALLED_MACROS,
    CPP,
    JAVA,
    JAVA_LANG,
    MACROS,
    SCALA,
    SCALA_MEMBERS,
    SCALA_PREDEF,
    package,
    words,
)
from serbench.idl.abilities import Abilities
from serbench.idl.lower import Lowered, lower
from serbench.model import Enum, Field, Gone, Optional, Ref, Scalar, Schema, Type, Union
from serbench.model.names import bare, camel, capitalised
from serbench.model.parts import back_references, parts
from serbench.model.types import NOTHING

NAMESPACE = "thrift_types"

SCALARS = {
    "bool": "bool",
    "i8": "i8",
    "i16": "i16",
    "i32": "i32",
    "i64": "i64",
    "u8": "i8",
    "u16": "i32",
    "u32": "i64",
    "u64": "i64",
    "f32": "double",
    "f64": "double",
    "string": "string",
    "bytes": "binary",
}

TELLS_NUMBERS_APART = True
"""A field's header names its type, and generated readers skip a field of another type
(doc/specs/thrift-binary-protocol.md)."""

# Whether a field is optional is said by its requiredness.
_type = Notation("Thrift", SCALARS, list="list<{}>", map="map<{}, {}>", optional="{}", back="{}")

MAX_NUMBER = (1 << 15) - 1
"""The greatest number of a field, which has 16 bits in Thrift."""


REQUIRED = ("thrift", "required")
"""The hint of a field that is required in its original schema."""

# The words that the Thrift compiler refuses, from its lexer (compiler/cpp/src/thrift/thriftl.ll); tokens of
# its grammar that are not among them; and the words of C++ and Python, most of which it would pass on as they
# are.
WORDS = CPP | words(
    """BEGIN END __CLASS__ __DIR__ __FILE__ __FUNCTION__ __LINE__ __METHOD__ __NAMESPACE__ abstract alias
    and args as assert async await begin binary bool break byte case catch class clone const continue
    cpp_include cpp_type declare def default del delete do double dynamic elif else elseif elsif end
    enddeclare endfor endforeach endif endswitch endwhile ensure enum except exception exec extends false
    finally float for foreach from function global goto i16 i32 i64 i8 if implements import in include
    inline instanceof interface is lambda list map module namespace native new next nil not oneway or
    package pass print private protected public raise redo rescue required retry return self service set
    sizeof static string struct super switch synchronized then this throw throws transient true try
    typedef undef union unless unsigned until use var virtual void volatile when while with xor xsd_all
    xsd_attrs xsd_nillable xsd_optional yield

    optional senum slist cocoa_prefix cpp_namespace csharp_namespace delphi_namespace java_package
    perl_package php_namespace py_module ruby_namespace smalltalk_category smalltalk_prefix xsd_namespace

    read type write

    False None True nonlocal"""
)

# Names that the compilers generate inside a struct: of functions and their parameters in C++, and of static
# members in Java; and packages that Java's code names in full, which a field of the same name would hide.
_IN_STRUCTS = words("iprot java metaDataMap oprot optionals org out printTo rhs schemes xfer")

# Names that only unions have: parameters of those functions in Java that have a variable for every
# alternative, and Scrooge's methods.
_IN_UNIONS = {
    *words("field fieldID"),
    *("scala containedValue", "scala unionStructFieldInfo", "scala writeFieldValue"),
}

# Names that the files of Scrooge import, or use without a package; and those of Python's and JavaScript's
# modules.
_IMPORTED = words(
    """ArrayBuffer Arrays Buffer Builder ByteBuffer LazyTProtocol StructBuilder StructBuilderFactory
    ThriftException ThriftStruct TField TList TMap TMemoryBuffer TMessage TProtocol TProtocolException TSet
    TStruct TTransport TType ValidatingThriftStruct

    AttributeError TApplicationException TException TFrozenDict TMessageType

    Int64 Thrift"""
)

# Members of the objects that Scrooge writes beside structs and unions, whose fields may have that type.
_BESIDE_TYPES = words("Immutable LazyImmutable NoPassthroughFields Proxy Struct Union UnknownUnionField")

# Members of Scrooge's structs and unions, and packages that these name in full among their fields; and words
# of Scala, which Scrooge quotes even where they are only a part of a method's name.
_IN_SCROOGE = frozenset(
    f"scala {name}"
    for name in SCALA
    | SCALA_MEMBERS
    | words(
        """codec fieldTypes getFieldBlob getFieldBlobs lazily newBuilder passedthroughValue read serbench
        setField toTuple validate withoutPassthroughFields write"""
    )
)


def _of_type(name: str) -> list[str]:
    return [name, f"~{name.lower()}", f"_{name}__isset", f"EnumUnknown{name}"]


def scrooge_name(name: str, title: bool = False) -> str:
    """A name as Scrooge writes it: ``foo_BAR_id`` → ``fooBarId``, or ``FooBarId`` as a ``title``. It drops
    underscores, and changes the case of parts that have no lower-case letter."""
    begun = "".join(
        part[:1].upper() + (part[1:].lower() if part == part.upper() else part[1:])
        for part in name.split("_")
    )
    return begun if title else begun[:1].lower() + begun[1:]


def _as_scrooge_has_it(name: str) -> str:
    """The name of a type, changed to one that Scrooge keeps: ``XY`` for ``X_Y``."""
    return scrooge_name(scrooge_name(name, title=True), title=True)


def _steady(name: str) -> str:
    """The name of an enum's member, changed if Scrooge would write it differently in defaults."""
    title = scrooge_name(name, title=True)
    return name if scrooge_name(title, title=True) == title else _as_scrooge_has_it(name)


def _found(name: str) -> str:
    """The name of a field, changed if Scrooge's runtime would not find it by reflection: the runtime leaves
    words in capitals as they are, but Scrooge's generator writes them in lower case."""
    return name if camel(name) == scrooge_name(name) else scrooge_name(name)


def _of_field(name: str) -> list[str]:
    """The names that generated code derives from a field's name: Java's methods, and Scrooge's members."""
    end, title = capitalised(name), scrooge_name(name, title=True)
    methods = (
        "get{} get{}Iterator get{}Size set{} set{}IsSet isSet{} unset{} is{} addTo{} putTo{} bufferFor{}"
    )
    members = [
        scrooge_name(name),
        f"{name}Offset",
        f"read{title}Value",
        f"unset{title}",
        f"write{title}Value",
    ]
    return [
        name,
        f"~{bare(name)}",
        *methods.replace("{}", end).split(),
        *(f"scala {member}" for member in members),
    ]


def _of_alternative(name: str) -> list[str]:
    """The names that generated code derives from an alternative's name: those of a field, the class that
    Scrooge makes for the alternative, and the field of this class."""
    return [*_of_field(name), f"scala {name}", f"scala {scrooge_name(name, title=True)}"]


def _small(name: str) -> str:
    """The name of an alternative with its first letter small: Scrooge's class for it begins with a capital,
    and the field in this class must have another name."""
    return name[:1].lower() + name[1:]


def _of_member(name: str) -> list[str]:
    return [name, f"~{bare(name)}"]


_FIELDS = Scope(
    style=_found,
    reserved=WORDS | CALLED_MACROS | JAVA | _IN_STRUCTS | {"getClass"} | _IN_SCROOGE,
    pattern=MACROS,
    claims=_of_field,
)

NAMING = Naming(
    types=Scope(
        style=_as_scrooge_has_it,
        reserved=WORDS | JAVA | JAVA_LANG | SCALA_PREDEF | _IMPORTED | _BESIDE_TYPES,
        pattern=MACROS,
        claims=_of_type,
        suffix="Type",
    ),
    fields=_FIELDS,
    alternatives=replace(
        _FIELDS,
        style=_small,
        reserved=_FIELDS.reserved | _IN_UNIONS,
        claims=_of_alternative,
        suffix="Value",  # Scala reads an underscore and the colon behind it as one name
    ),
    members=Scope(style=_steady, reserved=WORDS | JAVA | {"value"}, pattern=MACROS, claims=_of_member),
)
"""Makes names that Thrift and the code generated for C++, Java and Scala can have."""


ABILITIES = Abilities(
    maps=True,
    nested_lists=True,
    optional_lists=True,
    byte_lists=True,
    list_alternatives=True,
    max_number=MAX_NUMBER,
)
"""Thrift's abilities. It lacks absent items of lists, and open enums, since generated Java and Scala know no
values without a name; lists of u8 become binary."""


def lowered(schema: Schema, naming: Naming = NAMING) -> Lowered:
    """The schema lowered to the types that Thrift has."""
    return lower(schema, ABILITIES, naming)


def java_package(schema: Schema) -> str:
    """The package of the classes on the JVM; each workload has its own, since all are in one module there."""
    return f"serbench.{NAMESPACE}.{package(schema)}"


def emit(schema: Schema, references: bool = True, naming: Naming = NAMING) -> str:
    """The text of ``<workload>.thrift``. With ``references``, fields that lead back are marked with ``&``, so
    that C++ only points to their values."""
    types = lowered(schema, naming)
    out = Source()
    out(
        f"// Generated by serbench from workload {schema.name}.",
        *naming.told(schema),
        f"namespace cpp serbench.{NAMESPACE}",
        f"namespace java {java_package(schema)}",
    )
    for enum in types.enums:
        out("")
        with out.block(f"enum {enum.name} {{"):
            for name, value in enum.members:
                out(f"{name} = {value},")
            out(*map(_told, enum.gone))
    referenced = _referenced(types) if references else set()
    for composite in types.composites:
        out("")
        if isinstance(composite, Union):
            with out.block(f"union {composite.name} {{"):
                for each in composite.alternatives:
                    assert each.type is not None  # lowering puts an empty record in its place
                    out(f"{each.number}: {_written(each.type, references)} {each.name};")
                out(*map(_told, composite.gone))
        else:
            with out.block(f"struct {composite.name} {{"):
                for field in composite.fields:
                    words = [
                        _requiredness(field, composite.name in referenced),
                        _written(field.type, references),
                        field.name,
                    ]
                    out(f"{field.number}: {' '.join(filter(None, words))}{_default(field)};")
                out(*map(_told, composite.gone))
    return out.text()


def _told(gone: Gone) -> str:
    """The comment by which a struct or enum keeps the number and name of a part that is gone."""
    number = "" if gone.number is None else f"{gone.number}{'' if gone.last is None else f' to {gone.last}'}"
    return f"// {': '.join(filter(None, (number, gone.name)))}, gone"


def _requiredness(field: Field, is_referenced: bool) -> str:
    """Thrift's word for whether a field has to be there: ``required``, ``optional`` or empty.

    Only a field that is required in its original schema is so (``REQUIRED``): Thrift's documents advise
    against the word, since a program that has it refuses the bytes of a schema without that field. In a
    struct to which others have references no field can be required: the C++ that Thrift generates asks
    whether its fields are set, which it does not know of required ones.
    """
    if isinstance(field.type, Optional):
        return "optional"
    return "required" if REQUIRED in field.hints and not is_referenced else ""


def _referenced(types: Lowered) -> set[str]:
    """The names of the structs to which others have references."""
    all_types = [part for composite in types.composites for part in parts(composite)]
    return {ref.name for type in all_types if is_reference(type) for ref in back_references(type)}


def is_reference(type: Type) -> bool:
    """Whether a struct only points to the value of a field of this type, since it leads back."""
    return isinstance(type.item if isinstance(type, Optional) else type, Ref)


def _written(type: Type, references: bool) -> str:
    return f"{_type(type)} &" if references and is_reference(type) else _type(type)


def _default(field: Field) -> str:
    """The text of a default behind a field's name; empty if there is none or Thrift cannot write it. An
    optional gets none, since Thrift would take it for present."""
    type, default = field.type, field.default
    if default is NOTHING:
        return ""
    match type:
        case Scalar("bool"):
            return f" = {'true' if default else 'false'}"
        case Scalar("string") if default.isprintable() and not set(default) & set('"\\'):
            return f' = "{default}"'
        case Scalar() if type.is_integer:
            bits = 8 * type.width if type.name in ("u8", "u64") else 0  # the same bits, but signed
            return f" = {default - (1 << bits) if bits and default >> bits - 1 else default}"
        case Scalar("f32" | "f64") if isfinite(default):
            return f" = {float(default)!r}"
        case Enum():
            name = type.named(default)
            return f" = {type.name}.{name}" if name else ""
        case _:
            return ""
