package serbench.codec

import com.twitter.scrooge.{TArrayByteTransport, TReusableMemoryTransport, ThriftStruct, ThriftStructCodec}
import org.apache.thrift.protocol.{TBinaryProtocol, TCompactProtocol, TProtocol}
import org.apache.thrift.transport.TTransport
import serbench.{Bytes, DecodeException, MessageAdapter, MessageGlue}

/** What is generated for each workload. */
trait ScroogeGlue[Root] extends MessageGlue[Root, ThriftStruct] {

  /** That of the root. */
  def codec: ThriftStructCodec[_ <: ThriftStruct]
}

/** Structs that Scrooge generates, to and from memory; transports and protocols are kept. */
abstract class ScroogeAdapter[Root](glue: ScroogeGlue[Root]) extends MessageAdapter[Root, ThriftStruct](glue) {

  /** Strings and collections have at most `limit` bytes and items. */
  protected def protocol(transport: TTransport, limit: Long): TProtocol

  private lazy val output = TReusableMemoryTransport()
  private lazy val writer = protocol(output, -1)
  private lazy val input = new TArrayByteTransport

  override def encode(message: ThriftStruct): Bytes = {
    output.reset()
    message.write(writer)
    new Bytes(output.getArray(), 0, output.length())
  }

  override def decode(bytes: Bytes, used: ThriftStruct): ThriftStruct = {
    input.setBytes(bytes.toArray)
    val message = glue.codec.decode(protocol(input, bytes.length))
    if (input.getBytesRemainingInBuffer != 0) {
      throw new DecodeException(s"${input.getBytesRemainingInBuffer} bytes are left over")
    }
    message
  }
}

final class ScroogeBinaryAdapter[Root](glue: ScroogeGlue[Root]) extends ScroogeAdapter[Root](glue) {
  override protected def protocol(transport: TTransport, limit: Long): TProtocol =
    new TBinaryProtocol(transport, limit, limit)
}

final class ScroogeCompactAdapter[Root](glue: ScroogeGlue[Root]) extends ScroogeAdapter[Root](glue) {
  override protected def protocol(transport: TTransport, limit: Long): TProtocol =
    new TCompactProtocol(transport, limit, limit)
}
