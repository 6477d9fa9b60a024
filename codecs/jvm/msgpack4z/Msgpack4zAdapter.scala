package serbench.codec

import java.io.{ByteArrayInputStream, EOFException}

import msgpack4z.{Err, MsgInBuffer, MsgOutBuffer, MsgpackCodec}
import scalaz.{-\/, \/-}
import serbench.{Adapter, Bytes, DecodeException, Decoder, Encoder}

/** MessagePack by a type class. */
final class Msgpack4zAdapter[Root](codec: MsgpackCodec[Root]) extends Adapter[Root, Root] {
  override def encoder() = new Msgpack4zEncoder(codec)
  override def decoder() = new Msgpack4zDecoder(codec)
}

final class Msgpack4zEncoder[Root](codec: MsgpackCodec[Root]) extends Encoder[Root] {
  override def encode(root: Root): Bytes = Bytes.of(codec.toBytes(root, MsgOutBuffer.create()))
}

final class Msgpack4zDecoder[Root](codec: MsgpackCodec[Root]) extends Decoder[Root] {
  override def decode(bytes: Bytes, used: Root): Root = {
    val input = new Msgpack4zDecoder.Input(bytes)
    codec.unpackAndClose(new MsgInBuffer(input)) match {
      case \/-(_) if input.available > 0 =>
        throw new DecodeException(s"${input.available} bytes are left over")
      case \/-(root) => root
      case -\/(Err(cause)) => throw cause
      case -\/(error) => throw error
    }
  }
}

object Msgpack4zDecoder {

  /**
   * Refuses to read fewer bytes than were asked for, which the library takes for strings and bytes that end
   * in zeros.
   */
  private final class Input(bytes: Bytes)
      extends ByteArrayInputStream(bytes.array, bytes.offset, bytes.length) {
    override def read(into: Array[Byte], offset: Int, length: Int): Int = {
      if (length > count - pos) throw new EOFException(s"$length bytes are needed, ${count - pos} are left")
      super.read(into, offset, length)
    }
  }
}
