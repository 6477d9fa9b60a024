package serbench.codec

import java.io.StringWriter
import java.util.Base64

import de.siegmar.fastcsv.writer.CsvWriter
import serbench.Narrow

/** Writes a record cell by cell, between `begin` and `end`. */
final class CellWriter(csv: CsvWriter, depth: Int) {
  private var record: CsvWriter#CsvWriterRecord = _
  private var inside: CellWriter.Inside = _

  def begin(): Unit = record = csv.writeRecord()

  def end(): Unit = {
    record.endRecord()
    csv.flush()
  }

  /** Begins the record that is inside of the next cell. */
  def open(): CellWriter = {
    if (inside == null) inside = new CellWriter.Inside(depth + 1)
    inside.cells.begin()
    inside.cells
  }

  /** Ends that record and writes the cell. */
  def close(): Unit = string(inside.take())

  def empty(): Unit = record.writeField(null)

  def string(value: String): Unit = record.writeField(value)
  def bool(value: Boolean): Unit = string(java.lang.Boolean.toString(value))
  def i8(value: Byte): Unit = i32(value)
  def i16(value: Short): Unit = i32(value)
  def i32(value: Int): Unit = string(Integer.toString(value))
  def i64(value: Long): Unit = string(java.lang.Long.toString(value))
  def u8(value: Short): Unit = i32(value)
  def u16(value: Int): Unit = i32(value)
  def u32(value: Long): Unit = i64(value)
  def u64(value: Long): Unit = string(java.lang.Long.toUnsignedString(value))
  def f32(value: Float): Unit = string(java.lang.Float.toString(value))
  def f64(value: Double): Unit = string(java.lang.Double.toString(value))
  def bytes(value: Array[Byte]): Unit = string(Base64.getEncoder.encodeToString(value))
  def fixedBytes(value: Array[Byte], length: Int): Unit = bytes(Narrow.bytes(value, length))
}

private object CellWriter {

  /** The records inside of cells, one after the other, as text. */
  private final class Inside(depth: Int) {
    private val text = new StringWriter
    val cells = new CellWriter(CsvDialect.writing(depth).build(text), depth)

    /** The text of the record that was begun, without the line feed. */
    def take(): String = {
      cells.end()
      val written = text.getBuffer
      val record = written.substring(0, written.length - 1)
      written.setLength(0)
      record
    }
  }
}
