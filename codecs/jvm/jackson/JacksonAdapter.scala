package serbench.codec

import java.io.ByteArrayOutputStream

import com.fasterxml.jackson.databind.{ObjectReader, ObjectWriter}
import serbench.{Adapter, Bytes}

/** What a program makes of its mapper once, for its root type. */
final case class Binding[Root](writer: ObjectWriter, reader: ObjectReader)

/** Case classes to and from bytes by Jackson's data binding, in whichever format the binding is of. */
final class JacksonAdapter[Root](binding: Binding[Root]) extends Adapter[Root, Root] {
  private val buffer = new JacksonAdapter.Buffer

  override def encode(root: Root): Bytes = {
    buffer.reset()
    binding.writer.writeValue(buffer, root)
    buffer.bytes
  }

  override def decode(bytes: Bytes, used: Root): Root =
    binding.reader.readValue[Root](bytes.array, bytes.offset, bytes.length)
}

object JacksonAdapter {

  /** Hands out its bytes without the copy that `toByteArray` makes. */
  private final class Buffer extends ByteArrayOutputStream(1024) {
    def bytes: Bytes = new Bytes(buf, 0, count)
  }
}
