package serbench.codec

import com.fasterxml.jackson.databind.{ObjectReader, ObjectWriter}
import serbench.{Adapter, Bytes, Decoder, Encoder, KeptOutput}

/** The writer and the reader that a program makes of its mapper once, for its root type. */
final case class Binding[Root](writer: ObjectWriter, reader: ObjectReader)

/** Case classes to and from bytes by Jackson's data binding, in whichever format the binding is of. */
final class JacksonAdapter[Root](binding: Binding[Root]) extends Adapter[Root, Root] {
  override def encoder() = new JacksonEncoder(binding)
  override def decoder() = new JacksonDecoder(binding)
}

final class JacksonEncoder[Root](binding: Binding[Root]) extends Encoder[Root] {
  private val buffer = new KeptOutput

  override def encode(root: Root): Bytes = {
    buffer.reset()
    binding.writer.writeValue(buffer, root)
    buffer.bytes
  }
}

final class JacksonDecoder[Root](binding: Binding[Root]) extends Decoder[Root] {

  override def decode(bytes: Bytes, used: Root): Root =
    binding.reader.readValue[Root](bytes.array, bytes.offset, bytes.length)
}
