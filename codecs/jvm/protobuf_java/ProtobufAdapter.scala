package serbench.codec

import com.google.protobuf.{CodedOutputStream, MessageLite, Parser}
import serbench.{Adapter, Bytes}

/** What is generated for each workload: domain objects to and from messages. */
trait ProtobufGlue[Root] {
  type Message <: MessageLite

  def parser: Parser[Message]
  def build(value: Root): Message
  def extract(message: Message): Root
  def traverse(message: Message): Long
  def walk(message: Message): Long = throw new UnsupportedOperationException("the workload is no graph")
}

/** Messages of the full runtime. They are written as by `toByteArray`, which makes an array for each. */
final class ProtobufAdapter[Root](glue: ProtobufGlue[Root])
    extends Adapter[MessageLite, MessageLite]
    with Adapter.Builds[Root, MessageLite]
    with Adapter.Extracts[Root, MessageLite]
    with Adapter.Traverses[MessageLite]
    with Adapter.Walks[MessageLite] {

  private val parser = glue.parser
  private var buffer = new Array[Byte](0)

  override def build(root: Root, used: MessageLite): MessageLite = glue.build(root)

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

  override def extract(message: MessageLite): Root = glue.extract(own(message))

  override def traverse(message: MessageLite): Long = glue.traverse(own(message))

  override def walk(message: MessageLite): Long = glue.walk(own(message))

  /** A cell has messages of its workload only. */
  private def own(message: MessageLite): glue.Message = message.asInstanceOf[glue.Message]
}
