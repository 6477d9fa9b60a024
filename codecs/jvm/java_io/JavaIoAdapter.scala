package serbench.codec

import java.io.{ByteArrayInputStream, ObjectInputStream, ObjectOutputStream}

import serbench.{Adapter, Bytes, Decoder, Encoder, KeptOutput}

/**
 * The JDK's serialization. A stream remembers every object that went through it, so each message has one of
 * its own.
 */
final class JavaIoAdapter[Root] extends Adapter[Root, Root] {
  override def encoder() = new JavaIoEncoder[Root]
  override def decoder() = new JavaIoDecoder[Root]
}

final class JavaIoEncoder[Root] extends Encoder[Root] {
  private val buffer = new KeptOutput

  override def encode(root: Root): Bytes = {
    buffer.reset()
    val out = new ObjectOutputStream(buffer)
    out.writeObject(root)
    out.flush()
    buffer.bytes
  }
}

final class JavaIoDecoder[Root] extends Decoder[Root] {

  override def decode(bytes: Bytes, used: Root): Root = {
    val in = new ObjectInputStream(new ByteArrayInputStream(bytes.array, bytes.offset, bytes.length))
    in.readObject().asInstanceOf[Root]
  }
}
