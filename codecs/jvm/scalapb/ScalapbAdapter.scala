package serbench.codec

import com.google.protobuf.{CodedInputStream, CodedOutputStream}
import scalapb.{GeneratedMessage, GeneratedMessageCompanion}
import serbench.{Bytes, MessageAdapter, MessageGlue}

/** What is generated for each workload. */
trait ScalapbGlue[Root] extends MessageGlue[Root, GeneratedMessage] {

  /** That of the root. */
  def companion: GeneratedMessageCompanion[_ <: GeneratedMessage]
}

/** Generated case classes. They are written as by `toByteArray`, which makes an array for each. */
final class ScalapbAdapter[Root](glue: ScalapbGlue[Root]) extends MessageAdapter[Root, GeneratedMessage](glue) {

  private val companion = glue.companion
  private var buffer = new Array[Byte](0)

  override def encode(message: GeneratedMessage): Bytes = {
    val size = message.serializedSize
    if (buffer.length < size) buffer = new Array[Byte](size)
    val out = CodedOutputStream.newInstance(buffer, 0, size)
    message.writeTo(out)
    out.checkNoSpaceLeft()
    new Bytes(buffer, 0, size)
  }

  override def decode(bytes: Bytes, used: GeneratedMessage): GeneratedMessage =
    companion.parseFrom(CodedInputStream.newInstance(bytes.array, bytes.offset, bytes.length))
}
