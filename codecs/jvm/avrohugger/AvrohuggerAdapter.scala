package serbench.codec

import org.apache.avro.Schema
import org.apache.avro.io.{BinaryDecoder, BinaryEncoder, DecoderFactory, EncoderFactory}
import org.apache.avro.specific.{SpecificDatumReader, SpecificDatumWriter, SpecificRecordBase}
import org.apache.avro.util.ClassSecurityValidator
import serbench.{Adapter, Bytes, DecodeException, KeptOutput}
import serbench.{MessageDecoder, MessageEncoder, MessageGlue, WriterSchema}

/** The generated glue of a workload. */
trait AvroGlue[Root] extends MessageGlue[Root, SpecificRecordBase] {

  /** The schema of the root. */
  def schema: Schema
}

/** The objects that a program makes once of a schema. */
final class AvroFormat[Root](val glue: AvroGlue[Root]) {

  // Avro makes objects only of classes that it was told to trust.
  ClassSecurityValidator.setGlobal(
    ClassSecurityValidator.composite(
      ClassSecurityValidator.DEFAULT,
      made => made.getPackageName.startsWith("serbench.avro_types.")
    )
  )

  val writer = new SpecificDatumWriter[SpecificRecordBase](glue.schema)

  private val written = Option(WriterSchema.text).fold(glue.schema)(new Schema.Parser().parse(_))
  val reader = new SpecificDatumReader[SpecificRecordBase](written, glue.schema)
}

/**
 * Case classes that avrohugger generates, by Avro's own writer and reader; encoder, decoder and bytes are
 * kept.
 */
final class AvrohuggerAdapter[Root](format: AvroFormat[Root])
    extends Adapter[SpecificRecordBase, SpecificRecordBase] {
  override def encoder() = new AvrohuggerEncoder(format)
  override def decoder() = new AvrohuggerDecoder(format)
}

final class AvrohuggerEncoder[Root](format: AvroFormat[Root])
    extends MessageEncoder[Root, SpecificRecordBase](format.glue) {

  private val output = new KeptOutput
  private var encoder: BinaryEncoder = _

  override def encode(message: SpecificRecordBase): Bytes = {
    output.reset()
    encoder = EncoderFactory.get.binaryEncoder(output, encoder)
    format.writer.write(message, encoder)
    encoder.flush()
    output.bytes
  }
}

final class AvrohuggerDecoder[Root](format: AvroFormat[Root])
    extends MessageDecoder[Root, SpecificRecordBase](format.glue) {

  private var decoder: BinaryDecoder = _

  /**
   * The record is made anew: into one that is used again, Avro would first read all collections out of it as
   * Java's.
   */
  override def decode(bytes: Bytes, used: SpecificRecordBase): SpecificRecordBase = {
    decoder = DecoderFactory.get.binaryDecoder(bytes.array, bytes.offset, bytes.length, decoder)
    val message = format.reader.read(null, decoder)
    if (!decoder.isEnd) throw new DecodeException("bytes are left over")
    message
  }
}
