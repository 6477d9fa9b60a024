package serbench.codec;

import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecordBase;
import serbench.MessageGlue;

/** What is generated for each workload. */
public interface AvroGlue<R> extends MessageGlue<R, SpecificRecordBase> {
  /** That of the root. */
  Schema schema();
}
