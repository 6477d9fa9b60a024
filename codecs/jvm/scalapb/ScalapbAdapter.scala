package serbench.codec

import com.google.protobuf.{CodedInputStream, CodedOutputStream}
import scalapb.{GeneratedMessage, GeneratedMessageCompanion}
import serbench.{Adapter, Bytes}

/** What is generated for each workload: domain objects to and from messages. */
trait ScalapbGlue[Root] {
  type Message <: GeneratedMessage

  def companion: GeneratedMessageCompanion[Message]
  def build(value: Root): Message
  def extract(message: Message): Root
  def traverse(message: Message): Long
  def walk(message: Message): Long = throw new UnsupportedOperationException("the workload is no graph")
}

/** Generated case classes. They are written as by `toByteArray`, which makes an array for each. */
final class ScalapbAdapter[Root](glue: ScalapbGlue[Root])
    extends Adapter[GeneratedMessage, GeneratedMessage]
    with Adapter.Builds[Root, GeneratedMessage]
    with Adapter.Extracts[Root, GeneratedMessage]
    with Adapter.Traverses[GeneratedMessage]
    with Adapter.Walks[GeneratedMessage] {

  private val companion = glue.companion
  private var buffer = new Array[Byte](0)

  override def build(root: Root, used: GeneratedMessage): GeneratedMessage = glue.build(root)

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

  override def extract(message: GeneratedMessage): Root = glue.extract(own(message))

  override def traverse(message: GeneratedMessage): Long = glue.traverse(own(message))

  override def walk(message: GeneratedMessage): Long = glue.walk(own(message))

  /** A cell has messages of its workload only. */
  private def own(message: GeneratedMessage): glue.Message = message.asInstanceOf[glue.Message]
}
