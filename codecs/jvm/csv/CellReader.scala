package serbench.codec

import java.util.{Arrays, Base64}

import de.siegmar.fastcsv.reader.AbstractBaseCsvCallbackHandler

import serbench.{DecodeException, Narrow}

/**
 * Reads records that `CellWriter` wrote, cell by cell; the cells of a record are there until the next one is
 * read.
 */
final class CellReader(depth: Int) {
  private var cells = new Array[String](16) // null for an empty one
  private var count = 0
  private var next = 0
  private var inside: CellReader = _

  /** Takes a record without its line feed. */
  def read(text: String): Unit = {
    count = 0
    next = 0
    val records = CsvDialect.reading(depth).build(new Handler, text).iterator
    if (records.hasNext) records.next() else add(null) // no text is a record whose only cell is empty
    if (records.hasNext) throw new DecodeException("found a line feed outside of quotes, expected one record")
  }

  def hasNext: Boolean = next < count

  def finish(): Unit =
    if (hasNext) throw new DecodeException(s"a record has $count cells, expected $next")

  /** Whether the next cell is empty, which is then behind. */
  def skipsEmpty(): Boolean = {
    val empty = peek() == null
    if (empty) next += 1
    empty
  }

  /** The record inside of the next cell. */
  def open(): CellReader = {
    if (inside == null) inside = new CellReader(depth + 1)
    inside.read(string())
    inside
  }

  def string(): String = {
    val text = peek()
    if (text == null) throw new DecodeException(s"cell $next of a record is empty, expected a value")
    next += 1
    text
  }

  def bool(): Boolean = string() match {
    case "true" => true
    case "false" => false
    case text => throw new DecodeException(s"found '$text', expected true or false")
  }
  def i8(): Byte = java.lang.Byte.parseByte(string())
  def i16(): Short = java.lang.Short.parseShort(string())
  def i32(): Int = Integer.parseInt(string())
  def i64(): Long = java.lang.Long.parseLong(string())
  def u8(): Short = within(i32(), 0xff, "u8").toShort
  def u16(): Int = within(i32(), 0xffff, "u16").toInt
  def u32(): Long = within(i64(), 0xffffffffL, "u32")
  def u64(): Long = java.lang.Long.parseUnsignedLong(string())
  def f32(): Float = java.lang.Float.parseFloat(string())
  def f64(): Double = java.lang.Double.parseDouble(string())
  def bytes(): Array[Byte] = Base64.getDecoder.decode(string())
  def fixedBytes(length: Int): Array[Byte] = Narrow.bytes(bytes(), length)

  /** The cell of a record without fields, which is an empty string. */
  def nothing(): Unit = {
    val text = string()
    if (text.nonEmpty) throw new DecodeException(s"found '$text' in the cell of a record without fields")
  }

  private def within(value: Long, greatest: Long, name: String): Long = {
    if (value < 0 || value > greatest) throw new DecodeException(s"found $value, which is no $name")
    value
  }

  private def peek(): String = {
    if (!hasNext) throw new DecodeException(s"a record has $count cells, expected more")
    cells(next)
  }

  private def add(cell: String): Unit = {
    if (count == cells.length) cells = Arrays.copyOf(cells, 2 * count)
    cells(count) = cell
    count += 1
  }

  /** Keeps the cells of the record that is read. */
  private final class Handler extends AbstractBaseCsvCallbackHandler[CellReader] {
    override protected def handleField(
        n: Int,
        buffer: Array[Char],
        offset: Int,
        length: Int,
        quoted: Boolean
    ): Unit =
      add(if (length > 0) new String(buffer, offset, length) else if (quoted) "" else null)

    override protected def handleEmpty(): Unit = add(null)

    override protected def buildRecord(): CellReader = CellReader.this
  }
}
