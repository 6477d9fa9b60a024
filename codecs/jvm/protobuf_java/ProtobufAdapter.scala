package serbench.codec

import com.google.protobuf.{CodedOutputStream, MessageLite, Parser}
import serbench.{Bytes, MessageAdapter, MessageGlue}

/** What is generated for each workload. */
trait ProtobufGlue[Root] extends MessageGlue[Root, MessageLite] {

  /** That of the root. */
  def parser: Parser[_ <: MessageLite]
}

/** Messages of the full runtime. They are written as by `toByteArray`, which makes an array for each. */
final class ProtobufAdapter[Root](glue: ProtobufGlue[Root]) extends MessageAdapter[Root, MessageLite](glue) {

  private val parser = glue.parser
  private var buffer = new Array[Byte](0)

  override def encode(message: MessageLite): Bytes = {
    val size = message.getSerializedSize
    if (buffer.length < size) buffer = new Array[Byte](size)
    val out = CodedOutputStream.newInstance(buffer, 0, size)
    message.writeTo(out)
    out.checkNoSpaceLeft()
    new Bytes(buffer, 0, size)
  }

  override def decode(bytes: Bytes, used: MessageLite): MessageLite =
    parser.parseFrom(bytes.array, bytes.offset, bytes.length)
}
