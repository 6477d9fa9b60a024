package serbench.codec;

import org.apache.thrift.TBase;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolFactory;
import org.apache.thrift.transport.TIOStreamTransport;
import org.apache.thrift.transport.TMemoryInputTransport;
import serbench.Bytes;
import serbench.DecodeException;
import serbench.KeptOutput;
import serbench.MessageAdapter;

/**
 * Thrift's generated classes, to and from memory: what {@code TSerializer} and {@code TDeserializer} do, without the copy of the
 * bytes and with no limit for the size of a message.
 */
abstract class ThriftAdapter<R> extends MessageAdapter<R, TBase<?, ?>> {
  private static final TConfiguration CONFIGURATION =
      TConfiguration.custom().setMaxMessageSize(Integer.MAX_VALUE).build();

  private final ThriftGlue<R> glue;
  private final KeptOutput output = new KeptOutput();
  private final TMemoryInputTransport input;
  private final TProtocol writer;
  private final TProtocol reader;

  ThriftAdapter(ThriftGlue<R> glue, TProtocolFactory protocols) throws TException {
    super(glue);
    this.glue = glue;
    input = new TMemoryInputTransport(CONFIGURATION);
    writer = protocols.getProtocol(new TIOStreamTransport(CONFIGURATION, output));
    reader = protocols.getProtocol(input);
  }

  @Override
  public Bytes encode(TBase<?, ?> message) throws TException {
    output.reset();
    message.write(writer);
    return output.bytes();
  }

  /** Reading makes all parts anew, and leaves alone what the bytes do not mention. */
  @Override
  public TBase<?, ?> decode(Bytes bytes, TBase<?, ?> used) throws TException {
    TBase<?, ?> message = glue.create();
    input.reset(bytes.array(), bytes.offset(), bytes.length());
    input.updateKnownMessageSize(bytes.length()); // wrong counts must not ask for memory
    try {
      message.read(reader);
    } finally {
      reader.reset(); // it may stand inside a struct
    }
    if (input.getBytesRemainingInBuffer() != 0) {
      throw new DecodeException(input.getBytesRemainingInBuffer() + " bytes are left over");
    }
    return message;
  }
}
