package serbench.codec;

import org.apache.thrift.protocol.TCompactProtocol;

public final class ThriftCompactAdapter<R> extends ThriftAdapter<R> {
  public ThriftCompactAdapter(ThriftGlue<R> glue) {
    super(glue, new TCompactProtocol.Factory());
  }
}
