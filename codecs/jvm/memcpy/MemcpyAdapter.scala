package serbench.codec

import java.util.Arrays

import serbench.{Adapter, Bytes, CanonicalReader, CanonicalWriter, Decoder, Domain, Encoder}

/** The floor: copies the canonical bytes, which no codec can undercut by doing its work better. */
final class MemcpyAdapter[Root](domain: Domain[Root])
    extends Adapter[Bytes, Bytes]
    with Adapter.Floor {
  override def encoder() = new MemcpyEncoder(domain)
  override def decoder() = new MemcpyDecoder(domain)
}

final class MemcpyEncoder[Root](domain: Domain[Root])
    extends Encoder[Bytes] with Encoder.Builds[Root, Bytes] {
  private var buffer = new Array[Byte](0)

  override def build(root: Root, used: Bytes): Bytes = {
    val out = new CanonicalWriter
    domain.encode(root, out)
    out.bytes
  }

  override def encode(message: Bytes): Bytes = {
    if (buffer.length < message.length) buffer = new Array[Byte](message.length)
    System.arraycopy(message.array, message.offset, buffer, 0, message.length)
    new Bytes(buffer, 0, message.length)
  }
}

final class MemcpyDecoder[Root](domain: Domain[Root])
    extends Decoder[Bytes] with Decoder.Extracts[Root, Bytes] {

  override def decode(bytes: Bytes, used: Bytes): Bytes = {
    if (used == null || used.array.length < bytes.length) {
      return Bytes.of(Arrays.copyOfRange(bytes.array, bytes.offset, bytes.offset + bytes.length))
    }
    System.arraycopy(bytes.array, bytes.offset, used.array, 0, bytes.length)
    new Bytes(used.array, 0, bytes.length)
  }

  override def extract(message: Bytes): Root = {
    val in = new CanonicalReader(message)
    val root = domain.decode(in)
    in.finish()
    root
  }
}
