package serbench.codec

import scala.reflect.ClassTag

import io.circe.jawn.JawnParser
import io.circe.{Codec, Decoder, DecodingFailure, Encoder, Json, Printer}
import serbench.{Adapter, Bytes, EnumValue}

/** JSON by a derived codec: to a tree and printed to bytes, parsed from bytes and decoded from the tree. */
final class CirceAdapter[Root](codec: Codec[Root]) extends Adapter[Root, Root] {
  override def encoder() = new CirceEncoder(codec)
  override def decoder() = new CirceDecoder(codec)
}

final class CirceEncoder[Root](codec: Codec[Root]) extends serbench.Encoder[Root] {
  private val printer = Printer.noSpaces.copy(predictSize = true)

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
  implicit def encodeEnum[E <: EnumValue]: Encoder[E] = Encoder.instance(value => Json.fromString(value.name))

  implicit def decodeEnum[E <: EnumValue](implicit tag: ClassTag[E]): Decoder[E] = {
    val companion = EnumValue.companionOf(tag.runtimeClass.asInstanceOf[Class[E]])
    Decoder.decodeString.emapTry(name => scala.util.Try(companion.of(name)))
  }

  // The library writes what is not finite as null.
  implicit val encodeDouble: Encoder[Double] =
    Encoder.instance(value => Json.fromDouble(value).getOrElse(Json.fromString(value.toString)))
  implicit val encodeFloat: Encoder[Float] =
    Encoder.instance(value => Json.fromFloat(value).getOrElse(Json.fromString(value.toString)))
  implicit val decodeDouble: Decoder[Double] =
    Decoder.instance(cursor => Decoder.decodeDouble(cursor).fold(failure => notFinite(cursor.value, failure), Right(_)))
  implicit val decodeFloat: Decoder[Float] =
    Decoder.instance(cursor => Decoder.decodeFloat(cursor).fold(failure => notFinite(cursor.value, failure).map(_.toFloat), Right(_)))

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
