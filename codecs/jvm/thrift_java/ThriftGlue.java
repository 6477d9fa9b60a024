package serbench.codec;

import org.apache.thrift.TBase;
import serbench.MessageGlue;

/** The generated glue of a workload. */
public interface ThriftGlue<R> extends MessageGlue<R, TBase<?, ?>> {
  /** An empty message. */
  TBase<?, ?> create();
}
