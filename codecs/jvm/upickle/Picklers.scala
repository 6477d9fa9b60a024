package serbench.codec

import java.io.OutputStream

import serbench.{DecodeException, EnumValue}
import upickle.core.{ObjVisitor, StringVisitor, Visitor}

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

  /**
   * A union as an object with one field, whose name is the alternative's; the library's own way is a tag
   * among the fields.
   */
  def union[Union](alternatives: Alternative[Union]*)(which: Union => Int): ReadWriter[Union] = {
    val all = alternatives.toArray
    val byName = alternatives.map(each => each.name -> each).toMap
    ReadWriter.join(
      new SimpleReader[Union] {
        override def expectedMsg: String = "expected an object with one field"
        override def visitObject(length: Int, jsonableKeys: Boolean, index: Int): ObjVisitor[Any, Union] =
          new UnionVisitor(byName)
      },
      new Writer[Union] {
        override def write0[V](out: Visitor[_, V], value: Union): V = {
          val chosen = all(which(value))
          val fields = out.visitObject(1, true, -1).narrow
          fields.visitKeyValue(fields.visitKey(-1).visitString(chosen.name, -1))
          fields.visitValue(chosen.writer.write0(fields.subVisitor, value), -1)
          fields.visitEnd(-1)
        }
      }
    )
  }

  private final class UnionVisitor[Union](alternatives: Map[String, Alternative[Union]])
      extends ObjVisitor[Any, Union] {
    private var chosen: Alternative[Union] = _
    private var fields = 0
    private var union: Any = _

    override def visitKey(index: Int): Visitor[_, _] = StringVisitor
    override def visitKeyValue(key: Any): Unit = {
      def unknown = new DecodeException(s"a union has the alternative '$key'")
      chosen = alternatives.getOrElse(key.toString, throw unknown)
    }
    override def subVisitor: Visitor[_, _] = chosen.reader
    override def visitValue(value: Any, index: Int): Unit = {
      fields += 1
      union = value
    }
    override def visitEnd(index: Int): Union = {
      if (fields != 1) throw new DecodeException(s"a union has $fields fields, expected one")
      union.asInstanceOf[Union]
    }
  }

  /** An alternative of a union; its reader and writer may be made of those of the union. */
  final class Alternative[Union](val name: String, read: => Reader[Union], written: => Writer[Union]) {
    lazy val reader: Reader[Union] = read
    lazy val writer: Writer[Union] = written
  }

  def holding[Union, Value](name: String, make: Value => Union, value: Union => Value)(implicit
      reader: => Reader[Value],
      writer: => Writer[Value]
  ): Alternative[Union] = new Alternative(name, reader.map(make), writer.comap(value))

  def empty[Union](name: String, only: Union): Alternative[Union] = new Alternative[Union](
    name,
    new SimpleReader[Union] {
      override def expectedMsg: String = "expected null"
      override def visitNull(index: Int): Union = only
    },
    new Writer[Union] {
      override def write0[V](out: Visitor[_, V], value: Union): V = out.visitNull(-1)
    }
  )
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

  /** By their names; as keys too, where the library has pairs for what it does not know to be text. */
  def enumeration[E <: EnumValue](companion: EnumValue.Companion[E]): ReadWriter[E] =
    stringKeyRW(readwriter[String].bimap(_.name, companion.of(_)))

  /** By their names, or as numbers where they have none. */
  def openEnumeration[E <: EnumValue](companion: EnumValue.Companion[E]): ReadWriter[E] = ReadWriter.join(
    new SimpleReader[E] {
      override def expectedMsg: String = "expected a name or a number"
      override def visitString(text: CharSequence, index: Int): E = companion.ofKey(text.toString)
      override def visitInt64(number: Long, index: Int): E = companion.of(number)
      override def visitFloat64StringParts(text: CharSequence, dot: Int, exponent: Int, index: Int): E =
        companion.of(BigInt(text.toString).toLong)
    },
    new Writer[E] {
      override def isJsonDictKey: Boolean = true
      override def write0[V](out: Visitor[_, V], value: E): V =
        if (value.isRecognized) out.visitString(value.name, -1)
        else out.visitFloat64StringParts(value.name, -1, -1, -1)
    }
  )

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
