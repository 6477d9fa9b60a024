"""Generates codecs for jsoniter-scala of the types whose JSON the library would derive otherwise than other
libraries write it: unions, and enums that are open or have other names.

For a schema without such types, nothing is generated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from serbench.languages.jvm.domain import (
    alternatives_of,
    before_colon,
    domain_type,
    domain_types,
    glue_file,
    literal,
    renamed_fields,
)
from serbench.languages.jvm.functions import FunctionNames, pattern
from serbench.model import Alternative, FixedBytes, Map, Record, Scalar, Schema, Type, Union, string
from serbench.model.parts import led_back_to, resolved, types_in

# As in ``codec.toml``: the macro reads it where it stands, so that it cannot be said once.
_CONFIG = """
  .withAdtLeafClassNameMapper(name => JsonCodecMaker.simpleClassName(name).stripSuffix("_"))
  .withTransientEmpty(false)
  .withTransientNone(false)
  .withDiscriminatorFieldName(None)
  .withMapMaxInsertNumber(Int.MaxValue)
  .withAllowRecursiveTypes(true)
"""

_READ = {"bool": "Boolean", "i8": "Byte", "i16": "Short", "i32": "Int", "i64": "Long"}
_READ |= {"u8": "Short", "u16": "Int", "u32": "Long", "u64": "Long"}

_CODECS = {"f32": "float", "f64": "double", "bytes": "bytes"}
"""Scalar some of whose values JSON has no way to write → the name of the adapter's codec for it."""


def emit(schema: Schema) -> str:
    """Return the text of ``Glue.scala``."""
    glue = _Codecs(schema)
    return glue.text() if glue.made or glue.keys else ""


class _Codecs:
    """Generates the object with the codecs of a schema."""

    def __init__(self, schema: Schema):
        self.schema, self.types = schema, domain_types(schema)
        self.out = glue_file(
            schema,
            "codecs beside those that are derived",
            "import com.github.plokhotnyuk.jsoniter_scala.core._",
            "import com.github.plokhotnyuk.jsoniter_scala.macros._",
            "import serbench.codec.JsoniterAdapter._",
        )
        self.names = FunctionNames(self.types)
        pairs = zip(schema.enums, self.types.enums, strict=True)
        self.enums = [enum for declared, enum in pairs if declared.open or declared.wire]
        keys = {type.key for type in types_in(self.types.root) if isinstance(type, Map)}
        self.keys = [enum for enum in self.types.enums if enum in keys]
        self.back = [each for each in led_back_to(self.types.composites) if isinstance(each, Record)]
        self.made = [*self.enums, *self.back, *self.types.unions]
        self.values = dict.fromkeys(each for union in self.types.unions for each in self.derived(union))

    def derived(self, union: Union) -> Iterator[Type]:
        """Yield the types in a union's alternatives for which the library derives a codec."""
        for each in union.alternatives:
            type = resolved(each.type)
            if type is not None and not isinstance(type, Scalar | FixedBytes) and type not in self.made:
                yield type

    def text(self) -> str:
        """Return the text of the file."""
        out = self.out
        with out.block("object Glue {"):
            for enum in self.enums:
                type = domain_type(enum)
                out(
                    f"implicit val {before_colon(self.codec(enum))}: JsonValueCodec[{type}] = "
                    f"new EnumCodec({type})"
                )
            for enum in self.keys:
                type = domain_type(enum)
                out(
                    f"implicit val {before_colon(f'key{enum.name}')}: JsonKeyCodec[{type}] = "
                    f"new EnumKeyCodec({type})"
                )
            for record in self.back:
                self.derive(f"implicit val {self.codec(record)}", record)
            for value in self.values:
                self.derive(f"private val {self.codec(value)}", value)
            for union, alternatives in alternatives_of(self.schema):
                self.union(union, alternatives)
        return out.text()

    def codec(self, type: Type) -> str:
        """Return the name of a type's codec."""
        match resolved(type):
            case Scalar(name):
                return _CODECS[name]
            case FixedBytes():
                return _CODECS["bytes"]
            case named:
                return f"codec{self.names(named)}"

    def put(self, type: Type) -> str:
        """Return the statement that writes the value of an alternative."""
        if isinstance(type, Scalar) and type.name not in _CODECS:
            return "out.writeVal(value)"
        return f"{self.codec(type)}.encodeValue(value, out)"

    def get(self, type: Type) -> str:
        """Return the expression that reads the value of an alternative."""
        if type == string:
            return "in.readString(null)"
        if isinstance(type, Scalar) and type.name not in _CODECS:
            return f"in.read{_READ[type.name]}()"
        return f"{self.codec(type)}.decodeValue(in, {self.codec(type)}.nullValue)"

    def derive(self, head: str, type: Type) -> None:
        """Write, after ``head``, the call by which the library derives the codec of a type."""
        self.out("", f"{before_colon(head)}: JsonValueCodec[{domain_type(type)}] = JsonCodecMaker.make(")
        renamed = renamed_fields(self.schema)
        with self.out.indented():
            self.out("CodecMakerConfig")
            if renamed:
                with self.out.indented(), self.out.block(".withFieldNameMapper({", "})"):
                    self.out(*(f"case {scala} => {written}" for scala, written in renamed.items()))
            self.out(*_CONFIG.strip("\n").splitlines())
        self.out(")")

    def union(self, union: Union, alternatives: Sequence[tuple[Alternative, str]]) -> None:
        """Write the codec of a union."""
        out, type = self.out, domain_type(union)
        out("")
        with out.block(
            f"implicit val {before_colon(self.codec(union))}: JsonValueCodec[{type}] = "
            f"new UnionCodec[{type}] {{"
        ):
            with out.block(
                f"override protected def put(union: {type}, out: JsonWriter): Unit = union match {{"
            ):
                for each, name in alternatives:
                    out(f"case {pattern(union, each)} =>")
                    with out.indented():
                        out(
                            f"out.writeKey({literal(name)})",
                            "out.writeNull()" if each.type is None else self.put(each.type),
                        )
            with out.block(f"override protected def get(in: JsonReader, length: Int): {type} = {{"):
                for n, (each, name) in enumerate(alternatives):
                    made = pattern(union, each, self.get(each.type) if each.type else "")
                    value = made if each.type else f"empty({made}, in)"
                    out(f"{'else ' if n else ''}if (in.isCharBufEqualsTo(length, {literal(name)})) {value}")
                out("else in.unexpectedKeyError(length)")
