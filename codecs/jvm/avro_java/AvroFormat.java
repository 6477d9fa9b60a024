package serbench.codec;

import org.apache.avro.Schema;
import org.apache.avro.io.DatumReader;
import org.apache.avro.io.DatumWriter;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.avro.util.ClassSecurityValidator;
import serbench.WriterSchema;

/**
 * The objects that a program makes once of a schema.
 *
 * @param glue of the workload
 * @param writer of its root
 * @param reader of its root
 */
public record AvroFormat<R>(
    AvroGlue<R> glue, DatumWriter<SpecificRecordBase> writer, DatumReader<SpecificRecordBase> reader) {

  static {
    // Avro makes objects only of classes that it was told to trust.
    ClassSecurityValidator.setGlobal(
        ClassSecurityValidator.composite(
            ClassSecurityValidator.DEFAULT,
            made -> made.getPackageName().startsWith("serbench.avro_types.")));
  }

  /** Writer and reader that go by the schema, as Avro's documentation has them. */
  public static <R> AvroFormat<R> bySchema(AvroGlue<R> glue) {
    return of(glue, SpecificData.getForSchema(glue.schema()));
  }

  /**
   * Writer and reader that call what the classes generate for it. Avro calls it a beta feature; the reader
   * that goes by the schema would be preferred to it.
   */
  public static <R> AvroFormat<R> byGeneratedCode(AvroGlue<R> glue) {
    SpecificData data = SpecificData.getForSchema(glue.schema());
    data.setCustomCoders(true);
    data.setFastReaderEnabled(false);
    return of(glue, data);
  }

  private static <R> AvroFormat<R> of(AvroGlue<R> glue, SpecificData data) {
    String other = WriterSchema.text();
    Schema written = other == null ? glue.schema() : new Schema.Parser().parse(other);
    return new AvroFormat<>(
        glue,
        new SpecificDatumWriter<>(glue.schema(), data),
        new SpecificDatumReader<>(written, glue.schema(), data));
  }
}
