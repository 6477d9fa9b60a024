package serbench.codec

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import serbench.{Adapter, Bytes}

/** The JDK's serialization. A stream remembers every object that went through it, so each message has one of its own. */
final class JavaIoAdapter[Root] extends Adapter[Root, Root] {
  private val buffer = new JavaIoAdapter.Buffer

  override def encode(root: Root): Bytes = {
    buffer.reset()
    val out = new ObjectOutputStream(buffer)
    out.writeObject(root)
    out.flush()
    buffer.bytes
  }

  override def decode(bytes: Bytes, used: Root): Root = {
    val in = new ObjectInputStream(new ByteArrayInputStream(bytes.array, bytes.offset, bytes.length))
    in.readObject().asInstanceOf[Root]
  }
}

object JavaIoAdapter {

  /** Hands out its bytes without the copy that `toByteArray` makes. */
  private final class Buffer extends ByteArrayOutputStream(1024) {
    def bytes: Bytes = new Bytes(buf, 0, count)
  }
}
