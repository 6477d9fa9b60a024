package serbench.codec

import com.github.plokhotnyuk.jsoniter_scala.core._
import serbench.{Adapter, Bytes, Decoder, Encoder, EnumValue}

/** JSON by a derived codec, from and to byte arrays. */
final class JsoniterAdapter[Root](codec: JsonValueCodec[Root]) extends Adapter[Root, Root] {
  override def encoder() = new JsoniterEncoder(codec)
  override def decoder() = new JsoniterDecoder(codec)
}

final class JsoniterEncoder[Root](codec: JsonValueCodec[Root]) extends Encoder[Root] {
  override def encode(root: Root): Bytes = Bytes.of(writeToArray(root)(codec))
}

final class JsoniterDecoder[Root](codec: JsonValueCodec[Root]) extends Decoder[Root] {
  override def decode(bytes: Bytes, used: Root): Root =
    readFromSubArray(bytes.array, bytes.offset, bytes.offset + bytes.length)(codec)
}

/** Codecs of the types that JSON has no room for, which derivation cannot know; all else is the library's. */
object JsoniterAdapter {
  implicit val double: JsonValueCodec[Double] = new JsonValueCodec[Double] {
    override val nullValue: Double = 0.0
    override def encodeValue(value: Double, out: JsonWriter): Unit =
      if (java.lang.Double.isFinite(value)) out.writeVal(value) else out.writeVal(value.toString)
    override def decodeValue(in: JsonReader, default: Double): Double =
      if (isNextText(in)) notFinite(in) else in.readDouble()
  }

  implicit val float: JsonValueCodec[Float] = new JsonValueCodec[Float] {
    override val nullValue: Float = 0.0f
    override def encodeValue(value: Float, out: JsonWriter): Unit =
      if (java.lang.Float.isFinite(value)) out.writeVal(value) else out.writeVal(value.toString)
    override def decodeValue(in: JsonReader, default: Float): Float =
      if (isNextText(in)) notFinite(in).toFloat else in.readFloat()
  }

  /** Numbers from 0 to 255; the library's own codec of arrays has signed ones. */
  implicit val bytes: JsonValueCodec[Array[Byte]] = new JsonValueCodec[Array[Byte]] {
    override val nullValue: Array[Byte] = Array.emptyByteArray
    override def encodeValue(value: Array[Byte], out: JsonWriter): Unit = {
      out.writeArrayStart()
      var n = 0
      while (n < value.length) {
        out.writeVal((value(n) & 0xff).toShort)
        n += 1
      }
      out.writeArrayEnd()
    }
    override def decodeValue(in: JsonReader, default: Array[Byte]): Array[Byte] = {
      if (!in.isNextToken('[')) in.arrayStartOrNullError()
      if (in.isNextToken(']')) return nullValue
      in.rollbackToken()
      var items = new Array[Byte](16)
      var length = 0
      while ({
        if (length == items.length) items = java.util.Arrays.copyOf(items, length * 2)
        val item = in.readShort()
        if (item < 0 || item > 255) in.decodeError("expected a number from 0 to 255")
        items(length) = item.toByte
        length += 1
        in.isNextToken(',')
      }) {}
      if (!in.isCurrentToken(']')) in.arrayEndOrCommaError()
      java.util.Arrays.copyOf(items, length)
    }
  }

  /**
   * An enum of which derivation does not know all: its name is another, or it may be a number without one.
   */
  final class EnumCodec[E <: EnumValue](companion: EnumValue.Companion[E]) extends JsonValueCodec[E] {
    override def nullValue: E = null.asInstanceOf[E]
    override def encodeValue(value: E, out: JsonWriter): Unit =
      if (value.isRecognized) out.writeVal(value.name) else out.writeVal(value.number)
    override def decodeValue(in: JsonReader, default: E): E =
      if (isNextText(in)) companion.of(in.readString(null)) else companion.of(in.readLong())
  }

  final class EnumKeyCodec[E <: EnumValue](companion: EnumValue.Companion[E]) extends JsonKeyCodec[E] {
    override def encodeKey(value: E, out: JsonWriter): Unit = out.writeKey(value.name)
    override def decodeKey(in: JsonReader): E = companion.ofKey(in.readKeyAsString())
  }

  /**
   * A union as an object with one field, whose name is the alternative's; derivation would put a value into
   * an object of its own.
   */
  abstract class UnionCodec[Union >: Null] extends JsonValueCodec[Union] {

    /** Writes key and value. */
    protected def put(union: Union, out: JsonWriter): Unit

    /** Reads the value of the key that was read last and has so many characters. */
    protected def get(in: JsonReader, length: Int): Union

    override def nullValue: Union = null
    override def encodeValue(union: Union, out: JsonWriter): Unit = {
      out.writeObjectStart()
      put(union, out)
      out.writeObjectEnd()
    }
    override def decodeValue(in: JsonReader, default: Union): Union = {
      if (!in.isNextToken('{')) in.objectStartOrNullError()
      val union = get(in, in.readKeyAsCharBuf())
      if (!in.isNextToken('}')) in.objectEndOrCommaError()
      union
    }

    /** An alternative without a value. */
    protected final def empty(union: Union, in: JsonReader): Union =
      if (in.isNextToken('n')) in.readNullOrError(union, "expected null") else in.decodeError("expected null")
  }

  private def isNextText(in: JsonReader): Boolean = {
    val found = in.isNextToken('"')
    in.rollbackToken()
    found
  }

  private def notFinite(in: JsonReader): Double = in.readString(null) match {
    case "NaN" => Double.NaN
    case "Infinity" => Double.PositiveInfinity
    case "-Infinity" => Double.NegativeInfinity
    case _ => in.decodeError("expected a number, NaN, Infinity or -Infinity")
  }
}
