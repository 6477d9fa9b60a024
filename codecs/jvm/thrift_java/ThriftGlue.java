package serbench.codec;

import org.apache.thrift.TBase;
import serbench.MessageGlue;

/** What is generated for each workload. */
public interface ThriftGlue<R> extends MessageGlue<R, TBase<?, ?>> {
  /** An empty message. */
  TBase<?, ?> create();
}
