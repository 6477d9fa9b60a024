"""Names in the languages and IDLs that a schema is generated into.

A name that is reserved somewhere gets a trailing underscore there (in Cap'n Proto, which allows none, the word Value);
that is the only mangling, so a reader always recognises the field.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable
from dataclasses import dataclass

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*")
"""What every target takes as a name: ASCII, begins with a letter, single inner underscores."""


@dataclass(frozen=True)
class Target:
    """A language or IDL with the words that it reserves.

    Attributes:
        name: for messages.
        reserved: the words, as ``style`` writes them.
        style: how the target writes a name of the type model.
        any_case: whether the words, which are in lower case, are reserved in upper case too.
        suffix: what a reserved name gets.
    """

    name: str
    reserved: frozenset[str]
    style: Callable[[str], str] = str
    any_case: bool = False
    suffix: str = "_"

    def mangle(self, name: str) -> str:
        """The field name as this target writes it."""
        written = self.style(name)
        compared = written.lower() if self.any_case else written
        return f"{written}{self.suffix}" if compared in self.reserved else written


def camel(name: str) -> str:
    """``out_edges`` → ``outEdges``."""
    head, *rest = name.split("_")
    return head[:1].lower() + head[1:] + "".join(part[:1].upper() + part[1:] for part in rest)


def pascal(name: str) -> str:
    """``out_edges`` → ``OutEdges``."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def proto_pascal(name: str) -> str:
    """``of_f32x`` → ``OfF32X``: a digit ends a word too, as in the code that is generated from Protocol Buffers."""
    return re.sub(r"(?:^|_+)(.?)|(?<=\d)([a-z])", lambda m: (m[1] or m[2] or "").upper(), name)


def snake(name: str) -> str:
    """``OutEdges`` → ``out_edges``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def upper_snake(name: str) -> str:
    """``OutEdges`` → ``OUT_EDGES``."""
    return snake(name).upper()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PYTHON = Target("Python", frozenset(keyword.kwlist))

CPP = Target(
    "C++",
    _words(
        """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
        char32_t class compl concept const consteval constexpr constinit const_cast continue co_await
        co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern
        false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr
        operator or or_eq private protected public register reinterpret_cast requires return short signed
        sizeof static static_assert static_cast struct switch template this thread_local throw true try
        typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq"""
    ),
)

# Fields that protoc 3.21 generates no valid C++ for: the words that C++ has got since C++11, and names of its own methods.
PROTO = Target(
    "Protocol Buffers",
    _words(
        """assert char16_t char32_t char8_t co_await co_return co_yield concept consteval constinit
        default_instance descriptor errno internal_default_instance mutable_unknown_fields requires
        unknown_fields"""
    ),
    any_case=True,
)

# What follows set_ and mutable_ in the C++ that protoc generates.
PROTO_CPP = Target("Protocol Buffers' C++", CPP.reserved, style=str.lower)

# What follows get and set in the Java that protoc generates: not what follows them in every message.
PROTO_JAVA = Target(
    "Protocol Buffers' Java",
    _words(
        """AllFields CachedSize Class DefaultInstanceForType DescriptorForType InitializationErrorString ParserForType
        SerializedSize UnknownFields"""
    ),
    style=proto_pascal,
)

# The words of Scala are written between backticks; these members of every case class get an underscore before them.
SCALAPB_MEMBERS = _words(
    """class clone copy equals finalize getClass hashCode notify notifyAll productArity productElementName
    productElementNames productIterator productPrefix serializedSize toString wait"""
)

# The words that the Thrift compiler refuses, from its lexer (compiler/cpp/src/thrift/thriftl.ll); tokens of its grammar
# that are not among them; names that it gives to what it generates inside a struct or an enum; and the words of C++, of
# which it passes on most.
THRIFT = Target(
    "Thrift",
    CPP.reserved
    | _words(
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

        read type write"""
    ),
)

FLATBUFFERS = Target(
    "FlatBuffers",
    _words(
        """attribute bool byte double enum file_extension file_identifier float float32 float64 include int
        int16 int32 int64 int8 long namespace root_type rpc_service short string struct table ubyte uint
        uint16 uint32 uint64 uint8 ulong union ushort"""
    )
    | _words("char8_t consteval constinit"),  # flatc escapes the words of C++, but these came after its list was made
)

# The methods that flatc makes for fields; it escapes these words too, although C++ does not reserve them.
FLATBUFFERS_CPP = Target(
    "FlatBuffers' C++",
    CPP.reserved | _words("atomic_cancel atomic_commit atomic_noexcept import module synchronized"),
)

# Keywords are names like others to Cap'n Proto. The C++ class of an optional number is nested in that of its record,
# beside classes with these names.
CAPNP = Target("Cap'n Proto", _words("reader builder pipeline which"), style=camel, suffix="Value")

AVRO = Target("Avro", frozenset())

SCALA_WORDS = _words(
    """abstract case catch class def do else extends false final finally for forSome if implicit import lazy macro
    match new null object override package private protected return sealed super this throw trait try true type
    val var while with yield"""
)

# The words of Scala 2.13, and the members that every case class has or inherits.
SCALA = Target(
    "Scala",
    SCALA_WORDS
    | _words(
        """asInstanceOf canEqual clone copy eq equals finalize getClass hashCode isInstanceOf ne notify notifyAll
        productArity productElement productElementName productElementNames productIterator productPrefix
        synchronized toString wait"""
    ),
    style=camel,
)

# Types keep their names, but for those that generated code needs under theirs.
SCALA_TYPES = Target(
    "Scala's types",
    SCALA_WORDS
    | _words(
        """Any AnyRef Array Boolean Byte Char Double Float Int List Long Map None Nothing Null Object Option Predef
        Product Seq Serializable Set Short Some String Unit Vector java scala serbench"""
    ),
)

# A workload is a package, and an enum's member an object, under its own name.
SCALA_OBJECTS = Target("Scala's packages and objects", SCALA_TYPES.reserved | _words("all of name number"))

TARGETS = (PYTHON, CPP, PROTO, PROTO_CPP, PROTO_JAVA, THRIFT, FLATBUFFERS, FLATBUFFERS_CPP, CAPNP, AVRO, SCALA)
