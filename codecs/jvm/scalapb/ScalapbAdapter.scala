package serbench.codec

import com.google.protobuf.{CodedInputStream, CodedOutputStream}
import scalapb.{GeneratedMessage, GeneratedMessageCompanion}
import serbench.{Adapter, Bytes, MessageDecoder, MessageEncoder, MessageGlue}

/** The generated glue of a workload. */
trait ScalapbGlue[Root] extends MessageGlue[Root, GeneratedMessage] {

  /** The companion of the root. */
  def companion: GeneratedMessageCompanion[_ <: GeneratedMessage]
}

/** Generated case classes. They are written as by `toByteArray`, which makes an array for each. */
final class ScalapbAdapter[Root](glue: ScalapbGlue[Root])
    extends Adapter[GeneratedMessage, GeneratedMessage] {
  override def encoder() = new ScalapbEncoder(glue)
  override def decoder() = new ScalapbDecoder(glue)
}

final class ScalapbEncoder[Root](glue: ScalapbGlue[Root])
    extends MessageEncoder[Root, GeneratedMessage](glue) {
  private var buffer = new Array[Byte](0)

  override def encode(message: GeneratedMessage): Bytes = {
    val size = message.serializedSize
    if (buffer.length < size) buffer = new Array[Byte](size)
    val out = CodedOutputStream.newInstance(buffer, 0, size)
    message.writeTo(out)
    out.checkNoSpaceLeft()
    new Bytes(buffer, 0, size)
  }
}

final class ScalapbDecoder[Root](glue: ScalapbGlue[Root])
    extends MessageDecoder[Root, GeneratedMessage](glue) {
  private val companion = glue.companion

  /** Messages may be more than 100 deep. */
  override def decode(bytes: Bytes, used: GeneratedMessage): GeneratedMessage = {
    val in = CodedInputStream.newInstance(bytes.array, bytes.offset, bytes.length)
    in.setRecursionLimit(10_000)
    companion.parseFrom(in)
  }
}
