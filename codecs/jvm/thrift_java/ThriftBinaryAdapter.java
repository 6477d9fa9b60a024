package serbench.codec;

import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;

public final class ThriftBinaryAdapter<R> extends ThriftAdapter<R> {
  public ThriftBinaryAdapter(ThriftGlue<R> glue) throws TException {
    super(glue, new TBinaryProtocol.Factory());
  }
}
