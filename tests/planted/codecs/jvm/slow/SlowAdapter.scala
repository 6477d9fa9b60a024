package serbench.codec

import serbench.{Adapter, Bytes, CanonicalReader, CanonicalWriter, Decoder, Domain, Encoder}

/** Lingers at floats when it writes, and at nothing when it reads. */
final class SlowAdapter[Root](domain: Domain[Root]) extends Adapter[Root, Root] {
  override def encoder(): Encoder[Root] = new SlowEncoder(domain)
  override def decoder(): Decoder[Root] = new SlowDecoder(domain)
}

final class SlowEncoder[Root](domain: Domain[Root]) extends Encoder[Root] {
  private val LingerNs = 30000
  private val writer = new CanonicalWriter

  override def encode(root: Root): Bytes = {
    linger(root)
    writer.clear()
    domain.encode(root, writer)
    writer.bytes
  }

  /** Looks at all values, since there are no floats where the field was dropped. */
  private def linger(value: Any): Unit = value match {
    case number: Double =>
      if (number != 0) {
        val begin = System.nanoTime
        while (System.nanoTime - begin < LingerNs) {}
      }
    case items: Iterable[_] => items.foreach(linger)
    case record: Product => record.productIterator.foreach(linger)
    case _ =>
  }
}

final class SlowDecoder[Root](domain: Domain[Root]) extends Decoder[Root] {
  override def decode(bytes: Bytes, used: Root): Root = {
    val reader = new CanonicalReader(bytes)
    val root = domain.decode(reader)
    reader.finish()
    root
  }
}
