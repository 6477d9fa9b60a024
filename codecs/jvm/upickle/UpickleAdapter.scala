package serbench.codec

import java.io.{ByteArrayOutputStream, OutputStream}

import serbench.{Adapter, Bytes}

/** Case classes to and from bytes by readers and writers that macros derive. */
final class UpickleAdapter[Root](codec: UpickleAdapter.Codec[Root]) extends Adapter[Root, Root] {
  private val buffer = new UpickleAdapter.Buffer

  override def encode(root: Root): Bytes = {
    buffer.reset()
    codec.write(root, buffer)
    buffer.bytes
  }

  override def decode(bytes: Bytes, used: Root): Root = codec.read(bytes.toArray)
}

object UpickleAdapter {

  /** What the adapter calls of a pickler, whose types are its own. */
  trait Codec[Root] {
    def write(root: Root, out: OutputStream): Unit
    def read(bytes: Array[Byte]): Root
  }

  /** Hands out its bytes without the copy that `toByteArray` makes. */
  private final class Buffer extends ByteArrayOutputStream(1024) {
    def bytes: Bytes = new Bytes(buf, 0, count)
  }
}
