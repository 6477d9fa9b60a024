package serbench.codec

import de.siegmar.fastcsv.reader.CsvReader
import de.siegmar.fastcsv.reader.CsvReader.CsvReaderBuilder
import de.siegmar.fastcsv.writer.{CsvWriter, LineDelimiter, QuoteStrategies}
import de.siegmar.fastcsv.writer.CsvWriter.CsvWriterBuilder

/**
 * How records are written and read at each depth: 0 is that of the message, 1 inside of its cells, and so on.
 */
private[codec] object CsvDialect {
  private val Separators = ",;|"

  private val readers = Separators.map(reader(_)).toArray

  private def reader(separator: Char): CsvReaderBuilder =
    CsvReader.builder.fieldSeparator(separator).skipEmptyLines(false).allowUnclosedQuote(false)

  def writing(depth: Int): CsvWriterBuilder =
    CsvWriter.builder
      .fieldSeparator(Separators(depth % Separators.length))
      .lineDelimiter(LineDelimiter.LF)
      .quoteStrategy(QuoteStrategies.EMPTY) // tells an empty string from a cell that is empty

  def reading(depth: Int): CsvReaderBuilder = readers(depth % readers.length)
}
