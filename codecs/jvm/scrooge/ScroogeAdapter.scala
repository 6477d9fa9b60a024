package serbench.codec

import com.twitter.scrooge.{TArrayByteTransport, TReusableMemoryTransport, ThriftStruct, ThriftStructCodec}
import org.apache.thrift.protocol.{TBinaryProtocol, TCompactProtocol, TProtocol}
import org.apache.thrift.transport.TTransport
import serbench.{Adapter, Bytes, DecodeException, MessageDecoder, MessageEncoder, MessageGlue}

/** The generated glue of a workload. */
trait ScroogeGlue[Root] extends MessageGlue[Root, ThriftStruct] {

  /** The codec of the root. */
  def codec: ThriftStructCodec[_ <: ThriftStruct]
}

/** Structs that Scrooge generates, to and from memory. Transports and the protocol that writes are kept; the
  * one that reads is made for each message, whose length is its limit.
  */
abstract class ScroogeAdapter[Root](glue: ScroogeGlue[Root]) extends Adapter[ThriftStruct, ThriftStruct] {

  /** Strings and collections have at most `limit` bytes and items. */
  def protocol(transport: TTransport, limit: Long): TProtocol

  override def encoder() = new ScroogeEncoder(glue, this)
  override def decoder() = new ScroogeDecoder(glue, this)
}

final class ScroogeEncoder[Root](glue: ScroogeGlue[Root], format: ScroogeAdapter[Root])
    extends MessageEncoder[Root, ThriftStruct](glue) {

  private val output = TReusableMemoryTransport()
  private val writer = format.protocol(output, -1)

  override def encode(message: ThriftStruct): Bytes = {
    output.reset()
    message.write(writer)
    new Bytes(output.getArray(), 0, output.length())
  }
}

final class ScroogeDecoder[Root](glue: ScroogeGlue[Root], format: ScroogeAdapter[Root])
    extends MessageDecoder[Root, ThriftStruct](glue) {

  private val input = new TArrayByteTransport

  override def decode(bytes: Bytes, used: ThriftStruct): ThriftStruct = {
    input.setBytes(bytes.toArray)
    val message = glue.codec.decode(format.protocol(input, bytes.length))
    if (input.getBytesRemainingInBuffer != 0) {
      throw new DecodeException(s"${input.getBytesRemainingInBuffer} bytes are left over")
    }
    message
  }
}

final class ScroogeBinaryAdapter[Root](glue: ScroogeGlue[Root]) extends ScroogeAdapter[Root](glue) {
  override def protocol(transport: TTransport, limit: Long): TProtocol =
    new TBinaryProtocol(transport, limit, limit)
}

final class ScroogeCompactAdapter[Root](glue: ScroogeGlue[Root]) extends ScroogeAdapter[Root](glue) {
  override def protocol(transport: TTransport, limit: Long): TProtocol =
    new TCompactProtocol(transport, limit, limit)
}
