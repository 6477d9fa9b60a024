package serbench.codec

import serbench.{Adapter, Bytes, CanonicalReader, CanonicalWriter, Decoder, Domain, Encoder}

/**
 * The generated functions of the canonical encoding, which are what one would write by hand for each type.
 */
final class HandwrittenAdapter[Root](domain: Domain[Root]) extends Adapter[Root, Root] {
  override def encoder() = new HandwrittenEncoder(domain)
  override def decoder() = new HandwrittenDecoder(domain)
}

final class HandwrittenEncoder[Root](domain: Domain[Root]) extends Encoder[Root] {
  private val writer = new CanonicalWriter

  override def encode(root: Root): Bytes = {
    writer.clear()
    domain.encode(root, writer)
    writer.bytes
  }
}

final class HandwrittenDecoder[Root](domain: Domain[Root]) extends Decoder[Root] {

  override def decode(bytes: Bytes, used: Root): Root = {
    val reader = new CanonicalReader(bytes)
    val root = domain.decode(reader)
    reader.finish()
    root
  }
}
