package serbench.codec

import scala.reflect.ClassTag
import scala.util.Try

import io.circe.jawn.JawnParser
import io.circe.{Codec, Decoder, DecodingFailure, Encoder, HCursor, Json, KeyDecoder, KeyEncoder, Printer}
import serbench.{Adapter, Bytes, EnumValue}

/** JSON by a derived codec: to a tree and printed to bytes, parsed from bytes and decoded from the tree. */
final class CirceAdapter[Root](codec: Codec[Root]) extends Adapter[Root, Root] {
  // Immutable, and kept by programs as the codec is; it makes its pieces of text when it is made.
  private val printer = Printer.noSpaces.copy(predictSize = true)

  override def encoder() = new CirceEncoder(codec, printer)
  override def decoder() = new CirceDecoder(codec)
}

final class CirceEncoder[Root](codec: Codec[Root], printer: Printer) extends serbench.Encoder[Root] {
  override def encode(root: Root): Bytes = {
    val buffer = printer.printToByteBuffer(codec(root))
    new Bytes(buffer.array, buffer.arrayOffset + buffer.position(), buffer.remaining)
  }
}

final class CirceDecoder[Root](codec: Codec[Root]) extends serbench.Decoder[Root] {
  private val parser = new JawnParser

  override def decode(bytes: Bytes, used: Root): Root =
    parser.decodeByteArray(bytes.toArray)(codec).fold(throw _, identity)
}

/** The instances that derivation lacks, or whose outcome is another; they are imported beside it. */
object CirceAdapter {
  implicit def encodeEnum[E <: EnumValue]: Encoder[E] =
    Encoder.instance(value =>
      if (value.isRecognized) Json.fromString(value.name) else Json.fromLong(value.number)
    )

  implicit def decodeEnum[E <: EnumValue](implicit tag: ClassTag[E]): Decoder[E] = {
    val companion = companionOf[E]
    val byName = Decoder.decodeString.emapTry(name => Try(companion.of(name)))
    val byNumber = Decoder.decodeLong.emapTry(number => Try(companion.of(number)))
    Decoder.instance(cursor => if (cursor.value.isNumber) byNumber(cursor) else byName(cursor))
  }

  implicit def encodeEnumKey[E <: EnumValue]: KeyEncoder[E] = KeyEncoder.instance(_.name)
  implicit def decodeEnumKey[E <: EnumValue](implicit tag: ClassTag[E]): KeyDecoder[E] = {
    val companion = companionOf[E]
    KeyDecoder.instance(key => Try(companion.ofKey(key)).toOption)
  }

  private def companionOf[E <: EnumValue](implicit tag: ClassTag[E]): EnumValue.Companion[E] =
    EnumValue.companionOf(tag.runtimeClass.asInstanceOf[Class[E]])

  implicit val encodeBooleanKey: KeyEncoder[Boolean] = KeyEncoder.instance(_.toString)
  implicit val decodeBooleanKey: KeyDecoder[Boolean] = KeyDecoder.instance(_.toBooleanOption)

  /** Those of a type that leads back to itself, which are made of themselves. */
  def encodeLater[A](made: => Encoder[A]): Encoder[A] = new Encoder[A] {
    private lazy val encoder = made
    override def apply(value: A): Json = encoder(value)
  }
  def decodeLater[A](made: => Decoder[A]): Decoder[A] = new Decoder[A] {
    private lazy val decoder = made
    override def apply(cursor: HCursor): Decoder.Result[A] = decoder(cursor)
  }

  /** A union, from an object with one field, whose name is the alternative's. */
  def decodeUnion[Union](name: String)(
      alternatives: PartialFunction[String, HCursor => Decoder.Result[Union]]
  ): Decoder[Union] =
    Decoder.instance { cursor =>
      def fail(found: String) =
        Left(DecodingFailure(s"$found, expected an alternative of $name", cursor.history))
      cursor.value.asObject.filter(_.size == 1) match {
        case Some(only) =>
          val (key, value) = only.toIterable.head
          if (alternatives.isDefinedAt(key)) alternatives(key)(value.hcursor) else fail(s"found '$key'")
        case None => fail("found no object with one field")
      }
    }

  /** An alternative without a value. */
  def decodeEmpty[Union](union: Union)(cursor: HCursor): Decoder.Result[Union] =
    if (cursor.value.isNull) Right(union) else Left(DecodingFailure("expected null", cursor.history))

  // The library writes what is not finite as null.
  implicit val encodeDouble: Encoder[Double] =
    Encoder.instance(value => Json.fromDouble(value).getOrElse(Json.fromString(value.toString)))
  implicit val encodeFloat: Encoder[Float] =
    Encoder.instance(value => Json.fromFloat(value).getOrElse(Json.fromString(value.toString)))
  implicit val decodeDouble: Decoder[Double] =
    Decoder.instance(cursor =>
      Decoder.decodeDouble(cursor).fold(failure => notFinite(cursor.value, failure), Right(_))
    )
  implicit val decodeFloat: Decoder[Float] =
    Decoder.instance(cursor =>
      Decoder.decodeFloat(cursor).fold(failure => notFinite(cursor.value, failure).map(_.toFloat), Right(_))
    )

  private def notFinite(json: Json, failure: DecodingFailure): Decoder.Result[Double] = json.asString match {
    case Some("NaN") => Right(Double.NaN)
    case Some("Infinity") => Right(Double.PositiveInfinity)
    case Some("-Infinity") => Right(Double.NegativeInfinity)
    case _ => Left(failure)
  }

  implicit val encodeBytes: Encoder[Array[Byte]] =
    Encoder.instance(bytes => Json.fromValues(bytes.view.map(byte => Json.fromInt(byte & 0xff))))
  implicit val decodeBytes: Decoder[Array[Byte]] = Decoder.decodeVector[Int].emap { numbers =>
    if (numbers.forall(number => number >= 0 && number <= 255)) Right(numbers.iterator.map(_.toByte).toArray)
    else Left("expected numbers from 0 to 255")
  }
}
