package serbench.codec

import java.io.OutputStream

import serbench.EnumValue

/** A pickler whose fields have other names in the bytes; `renamed` is from those of the case classes. */
abstract class UpicklePickler(renamed: Map[String, String]) extends upickle.AttributeTagged {
  private val original = renamed.map(_.swap)

  override def objectAttributeKeyWriteMap(name: CharSequence): CharSequence = {
    val key = name.toString
    renamed.getOrElse(key, key)
  }

  override def objectAttributeKeyReadMap(name: CharSequence): CharSequence = {
    val key = name.toString
    original.getOrElse(key, key)
  }
}

class UpickleMessagePack(renamed: Map[String, String]) extends UpicklePickler(renamed) {

  /** By their numbers. */
  def enumeration[E <: EnumValue](companion: EnumValue.Companion[E]): ReadWriter[E] =
    readwriter[Long].bimap(_.number, companion.of(_))

  def bound[Root: ReadWriter]: UpickleAdapter.Codec[Root] = new UpickleAdapter.Codec[Root] {
    override def write(root: Root, out: OutputStream): Unit = writeBinaryTo(root, out)
    override def read(bytes: Array[Byte]): Root = readBinary[Root](bytes)
  }
}

/** JSON as others write it. Implicits in here go before those of the library, which they are derived from. */
class UpickleJson(renamed: Map[String, String]) extends UpicklePickler(renamed) {

  /** By their names. */
  def enumeration[E <: EnumValue](companion: EnumValue.Companion[E]): ReadWriter[E] =
    readwriter[String].bimap(_.name, companion.of(_))

  /** A number, where the library has text beyond what a double holds exactly. */
  implicit val exactLong: Writer[Long] = new Writer[Long] {
    override def isJsonDictKey: Boolean = true
    override def write0[V](out: upickle.core.Visitor[_, V], value: Long): V =
      out.visitFloat64StringParts(value.toString, -1, -1, -1)
  }

  // The library writes a NaN as it is, which is no JSON, and -0.0 as the integer 0.

  implicit val exactDouble: Writer[Double] = new Writer[Double] {
    override def isJsonDictKey: Boolean = true
    override def write0[V](out: upickle.core.Visitor[_, V], value: Double): V =
      if (value == 0.0) out.visitFloat64StringParts(value.toString, 1, -1, -1)
      else if (value != value) out.visitString(value.toString, -1)
      else out.visitFloat64(value, -1)
  }

  implicit val exactFloat: Writer[Float] = new Writer[Float] {
    override def isJsonDictKey: Boolean = true
    override def write0[V](out: upickle.core.Visitor[_, V], value: Float): V =
      if (value == 0.0f) out.visitFloat64StringParts(value.toString, 1, -1, -1)
      else if (value != value) out.visitString(value.toString, -1)
      else out.visitFloat32(value, -1)
  }

  /** Numbers from 0 to 255. */
  implicit val unsignedBytes: ReadWriter[Array[Byte]] =
    readwriter[Array[Int]].bimap(
      _.map(_ & 0xff),
      _.map { number =>
        if (number < 0 || number > 255) throw new upickle.core.Abort("expected a number from 0 to 255")
        number.toByte
      }
    )

  def bound[Root: ReadWriter]: UpickleAdapter.Codec[Root] = new UpickleAdapter.Codec[Root] {
    override def write(root: Root, out: OutputStream): Unit = writeToOutputStream(root, out)
    override def read(bytes: Array[Byte]): Root = UpickleJson.this.read[Root](bytes)
  }
}
