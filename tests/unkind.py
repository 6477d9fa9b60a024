"""Names that are reserved or used: in C++, Scala and Java, in IDLs, in code that compilers generate from
IDLs, and in serbench's own code."""

from __future__ import annotations


def names(text: str) -> list[str]:
    return text.split()


KEYWORDS = names("""abstract and as async await bool byte case class const default def delete do double enum
extends false final float for friend from fun function get given goto if implicit import in include inline int
interface is lambda lazy list long map match message mutable namespace native new nil not null object oneof
operator optional option or override package pass private protected public record register repeated required
reserved return rpc self service set short signed sizeof static strictfp string struct super switch
synchronized table template then this throw throws transient true try type typedef typename union unsigned
using val var virtual void volatile when while with xor yield""")

MACROS = names("""NULL EOF errno stdin stdout stderr assert major minor makedev unix linux isset signal_t
h_errno si_pid st_mtime INFINITY NAN BUFSIZ EINVAL SIGINT PATH_MAX offsetof TIME_UTC F_OK L_tmpnam pRIx""")

METHODS = names("""clear descriptor serialized_size unknown_fields default_instance swap byte_size_long arena
cached_size getClass hashCode wait notify notifyAll toString equals clone finalize copy productArity
productPrefix canEqual eq ne reader builder which pipeline total_size verify unpack un_pack
key_compare_less_than KeyCompareLessThan Builder Table GetField schema class_schema put get_schema fields read
write validate isSet optionals metaDataMap rhs xfer iprot oprot companion update toByteArray writeTo
withUnknownFields apply unapply tupled codec name number all of size data begin end value key items domain
native message sum root out walk std serbench flatbuffers Root Native Checksum x_1 a1b Upper_case md5Sum""")

PAIRS = names("""has_type set_type clear_type mutable_type type_size add_type fields_x x_fields foo_bar fooBar
FooBar foobar FOO_BAR foo_bar_count foo_bar_list fooBarValue foo_bar_builder isSetFooBar setFooBarIsSet
getFooBar with_foo_bar""")

TYPES = names("""Builder Message Option Vector ListOfI32 OptionalI64 String List Map Array Seq Nothing Class
Integer Override Table Text Data Struct Reader Pipeline Checksum Native Root Bytes Exception Schema Decoder
Utf8 Proto MyDataProto MyData BuilderT CreateBuilder FooBuilder Foo FOO FooOrBuilder EOF NULL Which None True
std type namespace Foo_Bar FooBar foo_bar EINVAL SIGINT Domain Bits Glue Adapter Predef Product Tuple2 Int
Long Unit Any AnyRef ByteString Arena I32ToListOfI32 Iterator""")

FOUND = names("Union Alternative Reflected Reflect Packed Pointer Valued Back Clear New Swap OptionalString")
"""Names that once clashed in random schemas. They are listed here since random schemas are the same in every
run, and contain none of them."""
