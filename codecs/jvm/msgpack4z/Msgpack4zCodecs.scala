package serbench.codec

import java.math.BigInteger

import msgpack4z.CodecInstances.all._
import msgpack4z.{Binary, CaseMapCodec, MsgInBuffer, MsgOutBuffer, MsgPacker, MsgType, MsgUnpacker}
import msgpack4z.{MsgpackCodec, PackerUnpackerFactory}
import scalaz.\/-
import serbench.{DecodeException, EnumValue}

/**
 * The codecs that the library lacks, or has in a way that other languages do not read; generated code puts
 * them together.
 */
object Msgpack4zCodecs {

  /** Makes those of case classes as maps. */
  val recordsAsMaps: CaseMapCodec[String] = CaseMapCodec.string(new PackerUnpackerFactory {
    override def packer: MsgPacker = MsgOutBuffer.create()
    override def unpacker(bytes: Array[Byte]): MsgUnpacker = MsgInBuffer(bytes)
  })

  val bytes: MsgpackCodec[Array[Byte]] = binaryCodec.xmap(_.value, new Binary(_))

  /** A Long whose bits are a u64. */
  val unsigned: MsgpackCodec[Long] = MsgpackCodec.codecTry(
    (packer, value) =>
      if (value >= 0) packer.packLong(value)
      else packer.packBigInteger(new BigInteger(java.lang.Long.toUnsignedString(value))),
    unpacker => {
      val value = unpacker.unpackBigInteger()
      if (value.signum < 0) throw new DecodeException(s"found $value, which is no u64")
      value.longValue
    }
  )

  def optional[A](item: MsgpackCodec[A]): MsgpackCodec[Option[A]] = MsgpackCodec.codec(
    (packer, value) => if (value.isEmpty) packer.packNil() else item.pack(packer, value.get),
    unpacker =>
      if (unpacker.nextType() == MsgType.NIL) {
        unpacker.unpackNil()
        \/-(None)
      } else item.unpack(unpacker).map(Some(_))
  )

  def array[A](length: Int, item: MsgpackCodec[A]): MsgpackCodec[Vector[A]] = {
    def counted(items: Vector[A]): Vector[A] = {
      if (items.length != length) {
        throw new DecodeException(s"an array has ${items.length} items, expected $length")
      }
      items
    }
    vectorCodec(item).xmap(counted, identity)
  }

  def pairs[K, V](key: MsgpackCodec[K], value: MsgpackCodec[V]): MsgpackCodec[Map[K, V]] =
    vectorCodec(tuple2Codec(key, value)).xmap(_.toMap, _.toVector)

  def enumeration[E <: EnumValue](
      values: EnumValue.Companion[E],
      number: MsgpackCodec[Long]
  ): MsgpackCodec[E] =
    number.xmap(values.of(_), _.number)

  /** The codec of a record as an array, with more fields than the library has codecs for. */
  def wideRecord[A <: Product](make: Array[Any] => A)(fields: MsgpackCodec[_]*): MsgpackCodec[A] = {
    val codecs = fields.map(_.asInstanceOf[MsgpackCodec[Any]]).toArray
    MsgpackCodec.codecTry(
      (packer, value) => {
        packer.packArrayHeader(codecs.length)
        codecs.indices.foreach(n => codecs(n).pack(packer, value.productElement(n)))
        packer.arrayEnd()
      },
      unpacker => {
        requireFields(unpacker.unpackArrayHeader(), codecs.length)
        val values = codecs.map(unpacked(_, unpacker))
        unpacker.arrayEnd()
        make(values)
      }
    )
  }

  /** The same as a map, whose order does not matter. */
  def wideRecordAsMap[A <: Product](
      make: Array[Any] => A
  )(names: String*)(fields: MsgpackCodec[_]*): MsgpackCodec[A] = {
    val keys = names.toArray
    val codecs = fields.map(_.asInstanceOf[MsgpackCodec[Any]]).toArray
    val places = names.zipWithIndex.toMap
    MsgpackCodec.codecTry(
      (packer, value) => {
        packer.packMapHeader(codecs.length)
        codecs.indices.foreach { n =>
          packer.packString(keys(n))
          codecs(n).pack(packer, value.productElement(n))
        }
        packer.mapEnd()
      },
      unpacker => {
        requireFields(unpacker.unpackMapHeader(), codecs.length)
        val values = new Array[Any](codecs.length)
        codecs.indices.foreach { _ =>
          val name = unpacker.unpackString()
          def unknown = new DecodeException(s"a record has the field '$name', which it should not")
          val place = places.getOrElse(name, throw unknown)
          if (values(place) != null) throw new DecodeException(s"a record has the field '$name' twice")
          values(place) = unpacked(codecs(place), unpacker)
        }
        unpacker.mapEnd()
        make(values)
      }
    )
  }

  private def requireFields(found: Int, expected: Int): Unit =
    if (found != expected) throw new DecodeException(s"a record has $found fields, expected $expected")

  private def unpacked(codec: MsgpackCodec[Any], unpacker: MsgUnpacker): Any =
    codec.unpack(unpacker).fold(error => throw error, identity)
}
