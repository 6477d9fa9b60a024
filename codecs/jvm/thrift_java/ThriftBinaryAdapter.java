package serbench.codec;

import org.apache.thrift.protocol.TBinaryProtocol;

public final class ThriftBinaryAdapter<R> extends ThriftAdapter<R> {
  public ThriftBinaryAdapter(ThriftGlue<R> glue) {
    super(glue, new TBinaryProtocol.Factory());
  }
}
