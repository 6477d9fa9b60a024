package serbench.codec

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import serbench.{Adapter, Bytes, DecodeException, Decoder, Encoder, KeptOutput}

/** The generated glue of a workload: its root as the cells of a CSV record. */
trait CsvGlue[Root] {
  def put(root: Root, out: CellWriter): Unit
  def get(in: CellReader): Root
}

/** A message is one record with its line feed, in UTF-8. */
final class CsvAdapter[Root](glue: CsvGlue[Root]) extends Adapter[Root, Root] {
  override def encoder() = new CsvEncoder(glue)
  override def decoder() = new CsvDecoder(glue)
}

final class CsvEncoder[Root](glue: CsvGlue[Root]) extends Encoder[Root] {
  private val buffer = new KeptOutput
  private val out = new CellWriter(CsvDialect.writing(0).build(buffer), 0)

  override def encode(root: Root): Bytes = {
    buffer.reset()
    out.begin()
    glue.put(root, out)
    out.end()
    buffer.bytes
  }
}

final class CsvDecoder[Root](glue: CsvGlue[Root]) extends Decoder[Root] {
  private val in = new CellReader(0)

  override def decode(bytes: Bytes, used: Root): Root = {
    in.read(line(bytes))
    val root = glue.get(in)
    in.finish()
    root
  }

  /** The text of a message without the line feed, whose absence is how one sees that a record was cut. */
  private def line(bytes: Bytes): String = {
    val length = bytes.length - 1
    if (length < 0 || bytes.array.apply(bytes.offset + length) != '\n') {
      throw new DecodeException("a record ends without a line feed")
    }
    val text = new String(bytes.array, bytes.offset, length, UTF_8)
    // Bytes that are no UTF-8 become U+FFFD there, which seldom is in a text: only then it is worth to look
    // more closely.
    if (text.indexOf('\ufffd') >= 0) {
      UTF_8.newDecoder.decode(ByteBuffer.wrap(bytes.array, bytes.offset, length))
    }
    text
  }
}
