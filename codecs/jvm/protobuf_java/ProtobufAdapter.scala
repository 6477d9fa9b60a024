package serbench.codec

import com.google.protobuf.{CodedInputStream, CodedOutputStream, MessageLite, Parser}
import serbench.{Adapter, Bytes, MessageDecoder, MessageEncoder, MessageGlue}

/** The generated glue of a workload. */
trait ProtobufGlue[Root] extends MessageGlue[Root, MessageLite] {

  /** The parser of the root. */
  def parser: Parser[_ <: MessageLite]
}

/** Messages of the full runtime. They are written as by `toByteArray`, which makes an array for each. */
final class ProtobufAdapter[Root](glue: ProtobufGlue[Root]) extends Adapter[MessageLite, MessageLite] {
  override def encoder() = new ProtobufEncoder(glue)
  override def decoder() = new ProtobufDecoder(glue)
}

final class ProtobufEncoder[Root](glue: ProtobufGlue[Root]) extends MessageEncoder[Root, MessageLite](glue) {
  private var buffer = new Array[Byte](0)

  override def encode(message: MessageLite): Bytes = {
    val size = message.getSerializedSize
    if (buffer.length < size) buffer = new Array[Byte](size)
    val out = CodedOutputStream.newInstance(buffer, 0, size)
    message.writeTo(out)
    out.checkNoSpaceLeft()
    new Bytes(buffer, 0, size)
  }
}

final class ProtobufDecoder[Root](glue: ProtobufGlue[Root]) extends MessageDecoder[Root, MessageLite](glue) {
  private val parser = glue.parser

  /** As by `parseFrom` of an array, but that messages may be more than 100 deep. */
  override def decode(bytes: Bytes, used: MessageLite): MessageLite = {
    val in = CodedInputStream.newInstance(bytes.array, bytes.offset, bytes.length)
    in.setRecursionLimit(10_000)
    val message = parser.parseFrom(in)
    in.checkLastTagWas(0)
    message
  }
}
