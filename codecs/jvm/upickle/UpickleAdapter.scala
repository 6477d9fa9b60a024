package serbench.codec

import java.io.OutputStream

import serbench.{Adapter, Bytes, Decoder, Encoder, KeptOutput}

/** Case classes to and from bytes by readers and writers that macros derive. */
final class UpickleAdapter[Root](codec: UpickleAdapter.Codec[Root]) extends Adapter[Root, Root] {
  override def encoder() = new UpickleEncoder(codec)
  override def decoder() = new UpickleDecoder(codec)
}

final class UpickleEncoder[Root](codec: UpickleAdapter.Codec[Root]) extends Encoder[Root] {
  private val buffer = new KeptOutput

  override def encode(root: Root): Bytes = {
    buffer.reset()
    codec.write(root, buffer)
    buffer.bytes
  }
}

final class UpickleDecoder[Root](codec: UpickleAdapter.Codec[Root]) extends Decoder[Root] {

  override def decode(bytes: Bytes, used: Root): Root = codec.read(bytes.toArray)
}

object UpickleAdapter {

  /** The functions of a pickler, whose types are its own, that the adapter calls. */
  trait Codec[Root] {
    def write(root: Root, out: OutputStream): Unit
    def read(bytes: Array[Byte]): Root
  }
}
