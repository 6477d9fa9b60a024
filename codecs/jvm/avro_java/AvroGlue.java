package serbench.codec;

import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecordBase;
import serbench.MessageGlue;

/** The generated glue of a workload. */
public interface AvroGlue<R> extends MessageGlue<R, SpecificRecordBase> {
  /** The schema of the root. */
  Schema schema();
}
