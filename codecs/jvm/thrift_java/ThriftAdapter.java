package serbench.codec;

import org.apache.thrift.TBase;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolFactory;
import org.apache.thrift.transport.AutoExpandingBufferWriteTransport;
import org.apache.thrift.transport.TMemoryInputTransport;
import serbench.Bytes;
import serbench.DecodeException;
import serbench.MessageAdapter;

/**
 * Thrift's generated classes, to and from memory: what {@code TSerializer} and {@code TDeserializer} do, without the copy of the
 * bytes and with no limit for the size of a message.
 */
abstract class ThriftAdapter<R> extends MessageAdapter<R, TBase<?, ?>> {
  private static final TConfiguration CONFIGURATION =
      TConfiguration.custom().setMaxMessageSize(Integer.MAX_VALUE).build();

  private final ThriftGlue<R> glue;
  private final TProtocolFactory protocols;
  private AutoExpandingBufferWriteTransport output;
  private TProtocol writer;
  private TMemoryInputTransport input;
  private TProtocol reader;

  ThriftAdapter(ThriftGlue<R> glue, TProtocolFactory protocols) {
    super(glue);
    this.glue = glue;
    this.protocols = protocols;
  }

  @Override
  public Bytes encode(TBase<?, ?> message) throws TException {
    if (writer == null) {
      output = new AutoExpandingBufferWriteTransport(CONFIGURATION, 1024, 0);
      writer = protocols.getProtocol(output);
    }
    output.reset();
    message.write(writer);
    return new Bytes(output.getBuf().array(), 0, output.getLength());
  }

  /** Reading makes all parts anew, and leaves alone what the bytes do not mention. */
  @Override
  public TBase<?, ?> decode(Bytes bytes, TBase<?, ?> used) throws TException {
    if (reader == null) {
      input = new TMemoryInputTransport(CONFIGURATION);
      reader = protocols.getProtocol(input);
    }
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
