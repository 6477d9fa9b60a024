"""Generates Circe's encoders and decoders of unions, whose layout in JSON is not the one that the library
derives, and of records.

For a schema without unions and recursion, nothing is generated: the library derives all at once.
"""

from __future__ import annotations

from serbench.codegen.source import Source
from serbench.languages.jvm.domain import (
    alternatives_of,
    before_colon,
    domain_type,
    domain_types,
    glue_file,
    literal,
    renamed_fields,
)
from serbench.languages.jvm.functions import pattern
from serbench.model import Alternative, Record, Schema, Union
from serbench.model.parts import led_back_to


def emit(schema: Schema) -> str:
    """Return the text of ``Glue.scala``."""
    types = domain_types(schema)
    back = led_back_to(types.composites)
    if not (types.unions or back):
        return ""
    out = glue_file(
        schema,
        "encoders and decoders beside those that are derived",
        "import io.circe.generic.extras.Configuration",
        "import io.circe.generic.extras.semiauto._",
        "import io.circe.syntax._",
        "import io.circe.{Decoder, Encoder, Json}",
        "import serbench.codec.CirceAdapter._",
    )
    with out.block("object Glue {"):
        renamed = renamed_fields(schema)
        if renamed:
            with out.block("private val names = Map(", ")"):
                out(*(f"{scala} -> {written}," for scala, written in renamed.items()))
        configured = "Configuration.default" + (
            ".copy(transformMemberNames = field => names.getOrElse(field, field))" if renamed else ""
        )
        out(f"private implicit val configuration: Configuration = {configured}")
        for record in types.records:
            _record(out, record, record in back)
        for union, alternatives in alternatives_of(schema):
            _union(out, union, alternatives)
    return out.text()


def _instance(coder: str, type: Record | Union) -> str:
    """Return the name of a type's encoder or decoder. It begins in lower case, so that it differs from
    imported names: the compiler does not find an implicit value whose name is hidden by another."""
    return f"{coder.lower()}{type.name}"


def _record(out: Source, record: Record, is_back: bool) -> None:
    """Write the encoder and the decoder of a record; lazily where a reference leads back to the record."""
    for coder in ("Encoder", "Decoder"):
        name, type = before_colon(_instance(coder, record)), domain_type(record)
        derived = f"deriveConfigured{coder}[{type}]"
        made = f"{coder.lower().removesuffix('r')}Later({derived})" if is_back else derived
        out("", f"implicit lazy val {name}: {coder}[{type}] = {made}")


def _union(out: Source, union: Union, alternatives: list[tuple[Alternative, str]]) -> None:
    """Write the encoder and the decoder of a union."""
    type = domain_type(union)
    encoder, decoder = (before_colon(_instance(coder, union)) for coder in ("Encoder", "Decoder"))
    out("")
    with out.block(f"implicit lazy val {encoder}: Encoder[{type}] = Encoder.instance {{"):
        for each, name in alternatives:
            value = "Json.Null" if each.type is None else "value.asJson"
            out(f"case {pattern(union, each)} => Json.obj({literal(name)} -> {value})")
    head = f"implicit lazy val {decoder}: Decoder[{type}] = decodeUnion({literal(union.name)})"
    out("")
    with out.block(f"{head} {{"):
        for each, name in alternatives:
            if each.type is None:
                out(f"case {literal(name)} => decodeEmpty({pattern(union, each)})")
            else:
                out(
                    f"case {literal(name)} => _.as[{domain_type(each.type)}].map({pattern(union, each, '_')})"
                )
